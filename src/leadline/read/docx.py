"""Word documents to Markdown, by python-docx: headings, lists, tables, text boxes, formulas and
notes as text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from leadline.read.markdown import table_rows
from leadline.read.office import broken_is_lost, checked, local_name, office_page
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
            text = _together(blocks)
            heading = text.partition("\n")[0].lstrip("# ") if text.startswith("#") else ""
            return office_page(name, text, document.core_properties, heading)


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
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._formats = _list_formats(document)

    def blocks(self, parent: Any) -> Iterator[str]:
        for element in parent:
            kind = local_name(element)
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
            style = self._styles.get(element.style or "")
            level = _heading_level(style)
            yield ("#" * level + " " if level else self._item_mark(element, style)) + text
        for box in _boxes(element):
            yield from self.blocks(box)

    def _item_mark(self, element: Any, style: Any) -> str:
        places = [element, *([style.element] if style is not None else [])]
        lists = (place.find("{*}pPr/{*}numPr") for place in places)
        place = next((one for one in lists if one is not None), None)
        key, depth = _value(place, "numId") or "0", _value(place, "ilvl") or "0"
        if key == "0":
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


def _value(element: Any, name: str) -> str:
    """The value of a child of that name; empty when there is none."""
    child = None if element is None else element.find(f"{{*}}{name}")
    return "" if child is None else child.get(f"{_W}val") or ""


def _list_formats(document: Document) -> dict[tuple[str, str], str]:
    """For each list and depth, how its items are marked."""
    formats: dict[tuple[str, str], str] = {}
    for numbering in _related(document, "/numbering"):
        kinds = {
            kind.get(f"{_W}abstractNumId"): kind for kind in numbering.findall("{*}abstractNum")
        }
        for number in numbering.findall("{*}num"):
            for level in kinds.get(_value(number, "abstractNumId"), ()):
                key = number.get(f"{_W}numId"), level.get(f"{_W}ilvl")
                formats[key] = _value(level, "numFmt")
    return formats


def _heading_level(style: Any) -> int:
    """The heading level that a style, or one that it is based on, says; 0 is none."""
    for _ in range(_MOST_BASES):
        name = getattr(style, "name", None) or ""
        if heading := _HEADING.match(name):
            return min(int(heading[1]), 6)
        if name.lower() == "title":
            return 1
        style = getattr(style, "base_style", None)
    return 0


def _notes(document: Document) -> Iterator[str]:
    """Footnotes and endnotes, after the text."""
    for notes in _related(document, "/footnotes", "/endnotes"):
        for note in notes:
            text = " ".join("".join(_runs(line)) for line in note.iter(f"{_W}p"))
            if text.strip() and "eparator" not in (note.get(f"{_W}type") or ""):
                yield " ".join(text.split())


def _related(document: Document, *endings: str) -> Iterator[Any]:
    """The roots of the parts that the document refers to by such relationships."""
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype.endswith(endings) and not relation.is_external:
            yield parse_xml(relation.target_part.blob)


def _inside(parent: Any, name: str) -> Iterator[Any]:
    """Children of that name, also those wrapped in a control."""
    for element in parent:
        if local_name(element) == name:
            yield element
        elif local_name(element) in _WRAPPERS:
            yield from _inside(element, name)


def _runs(parent: Any) -> Iterator[str]:
    """The text of a paragraph in reading order, without what was deleted and without its boxes."""
    for element in parent:
        kind = local_name(element)
        if kind in ("t", "m"):
            yield element.text or ""
        elif kind in _MARKS:
            yield _MARKS[kind]
        elif kind in ("oMath", "oMathPara"):
            yield f" {''.join(part.text or '' for part in element.iter('{*}t'))} "
        elif kind not in _NO_TEXT:
            yield from _runs(element)


def _boxes(parent: Any) -> Iterator[Any]:
    """The text boxes anchored in a paragraph, each once although files hold two versions."""
    for element in parent:
        if local_name(element) == "txbxContent":
            yield element
        elif local_name(element) != "Fallback":
            yield from _boxes(element)
