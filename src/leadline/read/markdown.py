"""An HTML tree to Markdown: headings, lists, tables, code and terms with their text keep their
structure. Lists and rows that are nothing but links lead elsewhere and are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, repeat
from operator import sub
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Kind = Literal["text", "item", "term", "heading", "code", "table", "left out"]

_BLOCK_NAMES = """
address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption
figure footer form header hgroup html legend li main menu ol p pre section summary table tbody td
tfoot th thead tr ul hr h1 h2 h3 h4 h5 h6
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
_CODE = frozenset({"code", "tt", "kbd", "samp"})
# How the makers of manuals mark the title of a remark ("Note"): it is no heading.
_REMARK_TITLES = ".admonition-title, " + ", ".join(
    f".{kind} > .title" for kind in ("note", "tip", "warning", "caution", "important", "admonition")
)
_SPACES = re.compile(r"[ \t\r\n\f\u00a0]+")
_AROUND_BREAK = re.compile(r" *\n[ \n]*")
_POWER = re.compile(r"[-+]?(?:\d{1,3}|n)")
_SPAN = re.compile(r"[1-9]\d{0,2}")
_LINKED = 0.9  # of the letters of a list that leads elsewhere
_SOME_LINKS = 3
_INDENTED = 8  # deeper items are indented no further
_DEEPEST = 150  # what is nested deeper is read as running text


def to_markdown(root: LexborNode, links: bool = False) -> str:
    """The text below `root` in reading order; with `links`, lists of links too."""
    return _joined(_Writer(root, links).blocks_in(root, 0))


