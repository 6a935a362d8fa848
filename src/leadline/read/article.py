"""A web page to clean Markdown of its main content, with title, author and date.

The main content is chosen by `mainpart.py`, which was measured better and eight times faster than
trafilatura; trafilatura is asked where little was found.
"""

from __future__ import annotations

from leadline.errors import SourceLost
from leadline.read.boilerplate import weight
from leadline.read.comments import without_talk
from leadline.read.mainpart import SHORT_HEAD, all_but_named, as_markdown, letters, main_blocks
from leadline.read.metadata import About, about
from leadline.read.strays import is_prose
from leadline.read.told import around_lead, as_told
from leadline.read.tree import MANY_TAGS, parse_html
from leadline.read.webblocks import Block, Outline, outline
from leadline.types import Page

ENOUGH_CHARS = 500
MARKED_CHARS = 250  # of an element that the page marks as the article: a short item of news
SMALL_PAGE = 1500  # characters under which nothing on a page is there to distract
SCRAP_CHARS = 150  # found on a small page are no article
_MOST_OF_IT = 0.7  # of a title; the rest is the site's name, or a word such as Exclusive
_LONGER = 3  # times, with the author's name or the site's
_OVER_TITLE = 4  # lines
FEW_LINKS = 0.2  # of a small page's characters, or some of it is there to lead elsewhere


def read_article(html: str, url: str) -> Page:
    """The main content of a web page. Raises `SourceLost` when there is none."""
    tree = parse_html(html)
    page = outline(tree.body) if tree.body is not None else Outline()
    told = about(tree, url)
    found = as_told(page, main_blocks(page, told.title), told.body, told.lead)
    marked = bool(found) and page.frames[found[0].frame].in_hint
    enough = MARKED_CHARS if marked else ENOUGH_CHARS
    if weight(as_markdown(found)) < enough and html.count("<") <= MANY_TAGS:
        text = _of_little(page, html, found, told)
    else:
        text = as_markdown(_after_title(found, told.title))
    text = text or "\n\n".join(block.text for block in page.blocks)
    if not text:
        raise SourceLost("there is no text in the page")
    return Page(url, told.title, text, "web", told.author, told.date)


def _of_little(page: Outline, html: str, found: list[Block], told: About) -> str:
    """A small page is its own article; of a large one with little prose others are asked.

    They are the page's own account for machines, which is there when a script writes the page.
    """
    if len(told.body) > ENOUGH_CHARS:
        return told.body
    text, small = as_markdown(found), without_talk(page, all_but_named(page))
    whole = as_markdown(small)
    if len(text) <= len(whole) and weight(whole) <= SMALL_PAGE:
        linked = sum(block.linked for block in small)
        if linked <= FEW_LINKS * len(whole) or weight(text) < SCRAP_CHARS:
            return as_markdown(_after_title(small, told.title))
    beside = as_markdown(around_lead(page, told.lead)) if told.lead else ""
    if beside and beside not in text and text not in beside:
        return beside  # the page says of itself what was found nowhere in it
    other = _second_opinion(html)
    return other if len(other) > len(text) else as_markdown(_after_title(found, told.title))


def _second_opinion(html: str) -> str:
    from trafilatura import extract

    found = extract(html, output_format="markdown", include_comments=False, favor_precision=True)
    return found or ""


def _after_title(blocks: list[Block], title: str) -> list[Block]:
    """The blocks after the title, which the page has anyway, and which stands over its article.

    A heading of the page may be a part of the title; another line has to be most of it, or a word
    more. A line may stand before: a motto, the name of a section, a breadcrumb.
    """
    whole = letters(title)
    far = 1 + _OVER_TITLE * (weight(whole) > SHORT_HEAD)  # any line may have a short word
    after = 0
    for at, block in enumerate(blocks[: min(far, len(blocks) - 1)] if whole else ()):
        if len(block.text) < _LONGER * len(title) and _is_title(block, whole, first=not at):
            after = at + 1
        elif block.kind != "text" or is_prose(block.text):
            break
    return blocks[after:]


def _is_title(block: Block, whole: str, first: bool) -> bool:
    said, head = letters(block.text), block.kind == "heading" and block.level == 1
    if not said or not (said in whole or (len(whole) > SHORT_HEAD and whole in said)):
        return False
    most = min(len(said), len(whole)) > _MOST_OF_IT * max(len(said), len(whole))
    return (first and head) or (most and (first or head))
