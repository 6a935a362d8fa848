"""EPUB books to Markdown, chapter by chapter in reading order."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from leadline.errors import SourceLost
from leadline.read.charset import decode
from leadline.read.html import whole_page
from leadline.read.office import Archive, Element, path_in_archive
from leadline.read.text import file_title
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
    place = None if root is None else root.find(".//{*}rootfile")
    if place is None:
        raise SourceLost(f"{name} is broken: it does not say where its contents are")
    return path_in_archive("", place.get("full-path", ""))


def _spine(package: Element, folder: str) -> Iterator[str]:
    """The parts of the book in reading order."""
    parts = {
        item.get("id"): path_in_archive(folder, unquote(item.get("href", "")))
        for item in package.iterfind(".//{*}item")
        if "html" in item.get("media-type", "")
    }
    for reference in package.iterfind(".//{*}itemref"):
        part = parts.get(reference.get("idref"))
        if part is not None and reference.get("linear") != "no":
            yield part


def _locked(archive: Archive) -> set[str]:
    """The parts that are encrypted; fonts often are, in books that anyone may read."""
    root = archive.xml("META-INF/encryption.xml")
    places = () if root is None else root.iterfind(".//{*}CipherReference")
    return {path_in_archive("", unquote(place.get("URI", ""))) for place in places}


def _together(archive: Archive, parts: list[str]) -> str:
    chapters: list[str] = []
    room = MAX_CHARS
    for part in parts:
        chapter = whole_page(decode(archive.read(part)), part).text
        if chapter and room > 0:
            chapters.append(chapter)
            room -= len(chapter)
    return "\n\n".join(chapters)


def _about(package: Element) -> tuple[str, str, str]:
    """Title, authors and date."""
    title, author, date = (
        [" ".join("".join(element.itertext()).split()) for element in package.iterfind(path)]
        for path in (f"{{*}}metadata/{{*}}{name}" for name in ("title", "creator", "date"))
    )
    return next(iter(title), ""), "; ".join(filter(None, author)), next(iter(date), "")[:10]
