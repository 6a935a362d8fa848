"""Word documents to Markdown, by python-docx: headings, lists, tables, text boxes, formulas and
notes as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from leadline.errors import SourceLost
from leadline.read.markdown import table_rows
from leadline.read.office import broken_is_lost, checked, day
from leadline.read.text import file_title
from leadline.types import Page

if TYPE_CHECKING:
    from docx.document import Document

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:-|\d+\.) ")
_WRAPPERS = frozenset({"sdt", "sdtContent", "ins", "customXml", "smartTag", "moveTo"})
_NO_TEXT_NAMES = "del moveFrom instrText fldData pPr rPr delText txbxContent Fallback sectPr"
_NO_TEXT = frozenset(_NO_TEXT_NAMES.split())
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_MOST_BASES = 10  # of a style on a style
_SPACE = re.compile(r"[ \t\u00a0]+")


class DocxReader:
    suffixes: tuple[str, ...] = (".docx", ".docm", ".dotx")

    def read(self, data: bytes, name: str) -> Page:
        import docx
        from docx.exceptions import PythonDocxError
        from docx.opc.exceptions import OpcError
        from docx.oxml.exceptions import XmlchemyError

        file = checked(data, name)
        with broken_is_lost(name, PythonDocxError, OpcError, XmlchemyError):
            document = docx.Document(file)
            blocks = [*_Writer(document).blocks(document.element.body), *_notes(document)]
            about = document.core_properties
            title, author, date = about.title, about.author, day(about.created)
        text = _together(blocks)
        if not text.strip():
            raise SourceLost(f"{name} holds no text")
        heading = text.partition("\n")[0].lstrip("# ") if text.startswith("#") else ""
        return Page(name, title or heading or file_title(name), text, "document", author, date)


def _together(blocks: list[str]) -> str:
    """Blocks with a blank line between them; the items of a list stand together."""
    text = before = ""
    for block in blocks:
        listed = _ITEM.match(block) and _ITEM.match(before)
        text += block if not text else ("\n" if listed else "\n\n") + block
        before = block
    return text


class _Writer:
    """Turns paragraphs and tables into Markdown, counting the items of numbered lists."""

    def __init__(self, document: Document) -> None:
        self._styles = {style.style_id: style for style in document.styles}
        self._levels: dict[str, int] = {}  # of a style, as a heading; 0 is none
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._formats = _list_formats(document)

    def blocks(self, parent: Any) -> Iterator[str]:
        for element in parent:
            kind = _name(element)
            if kind == "p":
                yield from self._paragraph(element)
            elif kind == "tbl":
                yield from self._table(element)
            elif kind in _WRAPPERS:
                yield from self.blocks(element)

    def _paragraph(self, element: Any) -> Iterator[str]:
        lines = (_SPACE.sub(" ", line).strip() for line in "".join(_runs(element)).split("\n"))
        text = "\n".join(line for line in lines if line)
        if text:
            level = self._level(element)
            mark = "#" * min(level, 6) + " " if level else self._item_mark(element)
            yield mark + text
        for box in _boxes(element):
            yield from self.blocks(box)

    def _level(self, element: Any) -> int:
        if level := _outline_level(element):
            return level
        key = element.style or ""
        if key not in self._levels:
            self._levels[key] = _style_level(self._styles.get(key))
        return self._levels[key]

    def _item_mark(self, element: Any) -> str:
        place = element.find("{*}pPr/{*}numPr")
        if place is None and element.style in self._styles:
            place = self._styles[element.style].element.find("{*}pPr/{*}numPr")
        if place is None:
            return ""
        key, depth = _value(place, "{*}numId"), _value(place, "{*}ilvl") or "0"
        if key in ("", "0"):
            return ""
        indent = "  " * (min(int(depth), 8) if depth.isdigit() else 0)
        if self._formats.get((key, depth), "bullet") in ("bullet", "none"):
            return f"{indent}- "
        self._numbers[key, depth] += 1
        return f"{indent}{self._numbers[key, depth]}. "

    def _table(self, element: Any) -> Iterator[str]:
        rows = [
            [" ".join(self.blocks(cell)) for cell in _inside(row, "tc")]
            for row in _inside(element, "tr")
        ]
        rows = [row for row in rows if any(row)]
        if len(rows) == 1 and len(rows[0]) == 1:
            yield rows[0][0]  # a frame round a text, not a table
        elif rows:
            yield table_rows(rows)


def _value(element: Any, path: str, name: str = "val") -> str:
    """The attribute of the first element down a path; empty when there is none."""
    found = element.find(path)
    return "" if found is None else found.get(_W + name) or ""


def _outline_level(element: Any) -> int:
    level = _value(element, "{*}pPr/{*}outlineLvl")
    return int(level) + 1 if level.isdigit() and int(level) < 9 else 0


def _style_level(style: Any) -> int:
    """The heading level that a style, or one that it is based on, says."""
    for _ in range(_MOST_BASES):
        if style is None:
            break
        name = style.name or ""
        if heading := _HEADING.match(name):
            return int(heading[1])
        if name.lower() == "title":
            return 1
        if level := _outline_level(style.element):
            return level
        style = getattr(style, "base_style", None)
    return 0


def _list_formats(document: Document) -> dict[tuple[str, str], str]:
    """For each list and depth, how its items are marked."""
    formats: dict[tuple[str, str], str] = {}
    for numbering in _related(document, "/numbering"):
        kinds = {
            kind.get(f"{_W}abstractNumId"): {
                level.get(f"{_W}ilvl"): _value(level, "{*}numFmt")
                for level in kind.findall("{*}lvl")
            }
            for kind in numbering.findall("{*}abstractNum")
        }
        for number in numbering.findall("{*}num"):
            levels = kinds.get(_value(number, "{*}abstractNumId"), {})
            key = number.get(f"{_W}numId")
            formats |= {(key, depth): kind for depth, kind in levels.items()}
    return formats


def _notes(document: Document) -> Iterator[str]:
    """Footnotes and endnotes, after the text."""
    for ending in ("/footnotes", "/endnotes"):
        for notes in _related(document, ending):
            for note in notes:
                if "eparator" in (note.get(f"{_W}type") or ""):
                    continue
                words = " ".join("".join(_runs(line)) for line in note.iter(f"{_W}p")).split()
                if words:
                    yield " ".join(words)


def _related(document: Document, ending: str) -> Iterator[Any]:
    """The roots of the parts that the document refers to by such a relationship."""
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype.endswith(ending) and not relation.is_external:
            yield parse_xml(relation.target_part.blob)


def _inside(parent: Any, name: str) -> Iterator[Any]:
    """Children of that name, also those wrapped in a control."""
    for element in parent:
        if _name(element) == name:
            yield element
        elif _name(element) in _WRAPPERS:
            yield from _inside(element, name)


def _runs(parent: Any) -> Iterator[str]:
    """The text of a paragraph in reading order, without what was deleted and without its boxes."""
    for element in parent:
        kind = _name(element)
        if kind in ("t", "m"):
            yield element.text or ""
        elif kind in _MARKS:
            yield _MARKS[kind]
        elif kind in ("oMath", "oMathPara"):
            yield " " + "".join(part.text or "" for part in element.iter() if _name(part) == "t")
            yield " "
        elif kind not in _NO_TEXT:
            yield from _runs(element)


def _boxes(parent: Any) -> Iterator[Any]:
    """The text boxes anchored in a paragraph, each once although files hold two versions."""
    for element in parent:
        if _name(element) == "txbxContent":
            yield element
        elif _name(element) != "Fallback":
            yield from _boxes(element)


def _name(element: Any) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
