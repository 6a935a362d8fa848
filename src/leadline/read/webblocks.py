"""A web page as a flat list of text blocks, each knowing where in the tree it stood.

The tree is walked, not recursed, so that nesting of any depth is safe. Judging which blocks are the
article is left to `mainpart.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from unicodedata import normalize

from leadline.read.class_names import Names, is_body, is_hidden, named
from leadline.read.formulas import FORMULA, needed_tex
from leadline.read.hidden_text import Folded

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BlockKind = Literal["text", "heading", "item", "code", "quote", "table", "caption"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SKIPPED = _set(
    """script style noscript template svg iframe object embed canvas button select input textarea
    dialog head option audio video map nav footer img source track annotation annotation-xml"""
)
_INLINE = _set(
    """a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark
    nobr output picture q rb rp rt ruby s samp small span strike strong sub sup time tt u var
    wbr italic bold xref ext-link uri named-content styled-content"""
)
_ROLES = _set(
    """navigation banner contentinfo complementary search dialog alertdialog alert menu menubar
    toolbar tablist"""
)
_OWN_TEXT = _set("p li dt dd pre blockquote h1 h2 h3 h4 h5 h6 body")
_HINTS = frozenset({"article", "main"})
_ACCESS = _set("paywall regwall barrier")  # of a paragraph they say who may read it
_LABELS = _set("data-component data-testid data-name aria-label")
_UNLINKED = _set("id name tabindex aria-expanded aria-controls")
_ASIDE = {"aside": 1, "form": 2}
_Attributes = dict[str, str | None]
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SPACE = re.compile(r"[ \t\r\n\f\v\u00a0\u200b\ufeff]+")
# Nothing is seen between two letters where this stands; as a space it would hide a word.
_JOINED = re.compile(r"(?<=[A-Za-z])\u200b+(?=[A-Za-z])|\u00ad")
_MAX_CELL = 300


@dataclass(slots=True)
class Frame:
    """An element around blocks."""

    parent: int
    tag: str
    sign: str  # tag and class, to tell repeated items
    names: Names = ()  # that call it something beside the article
    hint: bool = False
    bare: bool = False  # an aside that no name calls something else
    in_hint: bool = False
    in_article: bool = False


@dataclass(slots=True)
class Block:
    """A run of text between two block elements, with the element it stood in."""

    kind: BlockKind
    text: str
    frame: int
    linked: int = 0  # characters of it that are links
    level: int = 0  # of a heading; depth of a list item
    mark: str = ""  # of a list item
    tag: str = ""

    @property
    def link_share(self) -> float:
        return self.linked / len(self.text) if self.text else 0.0


@dataclass(slots=True)
class Outline:
    """All blocks of a page in reading order, and the elements around them."""

    blocks: list[Block] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)

    def opened_by(self) -> dict[int, Block]:
        """The first block of each element that has one."""
        found: dict[int, Block] = {}
        for block in self.blocks:
            around = block.frame
            while around >= 0 and around not in found:
                found[around] = block
                around = self.frames[around].parent
        return found


def outline(body: LexborNode) -> Outline:
    """The blocks of a page's body."""
    walk = _Walk(body)
    path: list[LexborNode] = []
    node = body.first_child
    while node is not None:
        step = walk.enter(node)
        inside = node.first_child if step == _INTO else None
        if inside is not None:
            path.append(node)
            node = inside
            continue
        if step != _PAST:
            walk.leave(node)
        while node.next is None and path:
            node = path.pop()
            walk.leave(node)
        node = node.next
    return walk.found()


_PAST, _OVER, _INTO = range(3)  # nothing of it is taken; it is taken whole; go into it


