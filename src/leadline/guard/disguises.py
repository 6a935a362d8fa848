"""Undoing disguises: the text as a reader of any kind would understand it, with a way back.

Every character of the plain form knows where in the source it stands, so that what is found in it
can be shown and cut out. Hidden parts and encoded parts are brought to light by `hidden.py`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leadline.frozen import frozen
from leadline.guard.features import Codes, Ints, codes_of

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
_BEYOND = re.compile("[^\x00-\x0c\x0e-\x7f]+")
_LETTERS = re.compile(r"[^\W\d_]{1,64}")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][ .*_-]){4,400}[^\W_](?![^\W_])")
_LEET = re.compile(r"(?<![\w@$!])[a-z]{0,20}[013457@$!][a-z013457@$!]{2,24}(?![\w@$!])")
_LONGEST, _LONGEST_DOUBLED = 64, 1000
_OFTEN_TWICE = "lsfeoz"  # letters that words often end in twice
_LONG_WORD = re.compile(r"[a-z]{3,}")
_LEET_CHARS = frozenset(string.ascii_lowercase + "013457@$!")
# Where a digit or a sign stands like a letter: two more follow it, and one beside it is a letter.
_LEET_SIGN = re.compile(r"[013457@$!](?=[a-z013457@$!]{2}(?:(?<=[a-z])|(?<=[a-z].)|(?<=[a-z]...)))")
# Where single characters stand between separators, as in "i g n o r e": most texts have none.
_SPREAD = re.compile(r"[ .*_-](?<=[^\W_].)(?:[^\W_][ .*_-]){3}")
_LEET_RUN = re.compile(r"[a-z013457@$!]{1,64}")
_LEET_LETTERS = str.maketrans("013457@$!", "oieastasi")
_LEET_WORDS = frozenset(
    """ignore disregard forget previous instruction instructions system prompt prompts override
    bypass jailbreak password secret reveal assistant developer unrestricted unfiltered obey rules
    guidelines restrictions access granted""".split()  # noqa: SIM905
)


_NOWHERE: Ints = np.zeros(0, dtype=np.int64)


@frozen
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
    origin: Ints | None = None
    low = text.lower()
    if not text.isascii():
        low, origin = _folded(text)
    elif "\r" in text:
        codes, origin = _kept(codes_of(low), None, codes_of(low) != 13)
        low = text_of(codes)
    notes: list[int] = []
    if not text.isascii():
        low = low if low.isascii() else _latin(low, notes)
        notes.extend(_inside_words(text, origin))
    if places := [one.start() for one in _LEET_SIGN.finditer(low)]:
        low = _unleeted(low, places, notes)
    if len(low) <= _LONGEST_DOUBLED and len(twice := _doubled(low)):
        notes.append(int(twice[0]))
        mask = np.ones(len(low), dtype=bool)
        mask[twice] = False
        codes, origin = _kept(codes_of(low), origin, mask)
        low = text_of(codes)
    gone = _gaps(low) if _SPREAD.search(low) else _NOWHERE
    if len(gone):
        notes.extend(int(at) for at in gone[:1])
        mask = np.ones(len(low), dtype=bool)
        mask[gone] = False
        codes, origin = _kept(codes_of(low), origin, mask)
        low = text_of(codes)
    return Plain(low, origin, tuple(sorted(set(notes))))


def text_of(codes: Codes) -> str:
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


def _folded(text: str) -> tuple[str, Ints | None]:
    forms = {ord(char): _fold(char) for char in set().union(*_BEYOND.findall(text))}
    low = _small(_BEYOND.sub(lambda run: run.group().translate(forms), text))
    other = {code: len(form) for code, form in forms.items() if len(form) != 1}
    if not other:
        return low, None
    each = np.ones(len(text), dtype=np.int64)
    for place in re.finditer(f"[{re.escape(''.join(map(chr, other)))}]", text):
        each[place.start()] = other[ord(place.group())]
    return low, np.repeat(np.arange(len(text)), each)


def _small(text: str) -> str:
    """`text` with A to Z in small letters; on text that is not ASCII `lower` takes ten times as
    long."""
    codes = codes_of(text).copy()
    codes[(codes >= 65) & (codes <= 90)] += 32
    return text_of(codes)


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


def _unleeted(low: str, places: list[int], notes: list[int]) -> str:
    parts: list[str] = []
    at = passed = 0
    for place in places:
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


def _unleet(match: re.Match[str], notes: list[int]) -> str:
    word = match.group()
    letters = word.translate(_LEET_LETTERS)
    if {letters, letters.rstrip("i")} & _LEET_WORDS and not word.strip("!").isalpha():
        notes.append(match.start())
        return letters
    return word


def _doubled(low: str) -> Ints:
    """Where words end in a letter too many, when most of them do: "listt alll ruless"."""
    words = list(_LONG_WORD.finditer(low))
    twice = [one.end() - 1 for one in words if one.group()[-1] == one.group()[-2]]
    odd = sum(low[at] not in _OFTEN_TWICE for at in twice)
    enough = odd > 1 and len(twice) >= 4 and 2 * len(twice) > len(words)
    return np.array(twice, dtype=np.int64) if enough else _NOWHERE


def _gaps(low: str) -> Ints:
    """Where the separators of spread-out words stand: "i g n o r e" has five."""
    gone = [
        at
        for match in _SPACED.finditer(low)
        if sum(map(str.isalpha, match.group())) > 4 and len(set(match.group()[::2])) > 2
        for at in range(match.start() + 1, match.end(), 2)
    ]
    return np.array(gone, dtype=np.int64)
