"""PDF to text, page by page, by pypdfium2. Scanned pages hold no text and are said to."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from leadline.errors import SourceLost
from leadline.read.text import file_title
from leadline.types import Page

if TYPE_CHECKING:
    import pypdfium2

_ONE_AT_A_TIME = threading.Lock()  # PDFium is not safe to use from two threads
_HYPHENATED = re.compile(r"(?<=[a-z])(?:-|\ufffe|\u00ad)\n(?=[a-z])")
_PAGE_BREAK = "\n\n\f"


class PdfReader:
    suffixes: tuple[str, ...] = (".pdf",)

    def read(self, data: bytes, name: str) -> Page:
        import pypdfium2

        with _ONE_AT_A_TIME:
            try:
                document = pypdfium2.PdfDocument(data)
            except pypdfium2.PdfiumError as error:
                raise SourceLost(f"{name} cannot be opened: {_reason(error)}") from error
            try:
                return _page(document, name)
            finally:
                document.close()


def _reason(error: Exception) -> str:
    said = str(error)
    return "it is encrypted and needs a password" if "assword" in said else said.rstrip(".")


def _page(document: pypdfium2.PdfDocument, name: str) -> Page:
    import pypdfium2

    try:
        meta = document.get_metadata_dict(skip_empty=True)
        texts = [_text_of(document, number) for number in range(len(document))]
    except pypdfium2.PdfiumError as error:
        raise SourceLost(f"{name} is broken: {error}") from error
    text = _PAGE_BREAK.join(texts)
    if not text.strip():
        raise SourceLost(f"{name} holds no text; it may be a scan")
    return Page(
        name,
        " ".join(meta.get("Title", "").split()) or _first_line(text) or file_title(name),
        text,
        kind="document",
        author=meta.get("Author", ""),
        date=_date(meta.get("CreationDate", "")),
    )


def _text_of(document: pypdfium2.PdfDocument, number: int) -> str:
    page = document[number]
    words = page.get_textpage()
    try:
        raw = words.get_text_bounded()
    finally:
        words.close()
        page.close()
    clean = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    clean = clean.encode("utf-8", "replace").decode()
    return _HYPHENATED.sub("", clean).strip()


def _first_line(text: str) -> str:
    line = text.lstrip().split("\n", 1)[0].strip()
    return line if 3 <= len(line) <= 150 else ""


def _date(said: str) -> str:
    found = re.match(r"D:(\d{4})(\d\d)?(\d\d)?", said)
    return "-".join(part for part in found.groups() if part) if found else ""
