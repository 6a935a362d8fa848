"""Reads JSON the way models write it: one tolerant pass that never fails, only stops.

It takes quotes of any kind, names without quotes, comments, Python's literals, forgotten and
doubled commas, raw line breaks inside strings and a tail that was cut off. What it cannot make
sense of ends the value it stands in. Of a list that was cut off, an item that was torn apart is
left out where whole ones stand before it: half a query or half a sentence is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from leadline.frozen import frozen

MAX_DEPTH = 64
_BLANK = re.compile(r"(?:[\s\ufeff\u200b]+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_BARE = re.compile(r"[^\s,:{}\[\]\"'“”‘’`]+")
_TO_THE_END = re.compile(r"[^\n,}\]]*")
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "undefined": None,
    "nan": None,
    "yes": True,
    "no": False,
}
_DOUBLE, _SINGLE = '"“”„', "'‘’`"
# What ends a string, by what began it; a name may end with any quote of its kind.
_QUOTES = (
    {'"': '"', "'": "'", "`": "`"} | dict.fromkeys("“”„", _DOUBLE) | dict.fromkeys("‘’", _SINGLE)
)
_CODES = {"u": 4, "x": 2, "U": 8}  # hexadecimal digits after each; the last two are Python's
_HEX = re.compile(r"[0-9a-fA-F]+")
_LOW = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_MISSING = object()


@frozen
class Read:
    """A value, where it ended, and whether all of its brackets and quotes were closed."""

    value: Any
    end: int
    whole: bool


def read_value(text: str, start: int = 0) -> Read | None:
    """The value that begins at `start`, or None when none does."""
    reader = _Reader(text, start)
    value = reader.value(0)
    return None if value is _MISSING else Read(value, reader.at, reader.whole)


class _Reader:
    """One pass over one text; `at` only ever moves on."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.whole = text, at, True
        self._torn = False  # the innermost item ended with the text and not by itself

    def value(self, depth: int) -> Any:
        self._blank()
        here = self._here()
        if depth > MAX_DEPTH:
            return _MISSING
        if here in ("{", "["):
            value: Any = self._object(depth) if here == "{" else self._array(depth)
            # Brackets that the end of the text opened say nothing, not "nothing".
            return _MISSING if not value and not self.whole and not self._here() else value
        if here in _QUOTES:
            return self._string(_QUOTES[here], _after_value)
        return self._scalar()

    def _here(self) -> str:
        return self.text[self.at : self.at + 1]

    def _blank(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _object(self, depth: int) -> dict[str, Any]:
        self.at += 1
        found: dict[str, Any] = {}
        while self._goes_on("}"):
            name = self._name()
            if name is None:
                self.whole = False
                return found
            self._blank()
            if self._here() not in (":", "="):
                self._tear_at_end()
                continue  # a name without a value says nothing
            self.at += 1
            value = self.value(depth + 1)
            if value is _MISSING:
                self._tear_at_end()
            else:
                found[name] = value
        return found

    def _array(self, depth: int) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        while self._goes_on("]"):
            before = self.at
            value = self.value(depth + 1)
            torn, self._torn = self._torn, False
            if value is not _MISSING and not (torn and found):
                found.append(value)
            if self.at == before:
                self.whole = False
                return found
        return found

    def _tear_at_end(self) -> None:
        if not self._here():
            self.whole, self._torn = False, True

    def _goes_on(self, close: str) -> bool:
        """Past commas to the next item; False at the end, which a cut-off tail also is."""
        while True:
            self._blank()
            if self._here() not in (",", ";", "…"):
                break
            self.at += 1
        here = self._here()
        if here == close:
            self.at += 1
            return False
        if here in ("}", "]"):  # another bracket than ours: ours was forgotten
            self.whole = False
            return False
        if not here:
            self.whole = False
        return bool(here)

    def _name(self) -> str | None:
        if self._here() in _QUOTES:
            return self._string(_DOUBLE if self._here() in _DOUBLE else _SINGLE, _after_name)
        found = _BARE.match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        return found.group()

    def _string(self, closing: str, may_end: Callable[[str, int], bool]) -> str:
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            here = self._here()
            self.at += 1
            if here == "\\":
                parts.append(self._escape())
            elif here in closing and may_end(self.text, self.at):
                return "".join(parts)
            else:
                parts.append(here)
        self._tear_at_end()
        return "".join(parts)

    def _escape(self) -> str:
        here = self._here()
        self.at += 1
        if here in _CODES:
            digits = self.text[self.at : self.at + _CODES[here]]
            if _HEX.fullmatch(digits) and len(digits) == _CODES[here]:
                self.at += len(digits)
                return self._character(int(digits, 16))
            if self.at + len(digits) == len(self.text):
                self.at = len(self.text)
                return ""
            return "\\" + here
        if here == "":
            return ""
        return _ESCAPES.get(here, here if here in "\"'\\/`“”‘’" else "\\" + here)

    def _character(self, code: int) -> str:
        if 0xD800 <= code < 0xDC00:
            low = _LOW.match(self.text, self.at)
            if low:
                self.at = low.end()
                return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00)
        return chr(code) if code < 0xD800 or 0xE000 <= code < 0x110000 else "\ufffd"

    def _scalar(self) -> Any:
        word = _BARE.match(self.text, self.at)
        if not word:
            return _MISSING
        number = _NUMBER.fullmatch(word.group())
        self.at = word.end()
        self._tear_at_end()
        if number:
            return _number(number.group())
        known = _WORDS.get(word.group().lower(), _MISSING)
        return self._bare_text(word.start()) if known is _MISSING else known

    def _bare_text(self, start: int) -> Any:
        """Words without quotes up to what ends a value; at the very end they were cut off."""
        found = _TO_THE_END.match(self.text, start)
        self.at = found.end() if found else self.at
        words = self.text[start : self.at].strip()
        self._tear_at_end()
        if self._torn:
            begun = (_WORDS[word] for word in ("true", "false") if word.startswith(words.lower()))
            return next(begun, _MISSING)
        return words if words else _MISSING


def _number(text: str) -> Any:
    plain = text.replace("_", "").lstrip("+")
    try:
        return int(plain)
    except ValueError:
        return float(plain)


def _at(text: str, at: int) -> str:
    return text[at : at + 1]


def _past_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _after_name(text: str, at: int) -> bool:
    """Whether a quote before `at` ends a name: what follows could follow one."""
    return _at(text, _past_blank(text, at)) in ("", ":", "=", ",", "}")


def _after_value(text: str, at: int) -> bool:
    """Whether a quote before `at` ends a value; else it is one of the words in it."""
    after = _past_blank(text, at)
    follows = text[after : after + 1]
    if follows == ",":
        return _next_item(text, after + 1)
    return follows in ("", "}", "]", ";") or ("\n" in text[at:after] and follows in _QUOTES)


def _next_item(text: str, at: int) -> bool:
    """`"a", "b"` against `the "fast", cheap way`: after a comma of ours comes an item or an end."""
    after = _past_blank(text, at)
    follows = text[after : after + 1]
    if not follows or follows in _QUOTES or follows in "{[}]-+." or follows.isdigit():
        return True
    word = _BARE.match(text, after)
    if not word:
        return True
    return word.group().lower() in _WORDS or _at(text, _past_blank(text, word.end())) == ":"
