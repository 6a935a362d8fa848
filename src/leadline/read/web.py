"""One fetched file of any format to a page: what the worker processes run."""

from __future__ import annotations

import re
from dataclasses import replace

from leadline.errors import SourceLost
from leadline.ports import Reader
from leadline.read.charset import decode
from leadline.read.file_type import Kind, kind_of
from leadline.types import Page

MAX_TEXT_CHARS = 1_000_000
_XML = re.compile(r"\s*<(\?xml|!DOCTYPE)\b")

# Control characters that no text has, what no charset explains, and places that mean nothing.
_NO_TEXT = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ue000-\uf8ff\ufffd-\uffff]")
_RARE = 25  # noise in an old charset has one in ten; a page in the wrong one hardly any
_LOOKED_AT = 100_000


def read_web(data: bytes, url: str, content_type: str) -> Page:
    """The page in `data`. Raises `SourceLost` for what is empty, broken or locked."""
    if not data.strip():
        raise SourceLost("the answer is empty")
    page = _read(data, url, content_type, kind_of(data, content_type, url))
    if not page.text.strip():
        raise SourceLost("there is no text in it")
    return replace(page, url=url, kind="web", text=_held(page.text))


def _read(data: bytes, url: str, content_type: str, kind: Kind) -> Page:
    if kind == "html":
        from leadline.read.article import read_article

        return read_article(_text(data, content_type), url)
    if kind == "text":
        text = _text(data, content_type)
        return Page(url, "", _without_tags(text) if _XML.match(text) else text)
    if kind == "pdf":
        from leadline.read.pdf import PdfReader

        return PdfReader().read(data, "the PDF")
    return _office(kind).read(data, f"the {kind.upper()} file")


def _text(data: bytes, content_type: str) -> str:
    """The text of `data`, if it is one: binary in any charset has much that no text has."""
    text = decode(data, content_type)
    head = text[:_LOOKED_AT]
    if len(_NO_TEXT.findall(head)) > len(head) // _RARE:
        raise SourceLost("it is binary and holds no text to read")
    return text


def _without_tags(xml: str) -> str:
    """The words of an XML file, a block an element."""
    from leadline.read.mainpart import as_markdown
    from leadline.read.tree import parse_html
    from leadline.read.webblocks import outline

    body = parse_html(xml).body
    return as_markdown(outline(body).blocks) if body is not None else ""


def _office(kind: Kind) -> Reader:
    from leadline.read.docx import DocxReader
    from leadline.read.epub import EpubReader
    from leadline.read.pptx import PptxReader
    from leadline.read.xlsx import XlsxReader

    readers: dict[str, Reader] = {
        "docx": DocxReader(),
        "pptx": PptxReader(),
        "xlsx": XlsxReader(),
        "epub": EpubReader(),
    }
    return readers[kind]


def _held(text: str) -> str:
    """At most a million characters, ended at a line."""
    clean = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    if len(clean) <= MAX_TEXT_CHARS:
        return clean
    end = clean.rfind("\n", 0, MAX_TEXT_CHARS)
    return clean[: end if end > 0 else MAX_TEXT_CHARS]
