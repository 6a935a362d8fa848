"""The blocks of the answer in WordprocessingML: headings, lists, tables, quotations, code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leadline.render.direction import right_to_left
from leadline.render.docx.runs import Links, Look, Notes, inline, run

if TYPE_CHECKING:
    from markdown_it.token import Token

BULLETS = 1  # the list every bulleted item belongs to; numbered lists follow it
_WIDTH = 9000  # twentieths of a point between the margins
_DEEPEST = 8


@dataclass(slots=True)
class Writing:
    """What is gathered while the blocks are written."""

    links: Links = field(default_factory=Links)
    notes: Notes = field(default_factory=Notes)
    starts: list[int] = field(default_factory=list)  # first number of each numbered list


def paragraph(content: str, text: str, style: str = "", number: str = "", place: str = "") -> str:
    """A paragraph of finished runs; `text` tells which way it runs.

    Word wants the properties in one order: style, number, direction, indent and side.
    """
    parts = f'<w:pStyle w:val="{style}"/>' if style else ""
    parts += number + ("<w:bidi/>" if right_to_left(text) else "") + place
    return f"<w:p>{f'<w:pPr>{parts}</w:pPr>' if parts else ''}{content}</w:p>"


def blocks(tokens: Sequence[Token], writing: Writing) -> str:
    """All blocks of the answer."""
    return "".join(_Blocks(writing).written(tokens))


class _Blocks:
    """Walks the tokens; keeps the lists it stands in and whether an item has begun."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._lists: list[int] = []
        self._fresh = False  # the next paragraph is the first of its item
        self._quoted = 0
        self._heading = 0
        self._rows: list[list[tuple[Token, str]]] = []

    def written(self, tokens: Sequence[Token]) -> list[str]:
        out: list[str] = []
        cell: Token | None = None
        for token in tokens:
            kind = token.type
            if kind in ("td_open", "th_open"):
                cell = token
            elif kind == "inline" and cell is not None:
                self._rows[-1].append((cell, self._cell(token, cell)))
                cell = None
            elif kind == "inline":
                out.append(self._text(token))
            elif kind in ("fence", "code_block"):
                out.append(paragraph(run(token.content.rstrip("\n")), "", "Code"))
            elif kind == "hr":
                out.append(paragraph("", "", "Rule"))
            elif kind == "table_close":
                out.append(_table(self._rows))
            else:
                self._enter(token)
        return out

    def _enter(self, token: Token) -> None:
        kind = token.type
        if kind == "heading_open":
            self._heading = int(token.tag[1])
        elif kind == "heading_close":
            self._heading = 0
        elif kind == "bullet_list_open":
            self._lists.append(BULLETS)
        elif kind == "ordered_list_open":
            self._writing.starts.append(int(token.attrs.get("start", 1)))
            self._lists.append(BULLETS + len(self._writing.starts))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif kind == "list_item_open":
            self._fresh = True
        elif kind in ("blockquote_open", "blockquote_close"):
            self._quoted += token.nesting
        elif kind == "table_open":
            self._rows = []
        elif kind == "tr_open":
            self._rows.append([])

    def _runs(self, token: Token, look: Look | None = None) -> str:
        return inline(token.children or (), self._writing.links, self._writing.notes, look)

    def _text(self, token: Token) -> str:
        style = f"Heading{self._heading}" if self._heading else "Quote" if self._quoted else ""
        number = place = ""
        if self._lists and not self._heading:
            level = min(len(self._lists) - 1, _DEEPEST)
            if self._fresh:
                style = style or "ListParagraph"
                number = (
                    f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{self._lists[-1]}"/>'
                    "</w:numPr>"
                )
            else:
                place = f'<w:ind w:left="{(level + 1) * 420}"/>'
            self._fresh = False
        return paragraph(self._runs(token), token.content, style, number, place)

    def _cell(self, token: Token, cell: Token) -> str:
        side = str(cell.attrs.get("style", "")).partition("text-align:")[2]
        place = f'<w:jc w:val="{side}"/>' if side in ("right", "center") else ""
        content = self._runs(token, Look(bold=cell.type == "th_open"))
        return paragraph(content, token.content, "Cell", place=place)


def _table(rows: Sequence[Sequence[tuple[Token, str]]]) -> str:
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        return ""
    width = _WIDTH // columns
    grid = f'<w:gridCol w:w="{width}"/>' * columns
    out = [
        '<w:tbl><w:tblPr><w:tblStyle w:val="Report"/><w:tblW w:w="0" w:type="auto"/>'
        f'<w:tblLook w:firstRow="1"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>'
    ]
    for row in rows:
        head = bool(row) and row[0][0].type == "th_open"
        cells = [content for _, content in row] + ["<w:p/>"] * (columns - len(row))
        inside = "".join(
            f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>{cell}</w:tc>'
            for cell in cells
        )
        mark = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>" if head else ""
        out.append(f"<w:tr>{mark}{inside}</w:tr>")
    return "".join(out) + "</w:tbl>" + paragraph("", "", "Cell")
