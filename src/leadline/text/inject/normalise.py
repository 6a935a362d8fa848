"""Undoing disguises: the text as a reader of any kind would understand it, with a way back.

Every character of the plain form knows where in the source it stands, so that what is found in it
can be shown and cut out. Hidden parts and encoded parts are brought to light by `hidden.py`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leadline.text.inject.features import Codes, Ints, among, codes_of, in_table

# Invisible: zero-width, joiners, bidirectional controls, fillers, soft hyphens.
_DROPPED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_LOOKS_LIKE = dict(
    zip(
        "авгԁеёзіїјкӏмнорстухһѕԛԝьαβγεηικνοπρτυχω",
        "abrdee3iijklmhopctyxhsqwbaByenikvonptuxw".lower(),
        strict=True,
    )
)
_LIKE_LATIN = "".join(_LOOKS_LIKE)
_HAS_LIKE = re.compile(f"[{_LIKE_LATIN}]")
_LETTERS = re.compile(r"[^\W\d_]{1,64}")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][ .*_-]){4,400}[^\W_](?![^\W_])")
_LEET = re.compile(r"(?<![\w@$!])[a-z]{0,20}[013457@$!][a-z013457@$!]{2,24}(?![\w@$!])")
_SIGNS, _SEPARATORS, _LONGEST = "013457@$!", " .*_-", 64
_LEET_CHARS = frozenset(string.ascii_lowercase + _SIGNS)
_LEET_RUN = re.compile(r"[a-z013457@$!]{1,64}")
_LEET_LETTERS = str.maketrans("013457@$!", "oieastasi")
_LEET_WORDS = frozenset(
    """ignore disregard forget previous instruction instructions system prompt prompts override
    bypass jailbreak password secret reveal assistant developer unrestricted unfiltered obey rules
    guidelines restrictions access granted""".split()  # noqa: SIM905
)


_NOWHERE: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Plain:
    """Text in small letters without disguise. `origin[n]` is where its n-th character stands in
    the source (None: at n); `disguised` are the places where something was undone."""

    text: str
    origin: Ints | None = None
    disguised: tuple[int, ...] = ()

    def source_of(self, start: int, end: int) -> tuple[int, int]:
        """The span of the source that `text[start:end]` came from."""
        if self.origin is None or not len(self.origin):
            return start, end
        last = len(self.origin) - 1
        return int(self.origin[min(start, last)]), int(
            self.origin[min(max(start, end - 1), last)]
        ) + 1


def plain(text: str) -> Plain:
    """`text` in small letters: invisible characters gone, look-alikes, wide letters, accents and
    leetspeak put back, letters that were spread out joined again."""
    if text.isascii():
        codes, origin = codes_of(text.lower()), None
        if "\r" in text:
            codes, origin = _kept(codes, None, codes != 13)
    else:
        codes, origin = _folded(text)
    low = _text_of(codes)
    notes: list[int] = []
    if not text.isascii():
        low = _latin(low, notes)
        notes.extend(_inside_words(text, origin))
    codes = codes_of(low)
    if (places := _leet_places(codes)).size:
        low = _unleeted(low, places, notes)
    gone = _gaps(low) if _may_be_spread(codes) else _NOWHERE
    if len(gone):
        notes.extend(int(at) for at in gone[:1])
        mask = np.ones(len(low), dtype=bool)
        mask[gone] = False
        codes, origin = _kept(codes_of(low), origin, mask)
        low = _text_of(codes)
    return Plain(low, origin, tuple(sorted(set(notes))))


def _text_of(codes: Codes) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _kept(codes: Codes, origin: Ints | None, mask: NDArray[np.bool_]) -> tuple[Codes, Ints]:
    kept = np.flatnonzero(mask)
    return codes[kept], kept if origin is None else origin[kept]


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """What stands for one character: none, one or (ligatures) several."""
    if _DROPPED.match(char) or char == "\r":
        return ""
    wide = unicodedata.normalize("NFKC", char)
    if all(ord(part) < 0x250 or 0x1E00 <= ord(part) < 0x1F00 for part in wide):
        wide = "".join(
            c for c in unicodedata.normalize("NFKD", wide) if not unicodedata.combining(c)
        )
    elif unicodedata.combining(char):
        return ""
    return _QUOTES.get(wide, wide).lower()[:8]


_QUOTES = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-"}


def _folded(text: str) -> tuple[Codes, Ints | None]:
    codes = codes_of(text)
    kinds, which = np.unique(codes, return_inverse=True)
    forms = [_fold(chr(code)) for code in kinds.tolist()]
    lengths = np.array([len(form) for form in forms], dtype=np.int64)
    table = codes_of("".join(forms))
    begins = np.cumsum(lengths) - lengths
    each = lengths[which]
    if (each == 1).all():
        return table[begins[which]], None
    origin = np.repeat(np.arange(len(codes)), each)
    within = np.arange(len(origin)) - np.repeat(np.cumsum(each) - each, each)
    return table[np.repeat(begins[which], each) + within], origin


def _latin(low: str, notes: list[int]) -> str:
    """Words of Latin letters in which some are borrowed from another alphabet, as they look."""
    if not _HAS_LIKE.search(low):
        return low
    letters = sum(map(str.isascii, low))
    mostly_latin = letters > 0.8 * len(low)

    parts: list[str] = []
    at = 0
    for like in _HAS_LIKE.finditer(low):
        if like.start() < at:
            continue
        start = like.start()
        while start > max(at, like.start() - _LONGEST) and low[start - 1].isalpha():
            start -= 1
        word = _LETTERS.match(low, start)
        if word is None or len(word.group()) < 2:
            continue
        parts += [low[at:start], _as_it_looks(word, mostly_latin, notes)]
        at = word.end()
    return "".join([*parts, low[at:]])


def _as_it_looks(match: re.Match[str], mostly_latin: bool, notes: list[int]) -> str:
    word = match.group()
    if not all(c.isascii() or c in _LOOKS_LIKE for c in word):
        return word
    if not any(c.isascii() for c in word) and not (mostly_latin and len(word) > 3):
        return word
    notes.append(match.start())
    return "".join(_LOOKS_LIKE.get(c, c) for c in word)


def _inside_words(text: str, origin: Ints | None) -> list[int]:
    """Places in the plain form where something invisible stood between two letters."""
    if origin is None:
        return []
    found = []
    for match in _DROPPED.finditer(text):
        at = match.start()
        if 0 < at < len(text) - 1 and text[at] != "\u00ad" and text[at - 1].isascii():
            if text[at - 1].isalpha() and text[at + 1].isalpha():
                found.append(int(np.searchsorted(origin, at)))
            if len(found) >= 64:
                break
    return found


def _leet_places(codes: Codes) -> Ints:
    """Where a digit or a sign stands like a letter: two more follow it, and one is a letter."""
    if len(codes) < 3:
        return _NOWHERE
    sign, letter = in_table(codes, among(_SIGNS)), in_table(codes, among(string.ascii_lowercase))
    either = sign | letter
    before = np.concatenate([[False], letter[:-3]])
    near = before | letter[1:-1] | letter[2:]
    return np.flatnonzero(sign[:-2] & either[1:-1] & either[2:] & near)


def _unleeted(low: str, places: Ints, notes: list[int]) -> str:
    parts: list[str] = []
    at = passed = 0
    for place in places.tolist():
        if place < passed:
            continue
        start = place
        while start > max(at, place - _LONGEST) and low[start - 1] in _LEET_CHARS:
            start -= 1
        passed = _LEET_RUN.match(low, place).end()  # type: ignore[union-attr]
        if (match := _LEET.match(low, start)) is not None:
            parts += [low[at:start], _unleet(match, notes)]
            at = match.end()
    return "".join([*parts, low[at:]])


def _may_be_spread(codes: Codes) -> bool:
    """Whether single characters stand between separators anywhere, as in "i g n o r e"."""
    if len(codes) < 9:
        return False
    gap = in_table(codes, among(_SEPARATORS))
    ink = ~(gap | in_table(codes, among("\n\t\r")))
    lone = ink[:-1] & gap[1:]
    return bool((lone[:-6] & lone[2:-4] & lone[4:-2] & lone[6:]).any())


def _unleet(match: re.Match[str], notes: list[int]) -> str:
    word = match.group()
    letters = word.translate(_LEET_LETTERS)
    if {letters, letters.rstrip("i")} & _LEET_WORDS and not word.strip("!").isalpha():
        notes.append(match.start())
        return letters
    return word


def _gaps(low: str) -> Ints:
    """Where the separators of spread-out words stand: "i g n o r e" has five."""
    gone = [
        at
        for match in _SPACED.finditer(low)
        if sum(map(str.isalpha, match.group())) > 4 and len(set(match.group()[::2])) > 2
        for at in range(match.start() + 1, match.end(), 2)
    ]
    return np.array(gone, dtype=np.int64)
