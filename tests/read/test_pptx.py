"""Presentations are read slide by slide, in the order they are shown."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office import as_strict, packed, saved, unpacked
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from leadline.errors import SourceLost
from leadline.read.pptx import PptxReader

BOX = (Inches(1), Inches(2), Inches(4), Inches(2))
TITLE_AND_CONTENT, BLANK = 1, 6


def deck() -> Any:
    """Two slides: one of plain text in a group, one of a list, a table and a number."""
    presentation = Presentation()
    slides, layouts = presentation.slides, presentation.slide_layouts
    first = slides.add_slide(layouts[TITLE_AND_CONTENT])
    first.shapes.title.text = "Soundings"
    group = first.shapes.add_group_shape()
    group.shapes.add_textbox(*BOX).text_frame.text = "In a group."
    second = slides.add_slide(layouts[TITLE_AND_CONTENT])
    second.shapes.title.text = "Marks"
    frame = second.placeholders[1].text_frame
    frame.text = "Two"
    item = frame.add_paragraph()
    item.text, item.level = "x", 1
    table = second.shapes.add_table(2, 2, *BOX).table
    for cell in table.iter_cells():
        cell.text = "a"
    return presentation


def text_of(data: bytes) -> str:
    return PptxReader().read(data, "deck.pptx").text


@pytest.mark.contract("E2", "D1")
def test_slides_come_in_order_with_title_text_list_and_table() -> None:
    page = PptxReader().read(saved(deck()), "deck.pptx")
    assert page.text == (
        "## Soundings\n\nIn a group.\n\n## Marks\n\nTwo\n  - x\n\n"
        "| a | a |\n| --- | --- |\n| a | a |"
    )
    assert (page.title, page.author, page.date) == ("The title", "Ann Lee", "2024-05-06")


@pytest.mark.parametrize(
    "kind", [XL_CHART_TYPE.COLUMN_CLUSTERED, XL_CHART_TYPE.PIE, XL_CHART_TYPE.THREE_D_COLUMN]
)
def test_charts_become_tables_and_notes_follow_the_slide(kind: XL_CHART_TYPE) -> None:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["Mon", "Tue"]
    data.add_series("Depth", (5, 7))
    is_flat = kind is not XL_CHART_TYPE.THREE_D_COLUMN
    slide.shapes.add_chart(kind if is_flat else XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
    slide.notes_slide.notes_text_frame.text = "Say this aloud."
    parts = unpacked(saved(presentation))
    if not is_flat:  # python-pptx writes none, and reads none either
        name = next(name for name in parts if name.startswith("ppt/charts/chart"))
        parts[name] = parts[name].replace(b"c:barChart", b"c:bar3DChart")
    text = text_of(packed(parts))
    assert "|  | Depth |\n| --- | --- |\n| Mon | 5 |\n| Tue | 7 |" in text
    assert text.endswith("Say this aloud.")


def test_a_file_in_the_strict_format_is_read() -> None:
    assert "In a group." in text_of(as_strict(saved(deck())))


@pytest.mark.contract("E2")
def test_a_deck_without_slides_or_text_is_lost() -> None:
    presentation = Presentation()
    with pytest.raises(SourceLost, match="no slides"):
        text_of(saved(presentation))
    presentation.slides.add_slide(presentation.slide_layouts[BLANK])
    with pytest.raises(SourceLost, match="no text"):
        text_of(saved(presentation))


@pytest.mark.contract("E4")
def test_a_relationship_cannot_lead_out_of_the_file() -> None:
    parts = unpacked(saved(deck()))
    name = "ppt/_rels/presentation.xml.rels"
    parts[name] = parts[name].replace(b"slides/slide1.xml", b"../../../../etc/passwd")
    with pytest.raises(SourceLost, match="broken"):
        text_of(packed(parts))


@pytest.mark.contract("E4")
@given(
    st.sampled_from(["ppt/presentation.xml", "ppt/slides/slide1.xml", "ppt/slides/slide2.xml",
                     "ppt/_rels/presentation.xml.rels", "ppt/slides/_rels/slide1.xml.rels"]),
    st.integers(0, 5_000), st.integers(0, 60), st.text("<>/\"=a:lvl19-x ", max_size=12),
)  # fmt: skip
def test_a_damaged_part_costs_the_file_and_nothing_else(
    part: str, at: int, length: int, put: str
) -> None:
    parts = dict(DECK)
    at %= len(parts[part])
    parts[part] = parts[part][:at] + put.encode() + parts[part][at + length :]
    with suppress(SourceLost):
        assert text_of(packed(parts))


DECK = unpacked(saved(deck()))
