"""Presentations to Markdown: a heading a slide, its text, tables and charts, then its notes."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.errors import SourceLost
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

_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr"})


class PptxReader:
    suffixes: tuple[str, ...] = (".pptx", ".pptm", ".ppsx")

    def read(self, data: bytes, name: str) -> Page:
        archive = Archive(data, name)
        slides = list(_slides(archive))
        if not slides:
            raise SourceLost(f"{name} is broken: it has no slides inside")
        parts = [part for slide in slides for part in _slide(archive, slide)]
        text = "\n\n".join(parts)
        if not text.strip():
            raise SourceLost(f"{name} holds no text")
        title, author, date = core_properties(archive)
        first = next((part.lstrip("# ") for part in parts if part.startswith("#")), "")
        return Page(name, title or first or file_title(name), text, "document", author, date)


def _slides(archive: Archive) -> Iterator[str]:
    """The parts of the slides in their order of showing."""
    root = archive.xml("ppt/presentation.xml")
    related = archive.related("ppt/presentation.xml")
    for one in () if root is None else below(root, "sldId"):
        key = next((value for name, value in one.attrib.items() if name.endswith("}id")), "")
        part = related.get(key, "")
        if part in archive:
            yield part


def _slide(archive: Archive, part: str) -> Iterator[str]:
    root = archive.xml(part)
    tree = None if root is None else child(root, "cSld", "spTree")
    if tree is None:
        return
    related = archive.related(part)
    yield from _shapes(archive, tree, related)
    for target in related.values():
        if "notesSlide" in target:
            notes = archive.xml(target)
            shapes = None if notes is None else child(notes, "cSld", "spTree")
            if shapes is not None:
                yield from _shapes(archive, shapes, {})


def _shapes(archive: Archive, tree: Element, related: dict[str, str]) -> Iterator[str]:
    for one in tree:
        kind = local(one)
        if kind == "sp":
            yield from _shape(one)
        elif kind in ("grpSp", "AlternateContent", "Choice"):
            yield from _shapes(archive, one, related)
        elif kind == "graphicFrame":
            yield from _frame(archive, one, related)


def _shape(shape: Element) -> Iterator[str]:
    place = next(below(shape, "ph"), None)
    kind = "" if place is None else attribute(place, "type")
    body = child(shape, "txBody")
    if body is None or kind in _FURNITURE:
        return
    if kind in _TITLES:
        text = " ".join(" ".join(_text(line).split()) for line in below(body, "p")).strip()
        if text:
            yield f"## {text}"
        return
    lines = [line for one in body if local(one) == "p" and (line := _line(one))]
    if lines:
        yield "\n".join(lines) if any(_listed(line) for line in lines) else "\n\n".join(lines)


def _listed(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _line(paragraph: Element) -> str:
    text = " ".join(_text(paragraph).split())
    about = child(paragraph, "pPr")
    depth = attribute(about, "lvl") if about is not None else ""
    bullet = about is not None and any(local(one).startswith("bu") for one in about)
    plain = about is None or child(about, "buNone") is not None
    if not text or plain or not (bullet or depth.isdigit()):
        return text
    return "  " * (int(depth) if depth.isdigit() else 0) + "- " + text


def _text(element: Element) -> str:
    out = []
    for one in element.iter():
        if local(one) == "t":
            out.append(one.text or "")
        elif local(one) in ("br", "tab"):
            out.append(" ")
    return "".join(out)


def _frame(archive: Archive, frame: Element, related: dict[str, str]) -> Iterator[str]:
    for table in below(frame, "tbl"):
        rows = [
            [" ".join(_text(cell).split()) for cell in row if local(cell) == "tc"]
            for row in table
            if local(row) == "tr"
        ]
        if any(any(row) for row in rows):
            yield as_table(rows)
    for chart in below(frame, "chart"):
        key = next((value for name, value in chart.attrib.items() if name.endswith("}id")), "")
        root = archive.xml(related.get(key, ""))
        if root is not None:
            yield from _chart(root)


def _chart(root: Element) -> Iterator[str]:
    """A chart as a table: a row a category, a column a series."""
    series = list(below(root, "ser"))
    if not series:
        return
    names = [_cached(child(one, "tx")) for one in series]
    labels = _cached(child(series[0], "cat")) or _cached(child(series[0], "xVal"))
    values = [_cached(child(one, "val")) or _cached(child(one, "yVal")) for one in series]
    rows = [["", *(name[0] if name else "" for name in names)]]
    for at in range(max(map(len, values), default=0)):
        label = labels[at] if at < len(labels) else ""
        rows.append([label, *(column[at] if at < len(column) else "" for column in values)])
    yield as_table(rows)


def _cached(element: Element | None) -> list[str]:
    return [] if element is None else [one.text or "" for one in below(element, "v")]
