"""Spreadsheets to Markdown: a heading a sheet, and each block of filled rows as a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from leadline.errors import SourceLost
from leadline.frozen import frozen
from leadline.read.plain import file_title
from leadline.read.safe_zip import (
    Archive,
    Element,
    attribute,
    below,
    child,
    core_properties,
    local,
)
from leadline.read.webblocks import as_table
from leadline.types import Page

MAX_CHARS = 2_000_000
_COLUMN = re.compile(r"[A-Z]+")
_BUILT_IN_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_DATE_LETTERS = re.compile(r"[dmyhs]", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"|\[[^\[\]]*\]|\\.')
_MAX_COLUMNS = 16_384


class XlsxReader:
    suffixes: tuple[str, ...] = (".xlsx", ".xlsm", ".xltx")

    def read(self, data: bytes, name: str) -> Page:
        archive = Archive(data, name)
        workbook = archive.xml("xl/workbook.xml")
        if workbook is None:
            raise SourceLost(f"{name} is broken: it has no workbook inside")
        text = _together(_sheets(archive, workbook))
        if not text.strip():
            raise SourceLost(f"{name} holds no text")
        title, author, date = core_properties(archive)
        return Page(name, title or file_title(name), text, "document", author, date)


def _together(parts: Iterator[str]) -> str:
    kept: list[str] = []
    room = MAX_CHARS
    for part in parts:
        kept.append(part)
        room -= len(part)
        if room < 0:
            break
    return "\n\n".join(kept)


@frozen
class _Book:
    """What cells refer to."""

    strings: Sequence[str]
    dates: frozenset[int]  # cell formats that show a date
    start: datetime


def _sheets(archive: Archive, workbook: Element) -> Iterator[str]:
    about = child(workbook, "workbookPr")
    late = about is not None and attribute(about, "date1904") in ("1", "true")
    start = datetime(1904, 1, 1) if late else datetime(1899, 12, 30)  # noqa: DTZ001 - no zone
    book = _Book(_strings(archive), _dates(archive), start)
    related = archive.related("xl/workbook.xml")
    for sheet in below(workbook, "sheet"):
        key = next((value for name, value in sheet.attrib.items() if name.endswith("}id")), "")
        root = archive.xml(related.get(key, ""))
        if root is None or local(root) != "worksheet":
            continue
        tables = list(_tables(root, book))
        if tables:
            yield f"## {attribute(sheet, 'name')}"
            yield from tables


def _strings(archive: Archive) -> list[str]:
    root = archive.xml("xl/sharedStrings.xml")
    return [] if root is None else [_rich(one) for one in root if local(one) == "si"]


def _rich(element: Element) -> str:
    """The text of a cell, without the reading aids of Japanese."""
    out: list[str] = []
    for one in element:
        if local(one) == "t":
            out.append(one.text or "")
        elif local(one) == "r":
            out.extend(part.text or "" for part in below(one, "t"))
    return " ".join("".join(out).split())


def _dates(archive: Archive) -> frozenset[int]:
    root = archive.xml("xl/styles.xml")
    if root is None:
        return frozenset()
    own = {
        int(attribute(one, "numFmtId") or 0): attribute(one, "formatCode")
        for one in below(root, "numFmt")
    }
    dated = {number for number, code in own.items() if _DATE_LETTERS.search(_QUOTED.sub("", code))}
    dated |= _BUILT_IN_DATES
    formats = child(root, "cellXfs")
    return frozenset(
        at
        for at, one in enumerate(() if formats is None else formats)
        if int(attribute(one, "numFmtId") or 0) in dated
    )


def _tables(sheet: Element, book: _Book) -> Iterator[str]:
    """Blocks of rows; an empty row, or a missing one, ends a block."""
    rows: list[dict[int, str]] = []
    last = 0
    for row in below(sheet, "row"):
        number = attribute(row, "r")
        here = int(number) if number.isdigit() else last + 1
        cells = _cells(row, book)
        if rows and (not cells or here > last + 1):
            yield _table(rows)
            rows = []
        if cells:
            rows.append(cells)
        last = here
    if rows:
        yield _table(rows)


def _cells(row: Element, book: _Book) -> dict[int, str]:
    found: dict[int, str] = {}
    at = -1
    for cell in row:
        if local(cell) != "c":
            continue
        at = _column(attribute(cell, "r"), at + 1)
        text = _shown(cell, book)
        if text and at < _MAX_COLUMNS:
            found[at] = text.replace("|", "\\|")
    return found


def _column(name: str, otherwise: int) -> int:
    found = _COLUMN.match(name)
    if not found or len(found.group()) > 3:
        return otherwise
    number = 0
    for letter in found.group():
        number = number * 26 + ord(letter) - 64
    return number - 1


def _shown(cell: Element, book: _Book) -> str:
    kind = attribute(cell, "t")
    if kind == "inlineStr":
        inline = child(cell, "is")
        return "" if inline is None else _rich(inline)
    value = child(cell, "v")
    raw = "" if value is None else " ".join((value.text or "").split())
    if kind == "s":
        return book.strings[int(raw)] if raw.isdigit() and int(raw) < len(book.strings) else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
    style = attribute(cell, "s")
    if kind in ("", "n") and style.isdigit() and int(style) in book.dates:
        return _date(raw, book.start)
    return raw if kind in ("str", "e", "d") else _number(raw)


def _number(raw: str) -> str:
    """A number as a person writes it: 0.1 and not 0.10000000000000001."""
    try:
        value = float(raw)
    except ValueError:
        return raw
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}"


def _date(raw: str, start: datetime) -> str:
    try:
        moment = start + timedelta(days=float(raw))
    except (ValueError, OverflowError):
        return raw
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if float(raw) < 1:
        return moment.strftime("%H:%M:%S")
    midnight = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
    return moment.strftime("%Y-%m-%d") if midnight else moment.strftime("%Y-%m-%d %H:%M:%S")


def _table(rows: list[dict[int, str]]) -> str:
    """A table of the columns that hold something; a single column is a list of lines."""
    columns = sorted({at for row in rows for at in row})
    if len(columns) == 1:
        return "\n".join(row[columns[0]] for row in rows)
    return as_table([[row.get(at, "") for at in columns] for row in rows])
