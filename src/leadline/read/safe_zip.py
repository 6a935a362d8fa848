"""Files that are zip archives of XML: opened with limits, parsed without entities.

Nothing is written to disk, and a name inside the archive is only ever looked up in it.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
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

    def __contains__(self, part: str) -> bool:
        return part in self._parts

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

    def related(self, part: str) -> dict[str, str]:
        """The relationships of a part: id to the name of the part it leads to."""
        folder, file = posixpath.split(part)
        root = self.xml(f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels")
        found: dict[str, str] = {}
        for one in () if root is None else root:
            if one.get("TargetMode") != "External":
                found[one.get("Id", "")] = joined(folder, one.get("Target", ""))
        return found


def parse_xml(data: bytes, name: str) -> Element:
    """XML without a document type, so that no entity can be declared, let alone expanded."""
    head = data if data[:2] not in (b"\xff\xfe", b"\xfe\xff") else data.decode("utf-16").encode()
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise SourceLost(f"{name} declares entities, which documents of its kind never do")
    try:
        return ElementTree.fromstring(data)  # noqa: S314 - no document type, so no entities
    except (ElementTree.ParseError, UnicodeError, LookupError, ValueError) as error:
        raise SourceLost(f"{name} is broken: {error}") from error


def joined(folder: str, target: str) -> str:
    """The part that a relative target names; it cannot lead out of the archive."""
    path = target if target.startswith("/") else posixpath.join("/", folder, target)
    return posixpath.normpath(path).lstrip("/")


def local(element: Element) -> str:
    """The name of an element without its namespace; strict and transitional files differ in it."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """An attribute by its name without a namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def child(element: Element | None, *path: str) -> Element | None:
    """The first element down a path of names."""
    for name in path:
        if element is None:
            return None
        element = next((one for one in element if local(one) == name), None)
    return element


def below(element: Element, name: str) -> Iterator[Element]:
    """All elements of that name below."""
    return (one for one in element.iter() if local(one) == name)


def core_properties(archive: Archive) -> tuple[str, str, str]:
    """Title, author and date of an office file."""
    root = archive.xml("docProps/core.xml")
    found = {} if root is None else {local(one): (one.text or "").strip() for one in root}
    date = (found.get("created") or found.get("modified") or "")[:10]
    return found.get("title", ""), found.get("creator", ""), date
