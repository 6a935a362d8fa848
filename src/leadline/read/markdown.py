"""An HTML tree to Markdown: headings, lists, tables, code and terms with their text keep their
structure. Lists and rows that are nothing but links lead elsewhere and are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from operator import sub
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Kind = Literal["text", "term", "heading", "emptied", "code", "table"]

_BLOCK_NAMES = """
address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption
figure footer form header hgroup html legend li main menu ol p pre section summary table tbody td
tfoot th thead tr ul hr h1 h2 h3 h4 h5 h6
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
_CODE = frozenset({"code", "tt", "kbd", "samp"})
# What the makers of manuals call a remark set off from the text; its title is no heading.
_REMARK_NAMES = """
note tip hint warning caution important danger attention error admonition seealso
"""
_REMARKS = frozenset(_REMARK_NAMES.split())
_FOLD = re.compile(r"[ \t\r\n\f\u00a0]+")
_AROUND_BREAK = re.compile(r" *\n[ \n]*")
_POWER = re.compile(r"[-+]?(?:\d{1,3}|n)")
_SPAN = re.compile(r"[1-9]\d{0,2}")
_LINKED = 0.9  # of the letters of a list that leads elsewhere
_SOME_LINKS = 3
_DEEPEST = 8  # deeper items are indented no further


def to_markdown(root: LexborNode, links: bool = False) -> str:
    """The text below `root` in reading order; with `links`, lists of links too.

    Nesting of any depth is walked, not recursed.
    """
    writer = _Writer(links)
    path: list[LexborNode] = []
    node = root.first_child
    while node is not None:
        writer.enter(node)
        if node.first_child is not None:
            path.append(node)
            node = node.first_child
            continue
        writer.leave(node)
        while node.next is None and path:
            node = path.pop()
            writer.leave(node)
        node = node.next
    return writer.text()


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


class _Count(NamedTuple):
    """Letters so far: all, those of links, those of links to this very page; and links."""

    letters: int = 0
    linked: int = 0
    local: int = 0
    links: int = 0

    def since(self, earlier: _Count) -> _Count:
        return _Count(*map(sub, self, earlier))

    def is_linked(self) -> bool:
        return self.linked >= _LINKED * self.letters > 0

    def leads_elsewhere(self) -> bool:
        local = self.local >= _LINKED * self.letters > 0
        return local or (self.links >= _SOME_LINKS and self.is_linked())


@dataclass(slots=True)
class _List:
    """An open list: the number of its next item, if they have one, and where it began."""

    number: int | None
    blocks: int
    count: _Count


@dataclass(slots=True)
class _Indent:
    """What stands before the first line of an item, and before the others."""

    first: str
    rest: str


class _Block(NamedTuple):
    """What separates it from the block before, its text, and what it is."""

    separator: str
    text: str
    kind: Kind


_Cell = list[_Block]


@dataclass(slots=True)
class _Table:
    rows: list[list[_Cell]] = field(default_factory=list)
    cell: _Cell | None = None
    below: dict[int, tuple[_Cell, int]] = field(default_factory=dict)  # cells of many rows

    def start_row(self) -> None:
        self.rows.append([])

    def end_cell(self, columns: int, rows: int) -> None:
        """Put the cell where it belongs, and into the rows below that it spans."""
        if not self.rows:
            self.start_row()
        self.fill()
        row = self.rows[-1]
        if rows > 1:
            self.below[len(row)] = (self.cell or [], rows - 1)
        row += [self.cell or [], *([] for _ in range(columns - 1))]
        self.cell = None

    def fill(self) -> None:
        """The cells of rows above that reach into this one."""
        row = self.rows[-1]
        while len(row) in self.below:
            cell, left = self.below.pop(len(row))
            if left > 1:
                self.below[len(row)] = (cell, left - 1)
            row.append(cell)