class _Walk:
    def __init__(self, body: LexborNode) -> None:
        self._folded = Folded(body)
        self._out = Outline()
        self._stack: list[int] = []
        self._buffer: list[str] = []
        self._linked = 0
        self._links: list[bool] = []
        self._in_pre = 0
        self._kind: BlockKind = "text"
        self._level = 0
        self._mark = ""
        self._figures = 0  # around this point: what is said in one is a caption or a card
        self._lists: list[int] = []  # number of the last item; -1 in a list without numbers
        self._push("body", body.attributes)  # also where it is hidden until a script has run

    def found(self) -> Outline:
        self._flush()
        return self._out

    # ── going down ──────────────────────────────────────────────────────────────────────────

    def enter(self, node: LexborNode) -> int:
        """Take `node` up, and say whether to go into it; `leave` is due unless it is passed."""
        tag = node.tag or ""
        if tag == "-text":
            self._say(node.text_content or "")
            return _PAST
        if tag == "br":
            self._break()
            return _PAST
        if tag in _SKIPPED or tag.startswith("-"):
            return _PAST
        attributes = node.attributes
        if is_hidden(attributes) and not self._folded.is_shown(node, attributes):
            return _PAST
        if tag in _INLINE or tag in FORMULA:
            return self._enter_inline(tag, node, attributes)
        self._flush()
        self._push(tag, attributes)
        return self._enter_block(tag, node)

    def _enter_inline(self, tag: str, node: LexborNode, attributes: _Attributes) -> int:
        if tag == "a":
            self._links.append(_leads_on(attributes))
        if tag in FORMULA:
            tex = needed_tex(node)
            self._say(tex or " ")
            return _PAST if tex else _INTO
        if tag == "code" and not self._in_pre:
            self._buffer.append("`")
        return _INTO

    def _enter_block(self, tag: str, node: LexborNode) -> int:
        if tag in _HEADINGS:
            self._kind, self._level = "heading", _HEADINGS[tag]
        elif tag == "pre":
            self._in_pre += 1
            self._kind = "code"
        elif tag in ("ul", "ol", "menu"):
            self._lists.append(0 if tag == "ol" else -1)
        elif tag in ("li", "dt"):
            self._start_item(tag)
        elif tag == "figure":
            self._figures += 1
        elif tag == "figcaption":
            self._kind = "caption"
        elif tag == "blockquote":
            self._kind = "quote"
        elif tag == "table" and _is_data(node):
            self._table(node)
            return _OVER
        return _INTO

    def _start_item(self, tag: str) -> None:
        self._kind, self._level = ("item", max(1, len(self._lists))) if tag == "li" else ("text", 0)
        self._mark = "-"
        if self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            self._mark = f"{self._lists[-1]}."

    def _push(self, tag: str, attributes: _Attributes) -> None:
        role = (attributes.get("role") or "").lower()
        classes, ident = attributes.get("class") or "", attributes.get("id") or ""
        said = attributes.keys() & _LABELS
        labels = tuple(attributes[label] or "" for label in sorted(said)) if said else ()
        names = called = named(classes, ident, labels) if classes or ident or labels else ()
        if role in _ROLES or tag in _ASIDE:
            names = (*called, (role or tag, 2 if role in _ROLES else _ASIDE[tag]))
        if tag in _OWN_TEXT:  # a paragraph called `promo` may still be one of the article
            names = tuple((name, 1) for name, _ in names if name not in _ACCESS)
        if tag in _HEADINGS:  # called `section-header`, `sticky-navbar`, or after their own words
            names = ()
        hint = tag in _HINTS or role in _HINTS or attributes.get("itemprop") == "articleBody"
        hint = hint or (bool(classes) and is_body(classes))
        parent = self._stack[-1] if self._stack else -1
        around = self._out.frames[parent] if self._stack else None
        self._stack.append(len(self._out.frames))
        sign, bare = f"{tag}.{attributes.get('class')}", tag == "aside" and not called
        frame = Frame(parent, tag, sign, names, hint, bare)
        frame.in_hint = hint or (around is not None and around.in_hint)
        frame.in_article = tag == "article" or (around is not None and around.in_article)
        self._out.frames.append(frame)

    # ── going up ────────────────────────────────────────────────────────────────────────────

    def leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "a" and self._links:
            self._links.pop()
        if tag == "code" and not self._in_pre and self._buffer:
            self._buffer.append("`")
        if tag in _INLINE or tag in FORMULA:
            return
        self._flush()
        self._stack.pop()
        if tag == "pre":
            self._in_pre -= 1
        elif tag == "figure":
            self._figures -= 1
        elif tag in ("ul", "ol", "menu"):
            self._lists.pop()
        self._kind, self._level = self._outer()

    def _outer(self) -> tuple[BlockKind, int]:
        """What text is that stands after an inner block: a list item may go on."""
        tag = self._out.frames[self._stack[-1]].tag if self._stack else ""
        if tag == "li":
            return "item", max(1, len(self._lists))
        return ("quote", 0) if tag == "blockquote" else ("text", 0)

    # ── text ────────────────────────────────────────────────────────────────────────────────

    def _say(self, text: str) -> None:
        self._buffer.append(text)
        if any(self._links):
            self._linked += len(_SPACE.sub(" ", text).strip())

    def _break(self) -> None:
        """One line break is a space in prose; two end a paragraph."""
        if self._in_pre:
            self._buffer.append("\n")
        elif self._buffer and self._buffer[-1] == "\n":
            kind, level = self._kind, self._level
            self._flush()
            self._kind, self._level = kind, level
        else:
            self._buffer.append("\n")

    def _flush(self) -> None:
        raw = "".join(self._buffer)
        if self._in_pre:
            text = raw.strip("\n")
        else:
            if not raw.isascii():
                raw = normalize("NFC", _JOINED.sub("", raw))
            text = _SPACE.sub(" ", raw).replace("``", "").strip()
        linked, self._buffer, self._linked = self._linked, [], 0
        if self._kind == "heading":
            text = text.rstrip("¶# ")  # the handle to link to it
        if text.strip() and self._stack:
            frame = self._stack[-1]
            tag = self._out.frames[frame].tag
            told = self._figures and self._kind in ("text", "heading")
            kind: BlockKind = "caption" if told else self._kind
            block = Block(kind, text, frame, linked, self._level, self._mark, tag)
            self._out.blocks.append(block)
            self._mark = "" if self._kind == "item" else self._mark

    # ── tables ──────────────────────────────────────────────────────────────────────────────

    def _table(self, node: LexborNode) -> None:
        """A table of data as one block of Markdown."""
        rows = []
        for row in node.css("tr"):
            cells = [_cell(cell) for cell in row.iter() if cell.tag in ("td", "th")]
            if any(cells):
                rows.append(cells)
        if not rows:
            return
        linked = sum(len(_cell(link)) for link in node.css("a"))
        block = Block("table", as_table(rows), self._stack[-1], linked, tag="table")
        self._out.blocks.append(block)


def _leads_on(attributes: _Attributes) -> bool:
    """Whether an `a` is a link to another page, or may be one by a script."""
    to = attributes.get("href")
    if not to:  # without one it is a mark to come to, or opens the answer to a question
        return not attributes.keys() & _UNLINKED and attributes.get("role") != "button"
    # A link within the page, such as a footnote's, leads to more of the same text.
    return not (to.startswith("#") and len(to) > 1)


def as_table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table, the first as its head."""
    width = max(len(row) for row in rows)
    filled = [row + [""] * (width - len(row)) for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in filled]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(node: LexborNode) -> str:
    return _SPACE.sub(" ", node.text(separator=" ")).strip().replace("|", "\\|")


def _is_data(table: LexborNode) -> bool:
    """Whether a table holds data; one that lays out a page holds tables, or much text in a cell."""
    if table.css_first("table table, h1, h2, ul ul, form, article, section") is not None:
        return False
    rows = table.css("tr")
    cells = table.css("td, th")
    if len(cells) < 2 or len(rows) < 2:
        return False
    if table.css_first("th") is not None or table.css_first("caption") is not None:
        return True
    return all(len(_cell(cell)) <= _MAX_CELL for cell in cells)
