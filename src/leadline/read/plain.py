"""Plain text, and the decoding of bytes that every text format shares."""

from __future__ import annotations

import codecs
from pathlib import PurePosixPath

from leadline.errors import SourceLost
from leadline.types import Page

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SNIFFED = 8_192
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b\b"))


class PlainReader:
    suffixes: tuple[str, ...] = (".txt", ".text", ".log", ".csv", ".tsv")

    def read(self, data: bytes, name: str) -> Page:
        text = decoded(data, name)
        return Page(name, file_title(name), text, kind="document")


def decoded(data: bytes, name: str) -> str:
    """The text of `data` with line ends made one; raises `SourceLost` for what is not text."""
    text = _decoded(data, name).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise SourceLost(f"{name} is empty")
    return text


def _decoded(data: bytes, name: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError as error:
                raise SourceLost(f"{name} says it is {encoding} and is not: {error}") from error
    if is_binary(data):
        raise SourceLost(f"{name} is binary")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def is_binary(data: bytes) -> bool:
    """Text has no NUL and hardly any control characters."""
    head = data[:_SNIFFED]
    if b"\0" in head or b"\0" in data:
        return True
    controls = len(head) - len(head.translate(None, _CONTROL))
    return controls > len(head) // 100


def file_title(name: str) -> str:
    """A title made from a file's name; an index file takes its folder's."""
    path = PurePosixPath(name)
    stem = path.stem
    if stem.lower() in {"index", "readme"} and path.parent.name:
        stem = path.parent.name
    return stem.replace("_", " ").replace("-", " ").strip() or name
