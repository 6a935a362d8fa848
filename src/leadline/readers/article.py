"""A web page to clean Markdown of its main content, with title, author and date.

The main content is chosen by `mainpart.py`, which was measured better and eight times faster than
trafilatura; trafilatura is asked where little was found.
"""

from __future__ import annotations

from leadline.errors import SourceLost
from leadline.readers.about import about
from leadline.readers.beside import weight
from leadline.readers.mainpart import all_but_named, as_markdown, main_blocks
from leadline.readers.tree import MANY_TAGS, parse_html
from leadline.readers.webblocks import Outline, outline
from leadline.types import Page

ENOUGH_CHARS = 500
MARKED_CHARS = 250  # of an element that the page marks as the article: a short item of news
SMALL_PAGE = 1500  # characters under which nothing on a page is there to distract
SCRAP_CHARS = 150  # found on a small page are no article
FEW_LINKS = 0.2  # of a small page's characters, or some of it is there to lead elsewhere


def read_article(html: str, url: str) -> Page:
    """The main content of a web page. Raises `SourceLost` when there is none."""
    tree = parse_html(html)
    page = outline(tree.body) if tree.body is not None else Outline()
    told = about(tree, url)
    found = main_blocks(page, told.title)
    text = as_markdown(found)
    marked = bool(found) and page.frames[found[0].frame].in_hint
    enough = MARKED_CHARS if marked else ENOUGH_CHARS
    if weight(text) < enough and html.count("<") <= MANY_TAGS:
        text = _of_little(page, html, text, told.body)
    text = text or "\n\n".join(block.text for block in page.blocks)
    if not text:
        raise SourceLost("there is no text in the page")
    return Page(url, told.title, _without_title(text, told.title), "web", told.author, told.date)


def _of_little(page: Outline, html: str, text: str, told: str) -> str:
    """A small page is its own article; of a large one with little prose others are asked.

    They are the page's own account for machines, which is there when a script writes the page.
    """
    if len(told) > ENOUGH_CHARS:
        return told
    small = all_but_named(page)
    whole = as_markdown(small)
    if len(text) <= len(whole) and weight(whole) <= SMALL_PAGE:
        linked = sum(block.linked for block in small)
        if linked <= FEW_LINKS * len(whole) or weight(text) < SCRAP_CHARS:
            return whole
    return max(text, _second_opinion(html), key=len)


def _second_opinion(html: str) -> str:
    from trafilatura import extract

    found = extract(html, output_format="markdown", include_comments=False, favor_precision=True)
    return found or ""


def _without_title(text: str, title: str) -> str:
    """The text without its first heading where that is the title, which the page has anyway."""
    first, _, rest = text.partition("\n")
    said = first.removeprefix("# ")
    if title and first.startswith("# ") and said.casefold() in title.casefold() and rest.strip():
        return rest.lstrip("\n")
    return text
