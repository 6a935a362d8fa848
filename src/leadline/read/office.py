"""What the readers of office files share: zip archives of XML, opened with limits, and parsed
without entities before a library sees them.

Nothing is written to disk, and a name inside the archive is only ever looked up in it.
"""

from __future__ import annotations

import io
import posixpath
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from leadline.errors import SourceLost
from leadline.read.text import file_title
from leadline.types import Page

Element = ElementTree.Element

MAX_ENTRIES = 20_000
MAX_PART_BYTES = 64_000_000
MAX_ALL_BYTES = 256_000_000
MAX_RATIO = 200
FREE_BYTES = 1_000_000
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)
# What the libraries raise for parts that are not there, or not what they should be; SyntaxError is
# the base of lxml's errors.
_BROKEN: tuple[type[Exception], ...] = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError),
    *(SyntaxError, TypeError, ValueError),
)
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")


class Archive:
    """The parts of a zipped document. Raises `SourceLost` for what is broken, locked or a bomb."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        self._read = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN_ZIP as error:
            raise SourceLost(f"{name} is broken: {error}") from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise SourceLost(f"{name} has {len(entries):,} parts, too many for a document")
        if any(entry.flag_bits & 1 for entry in entries):
            raise SourceLost(f"{name} is encrypted and needs a password")
        self._parts = {entry.filename: entry for entry in entries}

    def names(self) -> tuple[str, ...]:
        return tuple(self._parts)

    def read(self, part: str) -> bytes:
        """The bytes of a part; empty when there is none of that name."""
        entry = self._parts.get(part)
        if entry is None:
            return b""
        try:
            with self._zip.open(entry) as file:
                data = file.read(MAX_PART_BYTES + 1)
        except _BROKEN_ZIP as error:
            raise SourceLost(f"{self._name} is broken: {error}") from error
        self._read += len(data)
        if len(data) > FREE_BYTES and len(data) > MAX_RATIO * max(1, entry.compress_size):
            raise SourceLost(f"{self._name} is a decompression bomb")
        if len(data) > MAX_PART_BYTES or self._read > MAX_ALL_BYTES:
            raise SourceLost(f"{self._name} unpacks to more than is read")
        return data

    def xml(self, part: str) -> Element | None:
        """The tree of a part; None when there is no such part. Entities are refused."""
        data = self.read(part)
        if not data.strip():
            return None
        _refuse_entities(data, self._name)
        try:
            return ElementTree.fromstring(data)  # noqa: S314 - no document type, so no entities
        except (ElementTree.ParseError, UnicodeError, LookupError, ValueError) as error:
            raise SourceLost(f"{self._name} is broken: {error}") from error


def path_in_archive(folder: str, target: str) -> str:
    """The part that a relative target names; it cannot lead out of the archive."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def checked(data: bytes, name: str) -> io.BytesIO:
    """The file, when no part of it is locked, a bomb, or declares entities.

    Strict files are told in the names that the libraries know.
    """
    archive = Archive(data, name)
    parts = {part: archive.read(part) for part in archive.names()}
    strict = False
    for part, content in parts.items():
        if part.endswith((".xml", ".rels", ".vml")):
            _refuse_entities(content, name)
            parts[part] = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", content)
            strict |= parts[part] != content
    if not strict:
        return io.BytesIO(data)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as rewritten:
        for part, content in parts.items():
            rewritten.writestr(part, content)
    return file


def _refuse_entities(data: bytes, name: str) -> None:
    """Documents of such kinds declare none, so whoever does means harm."""
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]
    plain = data.replace(b"\0", b"") if wide else data
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise SourceLost(f"{name} declares entities, which documents of its kind never do")


@contextmanager
def broken_is_lost(name: str, *errors: type[Exception]) -> Iterator[None]:
    """Turns what a library raises over a broken file, besides `errors` of its own, into
    `SourceLost`."""
    try:
        with warnings.catch_warnings():  # what a library finds odd is not the user's concern
            warnings.simplefilter("ignore")
            yield
    except _BROKEN + errors as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise SourceLost(f"{name} is broken: {reason}") from error


def office_page(name: str, text: str, about: Any, heading: str = "") -> Page:
    """The page of an office file, by what its properties say. `SourceLost` where it has no text."""
    if not text.strip():
        raise SourceLost(f"{name} holds no text")
    author = about.creator if hasattr(about, "creator") else about.author
    date = f"{about.created:%Y-%m-%d}" if about.created is not None else ""
    title = about.title or heading or file_title(name)
    return Page(name, title, text, "document", author or "", date)


def local_name(element: Any) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
