"""HTML to Markdown of what it says: its main part, without navigation, contents, page frames and
what is hidden from the eye."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leadline.errors import SourceLost
from leadline.read.charset import decode
from leadline.read.markdown import to_markdown
from leadline.read.text import file_title, refuse_binary
from leadline.types import Page
from leadline.values import replace

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MANY_TAGS = 20_000
MAX_DEPTH = 3000  # parsing takes time in the square of the depth: 0.1 s here, 5 min at 200,000
_NESTING = re.compile(
    r"<(/?)(?:div|span|section|article|main|ul|ol|blockquote|center|table|font|b|i|em|strong)\b",
    re.IGNORECASE,
)
_UNSEEN = "[hidden], [aria-hidden='true'], .sr-only, .visually-hidden, .screen-reader-text"
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?![.\d]*[1-9])", re.I
)
_NO_TEXT = (
    "script, style, noscript, template, svg, iframe, object, embed, canvas, button, select, input,"
    " textarea, dialog, annotation, annotation-xml, form:not(:has(p))"
)
# What the makers of manuals (Sphinx, DocBook, AsciiDoc, Texinfo) and pages call their furniture;
# a header, footer or aside within an article belongs to it, and a header may hold the title.
_FURNITURE = (
    "nav, [role='navigation'], [role='search'], [role='contentinfo'], .toc, #toc, .toctree-wrapper,"
    " .list-of-figures, .list-of-tables, .list-of-examples, .headerlink, .linenos, .breadcrumb,"
    " .breadcrumbs, .footer, #footer, .noprint, .nosearch, .navheader, .navfooter, .nav-panel,"
    " p:has(> a[rel~='next']), p:has(> a[rel~='prev']), p:has(> a[accesskey='n' i]),"
    " a[rel~='next'], a[rel~='prev'],"
    " :is(header, footer, aside):not(main *, article *, [role='main'] *):not(header:has(h1))"
)
_MAIN = ("main, [role='main']", "article")
_AUTHOR = ("meta[name='author']", "meta[property='article:author']")
_FOOT = re.compile(r"\n\n[^\n]{0,20}\blast (?:modified|updated)\b([^\n]{0,90})\Z", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DATE = ("meta[property='article:published_time']", "meta[name='date']", "time[datetime]")


class HtmlReader:
    suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml", ".shtml")

    def read(self, data: bytes, name: str) -> Page:
        refuse_binary(data, name)
        try:
            page = whole_page(decode(data), name)
        except SourceLost as error:
            raise SourceLost(f"{name} cannot be read: {error}") from error
        if not page.text:
            raise SourceLost(f"{name} holds no text")
        return page if page.title else replace(page, title=file_title(name))


def parse_html(html: str) -> LexborHTMLParser:
    """The tree of a page. Raises `SourceLost` when its elements are nested beyond reason."""
    from selectolax.lexbor import LexborHTMLParser

    if html.count("<") > MANY_TAGS and _depth(html) > MAX_DEPTH:
        raise SourceLost(f"its elements are nested more than {MAX_DEPTH:,} deep")
    return LexborHTMLParser(html)


def _depth(html: str) -> int:
    """How deep elements are nested, by the tags alone."""
    deepest = here = 0
    for match in _NESTING.finditer(html):
        here = here + 1 if not match.group(1) else max(0, here - 1)
        deepest = max(deepest, here)
    return deepest


def visible_tree(html: str) -> LexborHTMLParser:
    """The tree without what nobody sees: it is a way in for orders to the reader."""
    tree = parse_html(html)
    if tree.body is not None:
        styled = tree.body.css("[style]")
        _drop([node for node in styled if _HIDING.search(node.attributes.get("style") or "")])
        _drop(tree.body.css(_UNSEEN))
    return tree


def whole_page(html: str, name: str) -> Page:
    """Everything a page says, as Markdown, with title, author and date from its head."""
    tree = visible_tree(html)
    body = tree.body
    if body is None:
        return Page(name, "", "", "document")
    _drop(body.css(f"{_NO_TEXT}, {_FURNITURE}"))
    main = _main(body)
    text = to_markdown(main) or to_markdown(main, links=True) or _with_furniture(html)
    author, date = _meta(tree, _AUTHOR), _meta(tree, _DATE)
    if foot := _FOOT.search(text, max(0, len(text) - 200)):
        day = _DAY.search(foot[1])
        text, date = text[: foot.start()], date or (day[0] if day else "")
    return Page(name, _title(tree), text, "document", author, date)


def _with_furniture(html: str) -> str:
    """A page that is nothing but contents, or a menu, is not empty."""
    body = visible_tree(html).body
    if body is None:
        return ""
    _drop(body.css(_NO_TEXT))
    return to_markdown(body, links=True)


def _drop(nodes: list[LexborNode]) -> None:
    """Take nodes out of their tree, those inside others first."""
    for node in reversed(nodes):
        if node.tag != "body":
            node.decompose()


def _main(body: LexborNode) -> LexborNode:
    """The part that holds the content: the first candidate with a good share of all letters."""
    letters = len(body.text(deep=True))
    for choice in _MAIN:
        nodes = body.css(choice)
        if len(nodes) == 1 and 2 * len(nodes[0].text(deep=True)) >= letters:
            return nodes[0]
    return body


def _title(tree: LexborHTMLParser) -> str:
    """The one heading of the first level, else what the head says."""
    headings = tree.css("h1")
    nodes = [*(headings if len(headings) == 1 else []), tree.css_first("title"), *headings]
    texts = (" ".join(node.text(deep=True).split()) for node in nodes if node is not None)
    return next(filter(None, texts), "")


def _meta(tree: LexborHTMLParser, choices: tuple[str, ...]) -> str:
    for choice in choices:
        node = tree.css_first(choice)
        if node is not None:
            return (node.attributes.get("content") or node.attributes.get("datetime") or "").strip()
    return ""
