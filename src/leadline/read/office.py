"""What the office readers share: a zip that was looked through before a library opens it."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from leadline.errors import SourceLost
from leadline.read.safe_zip import Archive, refuse_entities

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
# What the libraries raise for parts that are not there, or not what they should be.
_BROKEN: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,  # lxml's errors are such
    TypeError,
    ValueError,
)


def checked(data: bytes, name: str) -> io.BytesIO:
    """The file, when no part of it is locked, a bomb, or declares entities.

    Strict files are told in the names that the libraries know.
    """
    archive = Archive(data, name)
    parts: dict[str, bytes] = {}
    is_strict = False
    for part in archive.names():
        content = parts[part] = archive.read(part)
        if part.endswith((".xml", ".rels", ".vml")):
            refuse_entities(content, name)
            parts[part] = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", content)
            is_strict |= parts[part] != content
    return _zipped(parts) if is_strict else io.BytesIO(data)


def _zipped(parts: dict[str, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    return file


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


def day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment is not None else ""
