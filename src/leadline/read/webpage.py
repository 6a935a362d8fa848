"""One fetched file of any format to a page: what the worker processes run. Of a web page that is
its article, as trafilatura finds it; where that is nearly all of it or lost its code, as in a
manual, or is next to nothing, the page is read whole, which keeps more of its structure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leadline.errors import SourceLost
from leadline.read.charset import decode
from leadline.read.file_type import Kind, kind_of
from leadline.read.html import visible_tree, whole_page
from leadline.types import Page
from leadline.values import replace

if TYPE_CHECKING:
    from trafilatura.settings import Document

MAX_TEXT_CHARS = 1_000_000
NEXT_TO_NOTHING, NEARLY_ALL = 0.1, 0.9  # of a page's words; figures are in LOG.md
MOST = 0.5
_FENCE = "```\n"
MANY_TAGS = 100_000  # beyond these a page is no article, and looking for one takes long
_XML = re.compile(r"\s*<(\?xml|!DOCTYPE)\b")
_WORD = re.compile(r"\w+")
_LINE_END = re.compile(r"[ \t]+$", re.MULTILINE)
# Control characters that no text has, what no charset explains, and places that mean nothing.
_NO_TEXT = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ue000-\uf8ff\ufffd-\uffff]")
_RARE = 25  # noise in an old charset has one in ten; a page in the wrong one hardly any
_HEAD = 100_000


def read_web(data: bytes, url: str, content_type: str) -> Page:
    """The page in `data`. Raises `SourceLost` for what is empty, broken or locked."""
    if not data.strip():
        raise SourceLost("the answer is empty")
    page = _read(data, url, content_type, kind_of(data, content_type, url))
    if not page.text.strip():
        raise SourceLost("there is no text in it")
    return replace(page, url=url, kind="web", text=_shortened(page.text))


def read_webpage(html: str, url: str) -> Page:
    """The article of a web page, with title, author and date; raises `SourceLost` for no text."""
    page = whole_page(html, url)
    article = _article(html, url) if html.count("<") <= MANY_TAGS else None
    if article is not None:
        text = _markdown(article)
        share = len(_WORD.findall(text)) / max(1, len(_WORD.findall(page.text)))
        is_manual = share > MOST and 2 * text.count(_FENCE) < page.text.count(_FENCE)
        page = replace(
            page,
            title=article.title or page.title,
            author=article.author or "",
            date=article.date or "",
            text=page.text if is_manual or not NEXT_TO_NOTHING <= share <= NEARLY_ALL else text,
        )
    if not page.text:
        raise SourceLost("there is no text in the page")
    return replace(page, kind="web")


def _article(html: str, url: str) -> Document | None:
    from trafilatura import bare_extraction
    from trafilatura.settings import Document

    found = bare_extraction(
        visible_tree(html).html or "",
        url=url,
        output_format="markdown",
        include_comments=False,
        with_metadata=True,
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    return found if isinstance(found, Document) else None


def _markdown(article: Document) -> str:
    """The text with its headings, lists, tables and code, and without marks of emphasis."""
    from lxml.etree import strip_tags
    from trafilatura.xml import xmltotxt

    strip_tags(article.body, "hi")
    return _LINE_END.sub("", xmltotxt(article.body, include_formatting=True)).strip()


def _read(data: bytes, url: str, content_type: str, kind: Kind) -> Page:
    if kind == "html":
        return read_webpage(_text(data, content_type), url)
    if kind == "text":
        text = _text(data, content_type)
        if _XML.match(text):
            return replace(whole_page(text, url), title="")
        return Page(url, "", text)
    from leadline.read.registry import READERS

    reader = next(reader for reader in READERS if f".{kind}" in reader.suffixes)
    return reader.read(data, f"the {kind.upper()} file")


def _text(data: bytes, content_type: str) -> str:
    """The text of `data`, if it is one: binary in any charset has much that no text has."""
    text = decode(data, content_type)
    head = text[:_HEAD]
    if len(_NO_TEXT.findall(head)) > len(head) // _RARE:
        raise SourceLost("it is binary and holds no text to read")
    return text


def _shortened(text: str) -> str:
    """At most a million characters, ended at a line."""
    clean = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    if len(clean) <= MAX_TEXT_CHARS:
        return clean
    end = clean.rfind("\n", 0, MAX_TEXT_CHARS)
    return clean[: end if end > 0 else MAX_TEXT_CHARS]
