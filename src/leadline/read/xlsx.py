"""Spreadsheets to Markdown, by openpyxl: a heading a sheet, and each block of filled rows as a
table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from leadline.read.markdown import table_rows
from leadline.read.office import broken_is_lost, checked, office_page
from leadline.types import Page

MAX_CHARS = 2_000_000
MAX_CELLS = 5_000_000  # empty ones too: a row is as wide as its last cell is far


class XlsxReader:
    suffixes: tuple[str, ...] = (".xlsx", ".xlsm", ".xltx")

    def read(self, data: bytes, name: str) -> Page:
        from openpyxl import load_workbook
        from openpyxl.utils import exceptions

        # All that openpyxl raises shares no class of its own.
        own = [kind for kind in vars(exceptions).values() if isinstance(kind, type)]
        file = checked(data, name)
        with broken_is_lost(name, *own):
            book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
            return office_page(name, "\n\n".join(_blocks(book)), book.properties)


def _blocks(book: Any) -> Iterator[str]:
    """Headings and tables, until there are too many."""
    room = MAX_CHARS
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what a file says of them need not be true
        heading = f"## {sheet.title}\n\n"
        for rows in _filled_rows(sheet):
            yield heading + _table(rows)
            heading = ""
            room -= sum(len(cell) for row in rows for cell in row)
            if room < 0:
                return


def _filled_rows(sheet: Any) -> Iterator[list[list[str]]]:
    """Blocks of rows; an empty row ends a block."""
    rows: list[list[str]] = []
    room = MAX_CELLS
    for values in sheet.iter_rows(values_only=True):
        room -= len(values) + 1
        cells = [_shown(value) for value in values]
        if any(cells):
            rows.append(cells)
        elif rows:
            yield rows
            rows = []
        if room < 0:
            break
    if rows:
        yield rows


def _table(rows: list[list[str]]) -> str:
    """A table of the columns that hold something; a single column is a list of lines."""
    columns = sorted({at for row in rows for at, cell in enumerate(row) if cell})
    if len(columns) == 1:
        return "\n".join(row[columns[0]] for row in rows)
    return table_rows([[row[at] if at < len(row) else "" for at in columns] for row in rows])


def _shown(value: object) -> str:
    """A value as a person writes it: 0.1 and not 0.10000000000000001."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, date):
        return value.isoformat()
    return " ".join(str(value).split())
