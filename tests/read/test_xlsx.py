"""Spreadsheets are read sheet by sheet as tables, with dates and numbers as people write them."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office import packed, saved, unpacked
from openpyxl import Workbook

from leadline.errors import SourceLost
from leadline.read.xlsx import XlsxReader

SHEET = "xl/worksheets/sheet1.xml"


def book(*rows: tuple[object, ...]) -> bytes:
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Depths"
    for row in rows:
        sheet.append(row)
    return saved(workbook, author="creator")


def with_rows(rows: str) -> bytes:
    """A book with these raw rows, for what openpyxl does not write."""
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        f"{rows}</sheetData></worksheet>"
    )
    parts: dict[str, str | bytes] = {**unpacked(book(("a",))), SHEET: xml}
    return packed(parts)


def text_of(data: bytes) -> str:
    return XlsxReader().read(data, "depths.xlsx").text


@pytest.mark.contract("E2", "D1")
def test_a_sheet_becomes_a_heading_and_a_table() -> None:
    page = XlsxReader().read(book(("Day", "Fathoms|feet"), ("Mon", 5.10), ("Tue",)), "depths.xlsx")
    assert page.text == (
        "## Depths\n\n| Day | Fathoms\\|feet |\n| --- | --- |\n| Mon | 5.1 |\n| Tue |  |"
    )
    assert (page.title, page.author, page.date) == ("The title", "Ann Lee", "2024-05-06")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (date(2023, 3, 15), "2023-03-15"),
        (datetime(2023, 3, 15), "2023-03-15"),  # noqa: DTZ001 - cells have no zone
        (datetime(2023, 3, 15, 12), "2023-03-15 12:00:00"),  # noqa: DTZ001
        (time(6), "06:00:00"),
        (45000, "45000"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.3"),
        (5.0, "5"),
        (True, "TRUE"),
        ("#N/A", "#N/A"),
        ("two\nlines", "two lines"),
    ],
)
def test_cells_are_shown_as_a_person_writes_them(value: object, shown: str) -> None:
    assert text_of(book((value, "x"), ("", "y"))).split("\n")[2] == f"| {shown} | x |"


def test_an_empty_row_ends_a_table() -> None:
    assert text_of(book(("a", "b"), (), ("c",))) == "## Depths\n\n| a | b |\n| --- | --- |\n\nc"


@pytest.mark.contract("E4")
def test_far_cells_cost_next_to_nothing() -> None:
    cell = '<c r="{0}" t="inlineStr"><is><t>{1}</t></is></c>'
    rows = f'<row r="1">{cell.format("A1", "a")}</row>'
    rows += f'<row r="900000">{cell.format("XFD900000", "far")}</row>'
    assert text_of(with_rows(rows)) == "## Depths\n\na\n\nfar"


@pytest.mark.contract("E4")
def test_very_many_rows_of_far_cells_end_somewhere() -> None:
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 2_000))
    assert 100 < text_of(with_rows(rows)).count("\n1") < 1_000


@pytest.mark.contract("E2")
def test_an_empty_or_broken_book_is_lost() -> None:
    with pytest.raises(SourceLost, match="no text"):
        text_of(book())
    with pytest.raises(SourceLost, match="broken"):
        text_of(packed({"xl/x.xml": "<x/>"}))


@pytest.mark.contract("E4")
@given(
    st.sampled_from([SHEET, "xl/workbook.xml", "xl/styles.xml",
                     "xl/_rels/workbook.xml.rels", "[Content_Types].xml", "docProps/core.xml"]),
    st.integers(0, 5_000), st.integers(0, 60), st.text("<>/\"=r:s19-A ", max_size=12),
)  # fmt: skip
def test_a_damaged_part_costs_the_file_and_nothing_else(
    part: str, at: int, length: int, put: str
) -> None:
    parts = dict(BOOK)
    at %= len(parts[part])
    parts[part] = parts[part][:at] + put.encode() + parts[part][at + length :]
    with suppress(SourceLost):
        assert text_of(packed(parts))


BOOK = unpacked(book(("Day", "Depth"), (date(2023, 3, 15), 5.5)))