class _Writer:
    """Collects blocks while the tree is walked."""

    def __init__(self, links: bool) -> None:
        self._all_links = links
        self._blocks: list[_Block] = []
        self._before: Kind | None = None
        self._in_list_before = False
        self._words: list[str] = []
        self._indents: list[_Indent] = []
        self._lists: list[_List] = []
        self._tables: list[_Table] = []
        self._heading = self._terms = self._pre = self._code = 0
        self._link: Literal["", "local", "away"] = ""
        self._count = _Count()
        self._block_start = _Count()

    def text(self) -> str:
        self._flush()
        blocks = list(self._blocks)
        for at in range(len(blocks) - 1, 0, -1):  # the first heading stays: it names the page
            below = blocks[at + 1].kind if at + 1 < len(blocks) else "heading"
            if blocks[at].kind == "emptied" and below in ("heading", "emptied"):
                del blocks[at]
        return "".join(block.separator + block.text for block in blocks).strip("\n")

    # ── the walk ─────────────────────────────────────────────────────────────────────────

    def enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._add(node.text_content or "")
        elif tag == "br":
            self._words.append("\n")
        elif tag == "pre":
            self._flush()
            self._pre += 1
        elif self._pre:
            return
        elif tag in _BLOCKS:
            self._flush()
            self._open(tag, node)
        elif tag in _CODE:
            self._code += 1
            self._mark_code()
        elif tag == "a":
            address = node.attributes.get("href") or "#"
            self._link = "local" if address.startswith("#") else "away"
            self._count = self._count._replace(links=self._count.links + 1)
        elif tag == "sup" and self._is_power(node):
            self._words.append("^")

    def leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "pre":
            self._end_code_block()
            self._pre -= 1
        elif self._pre:
            return
        elif tag in _BLOCKS:
            self._flush()
            self._close(tag, node)
        elif tag in _CODE:
            self._mark_code()
            self._code -= 1
        elif tag == "a":
            self._link = ""

    def _open(self, tag: str, node: LexborNode) -> None:
        if _is_remark_title(node):
            self._terms += 1
        elif tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag in _LISTS:
            number = 1 if tag == "ol" else None
            self._lists.append(_List(number, len(self._place), self._count))
        elif tag == "li":
            self._indents.append(self._item())
        elif tag == "dt":
            self._terms += 1
        elif tag == "table":
            self._tables.append(_Table())
        elif tag == "tr" and self._tables:
            self._tables[-1].start_row()
        elif tag in ("td", "th") and self._tables:
            self._tables[-1].cell = []

    def _close(self, tag: str, node: LexborNode) -> None:
        if _is_remark_title(node):
            self._terms -= 1
        elif tag in _HEADINGS:
            self._heading = 0
        elif tag in _LISTS:
            self._end_list(self._lists.pop())
        elif tag == "li":
            self._indents.pop()
        elif tag == "dt":
            self._terms -= 1
        elif tag == "table" and self._tables:
            self._write_table(self._tables.pop())
        elif tag == "tr" and self._tables and self._tables[-1].rows:
            self._tables[-1].fill()
        elif tag in ("td", "th") and self._tables and self._tables[-1].cell is not None:
            self._tables[-1].end_cell(_span(node, "colspan"), _span(node, "rowspan"))

    # ── words ────────────────────────────────────────────────────────────────────────────

    def _add(self, text: str) -> None:
        self._words.append(text if self._pre else _FOLD.sub(" ", text))
        letters = len(text.strip())
        if letters > 1 or text.strip().isalnum():
            count = self._count
            linked, local = letters * bool(self._link), letters * (self._link == "local")
            self._count = _Count(
                count.letters + letters, count.linked + linked, count.local + local, count.links
            )

    def _mark_code(self) -> None:
        if self._code == 1 and not (self._heading or self._terms):
            self._words.append("`")

    def _is_power(self, node: LexborNode) -> bool:
        """2<sup>31</sup> is not 231."""
        base = self._words[-1][-1:] if self._words else ""
        return base.isdigit() and _POWER.fullmatch(node.text(deep=True).strip()) is not None

    # ── blocks ───────────────────────────────────────────────────────────────────────────

    def _flush(self) -> None:
        """End the block of running text, if there is one."""
        if self._pre:
            return
        raw = "".join(self._words).replace("``", "")
        self._words = []
        count, self._block_start = self._count.since(self._block_start), self._count
        text = re.sub(" {2,}", " ", _AROUND_BREAK.sub("\n", raw)).strip()
        if not text:
            return
        if self._heading:
            self._write("#" * self._heading + " " + " ".join(text.split()), "heading")
        elif self._terms:
            self._write(text, "term")
        else:
            is_label = text.endswith(":") and count.is_linked()  # of a picture, mostly
            if self._all_links or self._lists or self._tables:
                self._write(text, "text")
            elif count.leads_elsewhere() or is_label:
                self._leave_out()
            else:
                self._write(text, "text")

    def _end_code_block(self) -> None:
        if self._pre > 1:
            return
        text = "".join(self._words).replace("\u00a0", " ").strip("\n").rstrip()
        self._words = []
        self._block_start = self._count
        if text.strip():
            fence = "````" if "```" in text else "```"
            self._write(f"{fence}\n{text}\n{fence}", "code")

    def _item(self) -> _Indent:
        around = self._lists[-1] if self._lists else None
        if around is None or around.number is None:
            return _Indent("- ", "  ")
        mark = f"{around.number}. "
        around.number += 1
        return _Indent(mark, " " * len(mark))

    def _end_list(self, ended: _List) -> None:
        """Contents and menus are lists of links; they are taken back. What a text announces with a
        colon is neither."""
        place = self._place
        before = place[ended.blocks - 1 : ended.blocks]
        announced = bool(before) and before[0].kind == "text" and before[0].text.endswith(":")
        if self._count.since(ended.count).leads_elsewhere() and not (announced or self._all_links):
            del place[ended.blocks :]
            self._before, self._in_list_before = None, False
            self._leave_out()

    def _leave_out(self) -> None:
        """Links that lead elsewhere are gone; a heading with nothing else below goes too."""
        place = self._place
        if place and place[-1].kind == "heading":
            place[-1] = place[-1]._replace(kind="emptied")

    def _write_table(self, table: _Table) -> None:
        """A table of data as such. One that holds headings, code or another table lays out a
        page, and its cells are its text; so are those of one row or column."""
        rows = [row for row in table.rows if any(row)]
        width = max(map(len, rows), default=0)
        used = [at for at in range(width) if any(len(row) > at and row[at] for row in rows)]
        kinds = {block.kind for row in rows for cell in row for block in cell}
        if kinds <= {"text", "term"} and len(rows) > 1 and len(used) > 1:
            cells = [
                [" ".join(block.text for block in row[at]) if at < len(row) else "" for at in used]
                for row in rows
            ]
            self._write(table_rows(cells), "table")
            return
        for cell in (cell for row in rows for cell in row if cell):
            if kinds <= {"text", "term"}:
                self._write("\n".join(block.text for block in cell), "text")
            else:
                self._place.append(cell[0]._replace(separator="\n\n"))
                self._place.extend(cell[1:])

    @property
    def _place(self) -> list[_Block]:
        """Where blocks go: into the open cell, or onto the page."""
        open_cells = (table.cell for table in reversed(self._tables))
        cell = next((cell for cell in open_cells if cell is not None), None)
        return self._blocks if cell is None else cell

    def _write(self, text: str, kind: Kind) -> None:
        around = self._indents[:_DEEPEST]
        begins_item = any(indent.first != indent.rest for indent in around)
        if kind != "heading":
            first = "".join(indent.first for indent in around)
            rest = "".join(indent.rest for indent in around)
            text = first + text.replace("\n", "\n" + rest)
        for indent in around:
            indent.first = indent.rest
        self._place.append(_Block(self._separator(kind, begins_item), text, kind))
        self._before, self._in_list_before = kind, bool(around)

    def _separator(self, kind: Kind, begins_item: bool) -> str:
        """Terms stand with their text, and the items of a list together."""
        if kind in ("text", "term") and self._before == "term":
            return "\n"
        return "\n" if begins_item and self._in_list_before and kind == "text" else "\n\n"


def _is_remark_title(node: LexborNode) -> bool:
    """Whether an element says "Note" or the like over a remark."""
    classes = (node.attributes.get("class") or "").split()
    if "admonition-title" in classes:
        return True
    if "title" not in classes or node.parent is None:
        return False
    return not _REMARKS.isdisjoint((node.parent.attributes.get("class") or "").split())


def _span(node: LexborNode, name: str) -> int:
    text = node.attributes.get(name) or ""
    return min(int(text), 100) if _SPAN.fullmatch(text) else 1
