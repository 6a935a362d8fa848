"""Word documents to Markdown: headings, lists, tables, text boxes, formulas and notes as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

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

_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)
_SKIPPED = frozenset({"del", "moveFrom", "instrText", "fldData", "pPr", "rPr", "delText"})


class DocxReader:
    suffixes: tuple[str, ...] = (".docx", ".docm", ".dotx")

    def read(self, data: bytes, name: str) -> Page:
        archive = Archive(data, name)
        document = archive.xml("word/document.xml")
        body = None if document is None else child(document, "body")
        if body is None:
            raise SourceLost(f"{name} is broken: it has no document inside")
        parts = list(_Writing(_Styles.of(archive)).blocks(body))
        parts += list(_notes(archive))
        text = _together(parts)
        if not text.strip():
            raise SourceLost(f"{name} holds no text")
        title, author, date = core_properties(archive)
        return Page(name, title or _first_heading(text) or file_title(name), text, "document",
                    author, date)  # fmt: skip


def _together(parts: list[str]) -> str:
    """Blocks with a blank line between them; the items of a list stand together."""
    out = ""
    before = ""
    for part in parts:
        listed = bool(_ITEM.match(part)) and bool(_ITEM.match(before))
        out += part if not out else ("\n" if listed else "\n\n") + part
        before = part
    return out


_ITEM = re.compile(r"\s*(?:-|\d+\.) ")


def _first_heading(text: str) -> str:
    found = re.match(r"#+ (.+)", text)
    return found.group(1).strip() if found else ""


@frozen
class _Styles:
    """What the styles and the numbering say: which are headings, which lists have numbers."""

    levels: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[str, str]] = field(default_factory=dict)  # style to list and depth
    formats: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, archive: Archive) -> _Styles:
        levels: dict[str, int] = {}
        lists: dict[str, tuple[str, str]] = {}
        root = archive.xml("word/styles.xml")
        for style in () if root is None else below(root, "style"):
            key = attribute(style, "styleId")
            named = _val(child(style, "name"))
            based = _val(child(style, "basedOn"))
            outline = _val(child(style, "pPr", "outlineLvl"))
            found = _HEADING.match(named)
            if found:
                levels[key] = int(found.group(1))
            elif named.lower() == "title":
                levels[key] = 1
            elif outline.isdigit() and int(outline) < 9:
                levels[key] = int(outline) + 1
            elif based in levels:
                levels[key] = levels[based]
            number = child(style, "pPr", "numPr")
            if number is not None and key not in levels:
                depth = _val(child(number, "ilvl")) or "0"
                lists[key] = (_val(child(number, "numId")), depth)
        return cls(levels, lists, _formats(archive))


def _val(element: Element | None) -> str:
    return "" if element is None else attribute(element, "val")


def _formats(archive: Archive) -> dict[tuple[str, str], str]:
    """For each list and depth, how its items are marked."""
    root = archive.xml("word/numbering.xml")
    if root is None:
        return {}
    abstract = {
        attribute(one, "abstractNumId"): {
            attribute(level, "ilvl"): _val(child(level, "numFmt"))
            for level in one
            if local(level) == "lvl"
        }
        for one in root
        if local(one) == "abstractNum"
    }
    found: dict[tuple[str, str], str] = {}
    for one in root:
        if local(one) == "num":
            levels = abstract.get(_val(child(one, "abstractNumId")), {})
            for depth, kind in levels.items():
                found[attribute(one, "numId"), depth] = kind
    return found


class _Writing:
    """Turns paragraphs and tables into Markdown, counting the items of numbered lists."""

    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._counts: dict[tuple[str, str], int] = {}

    def blocks(self, parent: Element) -> Iterator[str]:
        for one in parent:
            kind = local(one)
            if kind == "p":
                yield from self._paragraph(one)
            elif kind == "tbl":
                yield from self._table(one)
            elif kind in ("sdt", "sdtContent", "ins", "customXml", "smartTag", "moveTo"):
                yield from self.blocks(one)

    def _paragraph(self, element: Element) -> Iterator[str]:
        text = _clean("".join(_runs(element)))
        style = _val(child(element, "pPr", "pStyle"))
        level = self._styles.levels.get(style, 0)
        own = _val(child(element, "pPr", "outlineLvl"))
        if not level and own.isdigit() and int(own) < 9:
            level = int(own) + 1
        if text:
            mark = "" if level else self._mark(element, style)
            yield "#" * min(level, 6) + " " + text if level else mark + text
        for box in _boxes(element):
            yield from self.blocks(box)

    def _mark(self, element: Element, style: str) -> str:
        number = child(element, "pPr", "numPr")
        if number is None and style not in self._styles.lists:
            return ""
        key, depth = self._styles.lists.get(style, ("", "0"))
        if number is not None:
            key = _val(child(number, "numId")) or key
            depth = _val(child(number, "ilvl")) or depth
        if key in ("", "0"):
            return ""
        indent = "  " * (int(depth) if depth.isdigit() else 0)
        if self._styles.formats.get((key, depth), "bullet") in ("bullet", "none"):
            return f"{indent}- "
        self._counts[key, depth] = self._counts.get((key, depth), 0) + 1
        return f"{indent}{self._counts[key, depth]}. "

    def _table(self, element: Element) -> Iterator[str]:
        rows = []
        for row in _rows(element):
            cells = list(_inside(row, "tc"))
            texts = [" ".join(self._cell(cell)) for cell in cells]
            if any(texts):
                rows.append(texts)
        if len(rows) == 1 and len(rows[0]) == 1:
            yield rows[0][0]  # a frame round a text, not a table
        elif rows:
            yield as_table(rows)

    def _cell(self, cell: Element) -> Iterator[str]:
        for block in self.blocks(cell):
            yield " ".join(block.split()).replace("|", "\\|")


def _rows(table: Element) -> Iterator[Element]:
    return _inside(table, "tr")


def _inside(parent: Element, name: str) -> Iterator[Element]:
    """Children of that name, also those wrapped in a control."""
    for one in parent:
        if local(one) == name:
            yield one
        elif local(one) in ("sdt", "sdtContent", "ins", "customXml"):
            yield from _inside(one, name)


def _runs(element: Element) -> Iterator[str]:
    """The text of a paragraph in reading order, without what was deleted and without its boxes."""
    for one in element:
        kind = local(one)
        if kind in ("t", "m"):
            yield one.text or ""
        elif kind == "tab":
            yield "\t"
        elif kind in ("br", "cr"):
            yield "\n"
        elif kind == "noBreakHyphen":
            yield "-"
        elif kind == "sym":
            yield _symbol(attribute(one, "char"))
        elif kind in ("oMath", "oMathPara"):
            yield " " + "".join(part.text or "" for part in below(one, "t")) + " "
        elif kind == "AlternateContent":
            chosen = child(one, "Choice")
            yield from _runs(one if chosen is None else chosen)
        elif kind not in _SKIPPED and kind not in ("txbxContent", "Fallback"):
            yield from _runs(one)


def _symbol(code: str) -> str:
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    return "" if 0xE000 <= value <= 0xF8FF or not 32 <= value < 0x110000 else chr(value)


def _boxes(element: Element) -> Iterator[Element]:
    """The text boxes anchored in a paragraph, each once although files hold two versions."""
    for one in element:
        if local(one) == "txbxContent":
            yield one
        elif local(one) == "AlternateContent":
            chosen = child(one, "Choice")
            yield from _boxes(one if chosen is None else chosen)
        elif local(one) != "Fallback":
            yield from _boxes(one)


def _notes(archive: Archive) -> Iterator[str]:
    """Footnotes and endnotes, after the text."""
    for part in ("word/footnotes.xml", "word/endnotes.xml"):
        root = archive.xml(part)
        for note in () if root is None else root:
            if attribute(note, "type") in ("separator", "continuationSeparator"):
                continue
            text = " ".join(_clean("".join(_runs(one))) for one in below(note, "p")).strip()
            if text:
                yield text


def _clean(text: str) -> str:
    lines = (re.sub(r"[ \t\u00a0]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
