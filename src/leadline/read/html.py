"""HTML to Markdown-like text: headings, lists, tables and code stay recognisable, chrome goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leadline.errors import SourceLost
from leadline.read.charset import replaced
from leadline.read.plain import file_title, is_binary
from leadline.read.tree import parse_html
from leadline.types import Page

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DROPPED = (
    "script, style, noscript, template, svg, iframe, object, embed, canvas, nav, form, button,"
    " select, input, textarea, dialog, [hidden], [aria-hidden='true']"
)
_CHROME = "header, footer, aside"  # of the page; inside an article they belong to it
_MAIN = ("main article", "article", "main", "[role='main']", "body")
_BLOCK_NAMES = """
address article aside blockquote body caption center dd details div dl dt fieldset figcaption
figure footer form header hgroup html legend main menu ol p section summary tbody tfoot thead
ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_OPENING = (
    dict.fromkeys(_BLOCKS, "\n\n")
    | {f"h{level}": "\n\n" + "#" * level + " " for level in range(1, 7)}
    | {"li": "\n- ", "tr": "\n", "td": " | ", "th": " | ", "br": "\n", "hr": "\n\n"}
    | {"table": "\n\n", "code": "`"}
)
_CLOSING = (
    dict.fromkeys(_BLOCKS, "\n\n")
    | {f"h{level}": "\n\n" for level in range(1, 7)}
    | {"table": "\n\n", "code": "`", "li": "\n"}
)
_FOLD = re.compile(r"\s+")
_AROUND_BREAK = re.compile(r" *\n *")
_BREAKS = re.compile(r"\n{3,}")
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)


class HtmlReader:
    suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml", ".shtml")

    def read(self, data: bytes, name: str) -> Page:
        tree = _tree(_decoded(data, name), name)
        title, author, date = _title(tree), _meta(tree, _AUTHOR), _meta(tree, _DATE)
        text = _text(_main(tree))
        if not text:
            raise SourceLost(f"{name} holds no text")
        return Page(name, title or file_title(name), text, "document", author, date)


def _tree(html: str, name: str) -> LexborHTMLParser:
    try:
        return parse_html(html)
    except SourceLost as lost:
        raise SourceLost(f"{name} cannot be read: {lost}") from lost


_AUTHOR = ("meta[name='author']", "meta[property='article:author']")
_DATE = ("meta[property='article:published_time']", "meta[name='date']", "time[datetime]")


def _decoded(data: bytes, name: str) -> str:
    """By mark, by what the page says, else UTF-8, else Windows-1252."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace")
    if is_binary(data):
        raise SourceLost(f"{name} is binary")
    said = _CHARSET.search(data[:4_096])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    return replaced(data, said.group(1).decode("ascii") if said else "cp1252")


def _title(tree: LexborHTMLParser) -> str:
    for choice in ("h1", "title"):
        node = tree.css_first(choice)
        if node is not None and (said := " ".join(node.text().split())):
            return said
    return ""


def _meta(tree: LexborHTMLParser, choices: tuple[str, ...]) -> str:
    for choice in choices:
        node = tree.css_first(choice)
        if node is not None:
            return (node.attributes.get("content") or node.attributes.get("datetime") or "").strip()
    return ""


def _main(tree: LexborHTMLParser) -> LexborNode | None:
    """The part that holds the content: the first candidate with a good share of all words."""
    body = tree.body
    if body is None:
        return None
    for node in body.css(_DROPPED):
        node.decompose()
    for node in body.css(_CHROME):
        if not _inside(node, {"article", "main"}):
            node.decompose()
    whole = len(body.text())
    for choice in _MAIN:
        found = body.css(choice)
        if len(found) == 1 and 2 * len(found[0].text()) >= whole:
            return found[0]
    return body


def _inside(node: LexborNode, names: set[str]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in names:
            return True
        parent = parent.parent
    return False


def _text(root: LexborNode | None) -> str:
    """The words below `root` in reading order; nesting of any depth is walked, not recursed."""
    if root is None:
        return ""
    page = _Writing()
    path: list[LexborNode] = []
    node = root.first_child
    while node is not None:
        page.enter(node)
        if node.first_child is not None:
            path.append(node)
            node = node.first_child
            continue
        page.leave(node)
        while node.next is None and path:
            node = path.pop()
            page.leave(node)
        node = node.next
    return page.text()


class _Writing:
    """Collects pieces; spaces are folded everywhere but in preformatted parts."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._open: list[str] = []
        self._preformatted = 0

    def enter(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "-text":
            said = node.text_content or ""
            self._open.append(said if self._preformatted else _FOLD.sub(" ", said))
        elif tag == "pre":
            self._fold()
            self._preformatted += 1
            self._open.append("```\n")
        elif not self._preformatted:
            self._open.append(_OPENING.get(tag or "", ""))

    def leave(self, node: LexborNode) -> None:
        if node.tag == "pre":
            self._done.append("".join(self._open).rstrip() + "\n```\n\n")
            self._open = []
            self._preformatted -= 1
        elif not self._preformatted:
            self._open.append(_CLOSING.get(node.tag or "", ""))

    def _fold(self) -> None:
        text = _AROUND_BREAK.sub("\n", re.sub(" {2,}", " ", "".join(self._open)))
        self._done.append(text if not self._done else text.lstrip(" "))
        self._open = []
        if self._done[-1] and not self._done[-1].endswith("\n\n"):
            self._done.append("\n\n")

    def text(self) -> str:
        self._fold()
        return _BREAKS.sub("\n\n", "".join(self._done)).strip()