def table_rows(rows: list[list[str]]) -> str:
    """Rows of cells as a Markdown table, the first row as its head."""
    width = max(len(row) for row in rows)
    lines = [
        "| " + " | ".join(_cell(text) for text in row + [""] * (width - len(row))) + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


class _Block(NamedTuple):
    """A paragraph or the like; `listed` within an item of a list, an "item" where it begins one."""

    text: str
    kind: Kind
    listed: bool = False


class _Count(NamedTuple):
    """Letters so far, those within links, and links."""

    letters: int = 0
    linked: int = 0
    links: int = 0


class _Cell(NamedTuple):
    blocks: list[_Block]
    columns: int
    rows: int


def _joined(blocks: list[_Block]) -> str:
    """Blocks with a blank line between them; terms stand with their text, and items together.

    A heading under which only links stood goes, unless it names the page.
    """
    shown: list[_Block] = []
    below: Kind = "heading"
    for at in reversed(range(len(blocks))):
        kind = blocks[at].kind
        only_links = blocks[at + 1 : at + 2] and blocks[at + 1].kind == "left out"
        emptied = kind == "heading" and below == "heading" and only_links and at > 0
        if kind != "left out" and not emptied:
            shown.append(blocks[at])
            below = kind
    text = ""
    before = _Block("", "text")
    for block in reversed(shown):
        explains = before.kind == "term" and block.kind in ("text", "item", "term")
        tight = explains or (block.kind == "item" and before.listed)
        text += ("\n" if tight else "\n\n") + block.text
        before = block
    return text.strip("\n")


class _Writer:
    """Collects the blocks of a tree, of an item, or of a cell of a table."""

    def __init__(self, root: LexborNode, links: bool) -> None:
        self._all_links = links
        self._remarks = {node.mem_id for node in root.css(_REMARK_TITLES)}
        self._blocks: list[_Block] = []
        self._words: list[str] = []
        self._role = ""  # "term", or the marks of the heading that is being read
        self._marks: list[Iterator[str]] = []  # of the items of the open lists
        self._in_table = self._in_code = False
        self._count = self._block_start = _Count()

    def blocks_in(self, node: LexborNode, depth: int) -> list[_Block]:
        """The blocks of an element, by themselves."""
        outer, self._blocks = self._blocks, []
        self._read(node, depth)
        self._flush()
        inner, self._blocks = self._blocks, outer
        return inner

    def _read(self, parent: LexborNode, depth: int) -> None:
        for node in parent.iter(include_text=True):
            tag = node.tag or ""
            if tag == "-text":
                self._add(node.text_content or "")
            elif tag == "br":
                self._words.append("\n")
            elif depth > _DEEPEST:
                self._add(node.text(deep=True, separator=" "))
            elif tag in _BLOCKS:
                self._flush()
                self._read_block(tag, node, depth + 1)
                self._flush()
            else:
                self._read_inline(tag, node, depth + 1)

    def _read_block(self, tag: str, node: LexborNode, depth: int) -> None:
        if tag == "pre":
            self._write_code(node)
        elif tag == "dt" or node.mem_id in self._remarks or re.fullmatch("h[1-6]", tag):
            is_term = tag == "dt" or node.mem_id in self._remarks
            outer, self._role = self._role, "term" if is_term else "#" * int(tag[1])
            self._read(node, depth)
            self._flush()
            self._role = outer
        elif tag in _LISTS:
            self._write_list(tag, node, depth)
        elif tag == "li":
            self._write_item(self.blocks_in(node, depth))
        elif tag == "table":
            self._write_table(node, depth)
        else:
            self._read(node, depth)

    def _read_inline(self, tag: str, node: LexborNode, depth: int) -> None:
        before, mark = self._count, ""
        if tag in _CODE and not (self._in_code or self._role):
            mark = "`"
        elif tag == "sup" and self._is_power(node):
            self._words.append("^")
        self._words.append(mark)
        self._in_code |= bool(mark)
        self._read(node, depth)
        self._in_code &= not mark
        self._words.append(mark)
        if tag == "a":  # one to a place of this very page leads nowhere else by itself
            more = 3 if (node.attributes.get("href") or "#").startswith("#") else 1
            letters, linked, links = self._count
            linked += letters - before.letters
            self._count = _Count(letters, linked, links + more)

    def _add(self, text: str) -> None:
        self._words.append(_SPACES.sub(" ", text))
        bare = text.strip()
        if len(bare) > 1 or bare.isalnum():
            self._count = self._count._replace(letters=self._count.letters + len(bare))

    def _is_power(self, node: LexborNode) -> bool:
        """2<sup>31</sup> is not 231."""
        base = self._words[-1][-1:] if self._words else ""
        return base.isdigit() and _POWER.fullmatch(node.text(deep=True).strip()) is not None

    def _leads_elsewhere(self, since: _Count) -> bool:
        letters, linked, links = map(sub, self._count, since)
        return not self._all_links and links >= _SOME_LINKS and linked >= _LINKED * letters > 0

    # ── blocks ───────────────────────────────────────────────────────────────────────────

    def _flush(self) -> None:
        """End the block of running text, if there is one."""
        raw = "".join(self._words).replace("``", "")
        self._words = []
        since, self._block_start = self._block_start, self._count
        text = re.sub(" {2,}", " ", _AROUND_BREAK.sub("\n", raw)).strip()
        if not text:
            return
        if self._role == "term":
            self._blocks.append(_Block(text, "term"))
        elif self._role:
            self._blocks.append(_Block(f"{self._role} {' '.join(text.split())}", "heading"))
        else:
            alone = not (self._marks or self._in_table)
            gone = alone and self._leads_elsewhere(since)
            self._blocks.append(_Block("", "left out") if gone else _Block(text, "text"))

    def _write_code(self, node: LexborNode) -> None:
        parts = node.traverse(include_text=True)
        code = "".join("\n" if part.tag == "br" else part.text_content or "" for part in parts)
        text = code.replace("\u00a0", " ").strip("\n").rstrip()
        if text.strip():
            fence = "````" if "```" in text else "```"
            self._blocks.append(_Block(f"{fence}\n{text}\n{fence}", "code"))

    def _write_list(self, tag: str, node: LexborNode, depth: int) -> None:
        """Contents and menus are lists of links and left out. What a text announces with a colon
        is neither."""
        before = self._count
        self._marks.append(map("{}. ".format, count(1)) if tag == "ol" else repeat("- "))
        items = self.blocks_in(node, depth)
        self._marks.pop()
        announced = self._blocks and self._blocks[-1].text.endswith(":")
        gone = self._leads_elsewhere(before) and not announced
        self._blocks += [_Block("", "left out")] if gone else items

    def _write_item(self, blocks: list[_Block]) -> None:
        mark = next(self._marks[-1]) if self._marks else "- "
        if len(self._marks) > _INDENTED:
            self._blocks += blocks
            return
        indent = "\n" + " " * len(mark)
        for text, kind, _ in blocks:
            if kind in ("heading", "left out"):
                self._blocks.append(_Block(text, kind, listed=True))
                continue
            begins = mark.strip() and kind == "text"
            indented = mark + text.replace("\n", indent)
            self._blocks.append(_Block(indented, "item" if begins else kind, listed=True))
            mark = " " * len(mark)

    def _write_table(self, node: LexborNode, depth: int) -> None:
        """A table of data as such. One that holds headings, code or another table lays out a
        page, and its cells are its text; so are those of one row or column."""
        outer, self._in_table = self._in_table, True
        rows = _spread([list(self._cells(row, depth)) for row in _rows(node)])
        self._in_table = outer
        for caption in (part for part in node.iter() if part.tag == "caption"):
            self._blocks += self.blocks_in(caption, depth)
        used = sorted({at for row in rows for at, cell in enumerate(row) if cell})
        kinds = {block.kind for row in rows for cell in row for block in cell}
        is_text = kinds <= {"text", "item", "term"}
        if is_text and len(rows) > 1 and len(used) > 1:
            texts = [[" ".join(block.text for block in cell) for cell in row] for row in rows]
            cells = [[row[at] if at < len(row) else "" for at in used] for row in texts]
            self._blocks.append(_Block(table_rows(cells), "table"))
            return
        for cell in (cell for row in rows for cell in row if cell):
            text = "\n".join(block.text for block in cell)
            self._blocks += [_Block(text, "text")] if is_text else cell

    def _cells(self, row: LexborNode, depth: int) -> Iterator[_Cell]:
        for node in row.iter():
            if node.tag in ("td", "th"):
                blocks = self.blocks_in(node, depth + 3)
                yield _Cell(blocks, _span(node, "colspan"), _span(node, "rowspan"))


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in table.iter():
        yield from [part] if part.tag == "tr" else (row for row in part.iter() if row.tag == "tr")


def _spread(rows: list[list[_Cell]]) -> list[list[list[_Block]]]:
    """The rows that hold something, cells of several columns or rows in each of their places."""
    below: dict[int, tuple[list[_Block], int]] = {}
    spread: list[list[list[_Block]]] = []
    for row in rows:
        line: list[list[_Block]] = []
        for cell in (*row, None):
            while len(line) in below:
                blocks, left = below.pop(len(line))
                if left > 1:
                    below[len(line)] = (blocks, left - 1)
                line.append(blocks)
            if cell is not None:
                if cell.rows > 1:
                    below[len(line)] = (cell.blocks, cell.rows - 1)
                line += [cell.blocks, *([] for _ in range(cell.columns - 1))]
        spread.append(line)
    return [line for line in spread if any(line)]


def _span(node: LexborNode, name: str) -> int:
    text = node.attributes.get(name) or ""
    return min(int(text), 100) if _SPAN.fullmatch(text) else 1
