"""Spreadsheets are read sheet by sheet as tables, with dates and numbers as people write them."""

from __future__ import annotations

import pytest
from office import CORE, R, S, packed, rels

from leadline.errors import SourceLost
from leadline.read.xlsx import XlsxReader


def xlsx(rows: str, strings: tuple[str, ...] = (), **more: str) -> bytes:
    shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{R}"><sheets>'
        '<sheet name="Depths" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": rels(r1="worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{S}"><sheetData>{rows}</sheetData>'
        "</worksheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{S}">{shared}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{S}"><numFmts><numFmt numFmtId="170" '
        'formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="171" formatCode="0.0 &quot;days&quot;"/>'
        '</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/>'
        '<xf numFmtId="171"/><xf numFmtId="20"/></cellXfs></styleSheet>',
        "docProps/core.xml": CORE,
    }
    return packed(parts | more)


def c(at: str, value: str, kind: str = "", style: int = 0) -> str:
    return f'<c r="{at}" t="{kind}" s="{style}"><v>{value}</v></c>'


@pytest.mark.contract("E2")
def test_a_sheet_becomes_a_heading_and_a_table() -> None:
    rows = (
        f"<row r='1'>{c('A1', '0', 's')}{c('B1', '1', 's')}</row>"
        f"<row r='2'>{c('A2', 'Mon', 'str')}{c('B2', '5.10')}</row>"
        f"<row r='3'>{c('A3', 'Tue', 'str')}</row>"
    )
    page = XlsxReader().read(xlsx(rows, ("Day", "Fathoms|feet")), "depths.xlsx")
    assert page.text == (
        "## Depths\n\n| Day | Fathoms\\|feet |\n| --- | --- |\n| Mon | 5.1 |\n| Tue |  |"
    )
    assert page.title == "The title"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (c("A1", "45000", style=1), "2023-03-15"),
        (c("A1", "45000.5", style=2), "2023-03-15 12:00:00"),
        (c("A1", "0.25", style=4), "06:00:00"),
        (c("A1", "45000", style=3), "45000"),
        (c("A1", "0.1"), "0.1"),
        (c("A1", "0.30000000000000004"), "0.3"),
        (c("A1", "1", "b"), "TRUE"),
        (c("A1", "#N/A", "e"), "#N/A"),
        (c("A1", "99", "s"), ""),
        ("<c r='A1' t='inlineStr'><is><r><t>in</t></r><r><t>line</t></r></is></c>", "inline"),
        (c("A1", "1e300", style=1), "1e300"),
    ],
)
def test_cells_are_shown_as_a_person_writes_them(cell: str, shown: str) -> None:
    rows = f"<row r='1'>{cell}{c('B1', 'x', 'str')}</row><row r='2'>{c('B2', 'y', 'str')}</row>"
    text = XlsxReader().read(xlsx(rows), "f.xlsx").text
    first = text.split("\n")[2]
    assert first == (f"| {shown} | x |" if shown else "x")


def test_an_empty_row_ends_a_table_and_far_cells_cost_nothing() -> None:
    rows = (
        f"<row r='1'>{c('A1', 'a', 'str')}</row>"
        f"<row r='900000'>{c('XFD900000', 'far', 'str')}</row>"
    )
    assert XlsxReader().read(xlsx(rows), "f.xlsx").text == "## Depths\n\na\n\nfar"


@pytest.mark.contract("E2")
def test_an_empty_or_broken_book_is_lost() -> None:
    with pytest.raises(SourceLost, match="no text"):
        XlsxReader().read(xlsx(""), "f.xlsx")
    with pytest.raises(SourceLost, match="no workbook"):
        XlsxReader().read(packed({"xl/x.xml": "<x/>"}), "f.xlsx")
