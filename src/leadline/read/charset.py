"""Bytes of files and the web to text: by their mark, as UTF-8, as header and page say, then by a
guess of charset-normalizer.

Headers and pages are often wrong about their charset, and valid UTF-8 with letters beyond ASCII
hardly ever happens by accident, so it goes before both.
"""

from __future__ import annotations

import codecs
import re

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_IN_PAGE = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*(?:[\"']\s*)?([\w.:-]+)|<\?xml[^>]{0,100}?encoding=[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_HEAD = 4096
_HALF_ZEROS = 0.3  # of the letters of UTF-16 in ASCII nearly all have a zero byte
_GUESSED_FROM = 65_536
_PLAUSIBLE = (
    *("cp1252", "cp1251", "cp1250", "gb18030", "big5", "cp932", "euc_jp", "cp949", "koi8_r"),
    *("cp1253", "cp1254", "cp1255", "cp1256", "cp874", "iso8859_2", "iso8859_5", "iso8859_7"),
)
# What the web means by these names, as browsers read them: Python's names, and some that it lacks.
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "windows-874": "cp874",
}
# In these, what is no text of theirs may be valid UTF-8 all the same.
_NOT_UTF_8 = ("utf-16", "utf-32", "utf-7", "iso2022", "hz")
# Python's names of what is no charset of the web: ways to write a host, a literal, and an error.
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"})


def decode(data: bytes, content_type: str = "") -> str:
    """The text of `data`, whatever it is and is called; what no charset explains becomes U+FFFD."""
    for mark, name in MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace").lstrip("\ufeff")
    names = _named(data, content_type)
    if not any(name.startswith(_NOT_UTF_8) for name in names):
        names = ["utf-8", *names]
    texts = (_strictly(data, name) for name in names)
    return next((text for text in texts if text is not None), None) or _guessed(data, names)


def _named(data: bytes, content_type: str) -> list[str]:
    """The charsets to try, the likeliest first."""
    in_header, in_page = _IN_HEADER.search(content_type), _IN_PAGE.search(data[:_HEAD])
    header = _known(in_header[1]) if in_header else ""
    page = _known((in_page[1] or in_page[2]).decode("ascii", "ignore")) if in_page else ""
    if header in ("", "utf-16") and (wide := _wide(data)):
        return [wide]
    if page.startswith("utf-16"):  # what names it was readable as ASCII, so it is not
        page = ""
    if header == "cp1252":  # servers say so of everything; a page knows what it was written in
        header, page = page, header
    return [name for name in (header, page) if name]


def _wide(data: bytes) -> str:
    """Which UTF-16 the zeros tell of: half of each letter or space in ASCII is one."""
    head = data[:_HEAD]
    high, low = head[::2].count(0), head[1::2].count(0)
    name = "utf-16-be" if high > low else "utf-16-le"
    is_wide = max(high, low) > max(4 * min(high, low), _HALF_ZEROS * len(head) / 2)
    return name if is_wide and _strictly(data, name) is not None else ""


def _known(name: str) -> str:
    """Python's name of a charset of the web; empty when there is none."""
    try:
        found = codecs.lookup(_MEANT.get(name.lower(), name))
    except (LookupError, ValueError):  # a name with a NUL in it is a wrong value
        return ""
    if not found._is_text_encoding or found.name.replace("-", "_") in _NO_CHARSETS:
        return ""
    return _MEANT.get(found.name, found.name)


def _strictly(data: bytes, name: str) -> str | None:
    """The text, when no byte is wrong; a letter cut at the end does not make the charset wrong."""
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(data, final=False)
    except (UnicodeDecodeError, ValueError, LookupError):
        return None


def _guessed(data: bytes, names: list[str]) -> str:
    """UTF-8 or the named charset with a few broken bytes, else by frequency."""
    for name in ("utf-8", *names):
        text = data.decode(name, "replace")
        if 30 * text.count("\ufffd") <= sum(not char.isascii() for char in text):
            return text
    from charset_normalizer import from_bytes

    matches = list(from_bytes(data[:_GUESSED_FROM], cp_isolation=list(_PLAUSIBLE)))
    best = matches[0].encoding if matches else "cp1252"
    if any("cp1252" in match.could_be_from_charset and not match.chaos for match in matches):
        best = "cp1252"  # a few words say little, and this is the likeliest
    return data.decode(best, "replace")
