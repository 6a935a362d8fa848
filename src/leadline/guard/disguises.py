"""Undoing disguises: a text as its reader understands it, with the way back to the source.

Invisible characters, look-alike letters and wide letters are undone in `plain`; what is written in
another coding is brought to light by `decoded`.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# What is invisible beside the characters of Unicode's class "Cf": joiners, fillers, selectors.
_FILLERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_MARKS = str.maketrans("“”„«»‘’–—", '"""""\'\'--')
_LOOK_ALIKE = dict(
    zip(
        "авгԁеёзіїјкӏмнорстухһѕԛԝьαβγεηικνοπρτυχω",
        "abrdee3iijklmhopctyxhsqwbabyenikvonptuxw",
        strict=True,
    )
)
_HAS_LOOK_ALIKE = re.compile(f"[{''.join(_LOOK_ALIKE)}]")
_TO_LATIN = str.maketrans(_LOOK_ALIKE)
_WORD = re.compile(r"[^\W\d_]{2,64}")


@dataclass(frozen=True)
class Plain:
    """Text in small letters without disguise; `origin[n]` is where its n-th character stands in the
    source (None: at n)."""

    text: str
    origin: Ints | None = None

    def source_of(self, start: int, end: int) -> tuple[int, int]:
        """The span of the source that `text[start:end]` came from."""
        if self.origin is None or not len(self.origin):
            return start, end
        last = len(self.origin) - 1
        begin = int(self.origin[min(start, last)])
        return begin, int(self.origin[min(max(start, end - 1), last)]) + 1


def plain(text: str) -> Plain:
    """`text` in small letters, without invisible characters, accents and wide letters, and with
    letters that other alphabets lent to Latin words as they look."""
    if text.isascii():
        return Plain(text.lower())
    forms = [_folded(char) for char in text]
    origin = np.repeat(np.arange(len(text)), [len(form) for form in forms])
    return Plain(_without_look_alikes("".join(forms)), origin)


@lru_cache(maxsize=65_536)
def _folded(char: str) -> str:
    """What stands for one character: none, one or (ligatures) several."""
    if char.isascii():
        return char.lower()
    if "\U000e0020" <= char <= "\U000e007e":  # tags: letters that only a machine sees
        return chr(ord(char) - 0xE0000).lower()
    if unicodedata.category(char) == "Cf" or _FILLERS.match(char):
        return ""
    parts = unicodedata.normalize("NFKD", char)
    base = "".join(part for part in parts if not unicodedata.combining(part))
    if not base.isascii():  # in other alphabets a letter with a sign is a letter of its own
        base = unicodedata.normalize("NFKC", char)
    return base.translate(_MARKS).lower()[:8]


def _without_look_alikes(text: str) -> str:
    """`text`, of the same length, with words of Latin letters that have others among them as they
    look."""
    return _WORD.sub(_as_it_looks, text) if _HAS_LOOK_ALIKE.search(text) else text


def _as_it_looks(match: re.Match[str]) -> str:
    word = match.group()
    latin = word.translate(_TO_LATIN)
    borrowed = latin.isascii() and any(map(str.isascii, word))
    return latin if borrowed else word


# ── other codings ───────────────────────────────────────────────────────────────────────────

MOST_BLOBS = 64  # of one coding in one text


@dataclass(frozen=True)
class Piece:
    """`text` that `source[start:end]` holds out of sight, and how."""

    text: str
    start: int
    end: int
    reason: str


def decoded(text: str) -> tuple[Piece, ...]:
    """The parts of `text` that are words in another coding."""
    pieces: list[Piece] = []
    for reason, pattern, decode in _CODINGS:
        blobs = (Piece(decode(one[0]), *one.span(), reason) for one in pattern.finditer(text))
        pieces += islice((blob for blob in blobs if _is_readable(blob.text)), MOST_BLOBS)
    return tuple(pieces)


def _is_readable(text: str) -> bool:
    """Letters for the most part, and spaces between them."""
    letters = sum(char.isalpha() or char == " " for char in text)
    return len(text) >= 8 and letters >= 0.8 * len(text) and " " in text


def _from_base64(blob: str) -> str:
    body = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hexadecimal(blob: str) -> str:
    return bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", blob)).decode("utf-8", "ignore")


_CODINGS = (
    (
        "base64",
        re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,8192}={0,2}(?![A-Za-z0-9+/=_-])"),
        _from_base64,
    ),
    (
        "hexadecimal",
        re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ :,]?){10,2048}(?![0-9A-Za-z])"),
        _from_hexadecimal,
    ),
)
