"""EPUB books to Markdown, chapter by chapter in reading order."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from leadline.errors import SourceLost
from leadline.read.charset import decode
from leadline.read.mainpart import as_markdown
from leadline.read.plain import file_title
from leadline.read.safe_zip import Archive, Element, attribute, below, child, joined, local
from leadline.read.tree import parse_html
from leadline.read.webblocks import outline
from leadline.types import Page

MAX_CHARS = 5_000_000


class EpubReader:
    suffixes: tuple[str, ...] = (".epub",)

    def read(self, data: bytes, name: str) -> Page:
        archive = Archive(data, name)
        at = _package(archive, name)
        package = archive.xml(at)
        if package is None:
            raise SourceLost(f"{name} is broken: it has no list of contents")
        parts = list(_spine(package, posixpath.dirname(at)))
        if set(parts) & _locked(archive):
            raise SourceLost(f"{name} is locked by its publisher")
        text = _together(archive, parts)
        if not text.strip():
            raise SourceLost(f"{name} holds no text")
        title, author, date = _about(package)
        return Page(name, title or file_title(name), text, "document", author, date)


def _package(archive: Archive, name: str) -> str:
    root = archive.xml("META-INF/container.xml")
    found = None if root is None else next(below(root, "rootfile"), None)
    if found is None:
        raise SourceLost(f"{name} is broken: it does not say where its contents are")
    return joined("", attribute(found, "full-path"))


def _spine(package: Element, folder: str) -> Iterator[str]:
    """The parts of the book in reading order."""
    items = {
        attribute(item, "id"): joined(folder, unquote(attribute(item, "href")))
        for item in below(package, "item")
        if "html" in attribute(item, "media-type")
    }
    for one in below(package, "itemref"):
        part = items.get(attribute(one, "idref"))
        if part is not None and attribute(one, "linear") != "no":
            yield part


def _locked(archive: Archive) -> set[str]:
    """The parts that are encrypted; fonts often are, in books that anyone may read."""
    root = archive.xml("META-INF/encryption.xml")
    if root is None:
        return set()
    return {joined("", unquote(attribute(one, "URI"))) for one in below(root, "CipherReference")}


def _together(archive: Archive, parts: list[str]) -> str:
    chapters: list[str] = []
    room = MAX_CHARS
    for part in parts:
        body = parse_html(decode(archive.read(part))).body
        chapter = "" if body is None else as_markdown(outline(body).blocks)
        if chapter and room > 0:
            chapters.append(chapter)
            room -= len(chapter)
    return "\n\n".join(chapters)


def _about(package: Element) -> tuple[str, str, str]:
    meta = child(package, "metadata")
    found: dict[str, list[str]] = {}
    for one in () if meta is None else meta:
        text = " ".join("".join(one.itertext()).split())
        if text:
            found.setdefault(local(one), []).append(text)
    first = {name: values[0] for name, values in found.items()}
    author = "; ".join(found.get("creator", []))
    return first.get("title", ""), author, first.get("date", "")[:10]
