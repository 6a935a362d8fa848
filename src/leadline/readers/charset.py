"""Bytes of the web to text: the mark, valid UTF-8, what header and page say, then a guess.

Headers and pages are often wrong about their charset, valid UTF-8 with letters beyond ASCII hardly
ever happens by accident, so it goes before both.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_IN_PAGE = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding=[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_LOOKED_AT = 4096
_GUESSED_FROM = 65_536
_PLAUSIBLE = (
    *("cp1252", "cp1251", "cp1250", "gb18030", "big5", "cp932", "euc_jp", "cp949", "koi8_r"),
    *("cp1253", "cp1254", "cp1255", "cp1256", "cp874", "iso8859_2", "iso8859_5", "iso8859_7"),
)
# What the web means by these names, as browsers read them.
_MEANT = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
}


def decode(data: bytes, content_type: str = "") -> str:
    """The text of `data`; what no charset explains becomes U+FFFD."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace").lstrip("\ufeff")
    named = [name for name in (_of_header(content_type), _of_page(data)) if name]
    if not any(name.startswith(("utf-16", "utf-32", "iso-2022", "utf-7")) for name in named):
        text = _strictly(data, "utf-8")
        if text is not None:
            return text
    for name in named:
        text = _strictly(data, name)
        if text is not None:
            return text
    return _guessed(data, named)


def _of_header(content_type: str) -> str:
    found = _IN_HEADER.search(content_type)
    return _known(found.group(1)) if found else ""


def _of_page(data: bytes) -> str:
    found = _IN_PAGE.search(data[:_LOOKED_AT])
    name = (found.group(1) or found.group(2)).decode("ascii", "ignore") if found else ""
    # A page whose own text names UTF-16 was readable as ASCII, so it is not.
    return _known(name) if not name.lower().startswith("utf-16") else ""


def _known(name: str) -> str:
    wanted = _MEANT.get(name.lower(), name.lower())
    try:
        return wanted if codecs.lookup(wanted)._is_text_encoding else ""
    except LookupError:
        return ""


def _strictly(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except (UnicodeDecodeError, ValueError):
        # A multi-byte letter cut at the end of a body does not make the charset wrong.
        return _but_the_end(data, name)


def _but_the_end(data: bytes, name: str) -> str | None:
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(data, final=False)
    except (UnicodeDecodeError, ValueError, LookupError):
        return None


def _guessed(data: bytes, named: list[str]) -> str:
    """UTF-8 with a few broken bytes, else the named charset with some, else by frequency."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if 10 * broken <= sum(not char.isascii() for char in text) - broken:
        return text
    other = next((name for name in named if name not in ("utf-8", "utf8")), "")
    if other:
        return data.decode(other, "replace")
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_GUESSED_FROM], cp_isolation=list(_PLAUSIBLE)).best()
    return data.decode(best.encoding if best else "cp1252", "replace")
