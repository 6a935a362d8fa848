"""Builds small office files and books for the tests, with the libraries that others wrote."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_ABOUT = {"title": "The title", "created": datetime(2024, 5, 6, tzinfo=UTC).replace(tzinfo=None)}


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def saved(document: Any, author: str = "author") -> bytes:
    """The bytes of what python-docx, python-pptx or openpyxl built, with properties."""
    about = getattr(document, "core_properties", None) or document.properties
    for name, value in {**_ABOUT, author: "Ann Lee"}.items():
        setattr(about, name, value)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def encrypted(data: bytes) -> bytes:
    """The same archive with every part marked as encrypted."""
    marked = bytearray(data)
    for signature, flag_at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = marked.find(signature)
        while at >= 0:
            marked[at + flag_at] |= 1
            at = marked.find(signature, at + 4)
    return bytes(marked)


def as_strict(data: bytes) -> bytes:
    """The same file in the names of the strict format."""
    start = b"http://schemas.openxmlformats.org/"
    names = ("wordprocessingml", "presentationml", "spreadsheetml", "drawingml", "officeDocument")
    parts = unpacked(data)
    for name in names:
        old, new = f"{name}/2006/".encode(), f"http://purl.oclc.org/ooxml/{name}/".encode()
        parts = {part: content.replace(start + old, new) for part, content in parts.items()}
    return packed(parts)
