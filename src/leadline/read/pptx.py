"""Presentations to Markdown, by python-pptx: a heading a slide, its text, tables and charts, then
its notes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from leadline.errors import SourceLost
from leadline.read.markdown import table_rows
from leadline.read.office import broken_is_lost, checked, local_name, office_page
from leadline.types import Page

_TITLES = frozenset({"TITLE", "CENTER_TITLE", "VERTICAL_TITLE"})
_FURNITURE = frozenset({"DATE", "FOOTER", "SLIDE_NUMBER", "HEADER", "SLIDE_IMAGE"})


class PptxReader:
    suffixes: tuple[str, ...] = (".pptx", ".pptm", ".ppsx")

    def read(self, data: bytes, name: str) -> Page:
        from pptx import Presentation
        from pptx.exc import PythonPptxError

        file = checked(data, name)
        with broken_is_lost(name, PythonPptxError):
            presentation = Presentation(file)
            if not presentation.slides:
                raise SourceLost(f"{name} is broken: it has no slides inside")
            blocks = [block for slide in presentation.slides for block in _slide(slide)]
            heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
            return office_page(name, "\n\n".join(blocks), presentation.core_properties, heading)


def _slide(slide: Any) -> Iterator[str]:
    yield from _shapes(slide.shapes)
    if slide.has_notes_slide:
        yield from _shapes(slide.notes_slide.shapes)


def _shapes(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        elif shape.has_text_frame:
            yield from _text(shape)
        elif getattr(shape, "has_table", False):
            rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
            if any(any(row) for row in rows):
                yield table_rows(rows)
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape.chart)


def _text(shape: Any) -> Iterator[str]:
    kind = shape.placeholder_format.type.name if shape.is_placeholder else ""
    if kind in _FURNITURE:
        return
    if kind in _TITLES:
        if title := " ".join(shape.text_frame.text.split()):
            yield f"## {title}"
        return
    lines = [line for paragraph in shape.text_frame.paragraphs if (line := _line(paragraph))]
    is_list = any(line.lstrip().startswith("- ") for line in lines)
    if lines:
        yield ("\n" if is_list else "\n\n").join(lines)


def _line(paragraph: Any) -> str:
    """A paragraph; one with a bullet or a level of its own is an item."""
    text = " ".join(paragraph.text.split())
    about = paragraph._p.pPr
    marks = {local_name(element) for element in about} if about is not None else set()
    bullet = paragraph.level or any(mark.startswith("bu") for mark in marks)
    is_item = text and bullet and "buNone" not in marks
    return "  " * paragraph.level + "- " + text if is_item else text


def _chart(chart: Any) -> Iterator[str]:
    """A chart as a table: a row a category, a column a series. Also of kinds the library lacks."""
    series = list(chart._chartSpace.iter("{*}ser"))
    names = [next(iter(_cached(line, "tx")), "") for line in series]
    labels = _cached(series[0], "cat", "xVal") if series else []
    columns = [_cached(line, "val", "yVal") for line in series]
    rows = zip_longest(labels, *columns, fillvalue="")
    if any(columns):
        yield table_rows([["", *names], *map(list, rows)])


def _cached(series: Any, *names: str) -> list[str]:
    """The values that a chart was last shown with."""
    part = next((part for part in series if local_name(part) in names), None)
    return [] if part is None else [value.text or "" for value in part.iter("{*}v")]
