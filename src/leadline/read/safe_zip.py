"""Files that are zip archives of XML: opened with limits, parsed without entities.

Nothing is written to disk, and a name inside the archive is only ever looked up in it.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from xml.etree import ElementTree

from leadline.errors import SourceLost

Element = ElementTree.Element

MAX_ENTRIES = 20_000
MAX_PART_BYTES = 64_000_000
MAX_ALL_BYTES = 256_000_000
MAX_RATIO = 200
FREE_BYTES = 1_000_000
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)


class Archive:
    """The parts of a zipped document. Raises `SourceLost` for what is broken, locked or a bomb."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        self._read = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as error:
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
        except _BROKEN as error:
            raise SourceLost(f"{self._name} is broken: {error}") from error
        self._read += len(data)
        packed = max(1, entry.compress_size)
        if len(data) > FREE_BYTES and len(data) > MAX_RATIO * packed:
            raise SourceLost(f"{self._name} is a decompression bomb")
        if len(data) > MAX_PART_BYTES or self._read > MAX_ALL_BYTES:
            raise SourceLost(f"{self._name} unpacks to more than is read")
        return data

    def xml(self, part: str) -> Element | None:
        """The tree of a part; None when there is no such part. Entities are refused."""
        data = self.read(part)
        if not data.strip():
            return None
        return parse_xml(data, self._name)


def refuse_entities(data: bytes, name: str) -> None:
    """Documents of such kinds declare none, so whoever does means harm."""
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]
    plain = data.replace(b"\0", b"") if wide else data
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise SourceLost(f"{name} declares entities, which documents of its kind never do")


def parse_xml(data: bytes, name: str) -> Element:
    """XML without a document type, so that no entity can be declared, let alone expanded."""
    refuse_entities(data, name)
    try:
        return ElementTree.fromstring(data)  # noqa: S314 - no document type, so no entities
    except (ElementTree.ParseError, UnicodeError, LookupError, ValueError) as error:
        raise SourceLost(f"{name} is broken: {error}") from error


def joined(folder: str, target: str) -> str:
    """The part that a relative target names; it cannot lead out of the archive."""
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")
