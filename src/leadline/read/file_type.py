"""What a fetched file is: by what the server says, and by its first bytes where they know better.

Only text is of use here, so pictures, sound and programs are refused before their body is fetched.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import urlsplit

from leadline.errors import SourceLost

Kind = Literal["html", "text", "pdf", "docx", "pptx", "xlsx", "epub"]

_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    _OFFICE + "wordprocessingml.document": "docx",
    _OFFICE + "presentationml.presentation": "pptx",
    _OFFICE + "spreadsheetml.sheet": "xlsx",
    "application/epub+zip": "epub",
}
_TEXT = re.compile(
    r"text/(?!(?:css|javascript|event-stream|calendar)$)"
    r"|application/(?:[\w.-]+\+(?:json|xml)|json|x-ndjson|xml|yaml|toml|rtf|x-tex)$"
)
# Types that servers give to anything: the bytes and the name decide.
_VAGUE = re.compile(
    r"$|\w+/octet-stream$|application/(?:(?:x-|force-)?download|(?:x-)?zip|unknown)"
)
_SUFFIXES: dict[str, Kind] = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".epub": "epub",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
_PARTS: dict[str, Kind] = {
    "meta-inf/container.xml": "epub",
    "word/": "docx",
    "ppt/": "pptx",
    "xl/": "xlsx",
}
# What has been passed over stays so (`*+`): else comments could be cut up in endlessly many ways.
_MARKUP = re.compile(
    rb"\s*+(?:<\?xml[^>]*>\s*+)?(?:<!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head|body|title|meta)\b",
    re.IGNORECASE | re.DOTALL,
)


def media_type(content_type: str) -> str:
    """The type of a Content-Type header, without its parameters."""
    return content_type.partition(";")[0].strip().lower()


def declared_kind(content_type: str, url: str) -> Kind | None:
    """What the server says it sends; None when only the bytes can tell.

    Raises `SourceLost` for what holds no text.
    """
    kind = media_type(content_type)
    if kind in _TYPES:
        return _TYPES[kind]
    if _VAGUE.match(kind):
        return _SUFFIXES.get(PurePosixPath(urlsplit(url).path).suffix.lower())
    if _TEXT.match(kind):
        return "text"
    raise SourceLost(f"{kind} holds no text to read")


def kind_of(data: bytes, content_type: str, url: str) -> Kind:
    """What the bytes are; the declared type decides only where they do not."""
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _packed(data)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise SourceLost("an encrypted or old binary office file cannot be read")
    declared = declared_kind(content_type, url)
    if declared == "html" or _MARKUP.match(_plain(data[:4096])):
        return "html"
    if declared in (None, "text"):
        return "text"
    raise SourceLost(f"a {declared} file was promised, and something else was sent")


def _plain(head: bytes) -> bytes:
    """The first bytes without a mark and, where they are UTF-16, without every other."""
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\0", b"")


def _packed(data: bytes) -> Kind:
    """Which of the zipped formats this is, by the parts inside."""
    try:
        names = set(zipfile.ZipFile(io.BytesIO(data)).namelist())
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise SourceLost(f"a broken zip file: {error}") from error
    for start, kind in _PARTS.items():
        if any(name.lower().startswith(start) for name in names):
            return kind
    raise SourceLost("a zip file that is no document")
