"""Readers: bytes of one format to a page of text; the registry goes by suffix."""

from __future__ import annotations

from pathlib import PurePosixPath

from leadline.ports import Reader
from leadline.readers.plain import PlainReader
from leadline.types import Page


def reader_for(name: str) -> Reader:
    return PlainReader()


def read(data: bytes, name: str) -> Page:
    """The page that `data` of the file `name` holds. Raises `SourceLost`."""
    return reader_for(PurePosixPath(name).suffix.lower()).read(data, name)
