"""A sentence as tokens that can be compared: words by their roots, numbers and dates by value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from leadline.check.anchors import folded
from leadline.check.negation import root
from leadline.text.values import Date, Number, Value, equal, holds, values
from leadline.text.words import STOPWORDS

BE = frozenset("is are was were be been being".split())  # noqa: SIM905

_TOKEN = re.compile(r"n['’]t\b|[^\W_]+?(?=n['’]t\b)|[^\W_]+(?:['’](?!s\b)[^\W\d_]+)?")
_BREAK = re.compile(r"[,;:()\[\]–—]|\s-\s|\.\s")


@dataclass(frozen=True)
class Token:
    """A word by its root, or a number or date by its value."""

    text: str
    start: int
    end: int
    key: str
    value: Value | None = None
    breaks: bool = False  # a comma, a bracket or the like stands before it

    @property
    def word(self) -> str:
        return self.text.lower()

    @property
    def is_name(self) -> bool:
        """Whether it may be part of a name."""
        return self.value is None and self.text[0].isupper() and self.word not in STOPWORDS

    @property
    def is_fact(self) -> bool:
        return self.value is not None or self.is_name


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """The words and figures of `text` in order."""
    figures: dict[tuple[int, int], Value] = {}
    for one in values(text):
        figures.setdefault((one.start, one.end), one)
    spans: list[tuple[int, int, Value | None]] = [(*at, one) for at, one in figures.items()]
    spans += [
        (*match.span(), None)
        for match in _TOKEN.finditer(text)
        if not any(match.start() < end and start < match.end() for start, end in figures)
    ]
    found: list[Token] = []
    last = 0
    for start, end, value in sorted(spans, key=lambda span: span[:2]):
        breaks = bool(found) and bool(_BREAK.search(text[last:start]))
        found.append(Token(text[start:end], start, end, _key(text[start:end]), value, breaks))
        last = end
    return tuple(found)


def same(ours: Token, theirs: Token) -> bool:
    """Whether two tokens say the same; a date may be told less exactly than its source has it."""
    one, two = ours.value, theirs.value
    if isinstance(one, Number) and isinstance(two, Number):
        return equal(one, two)
    if isinstance(one, Date) and isinstance(two, Date):
        return holds(two, one)
    if one is not None and two is not None:
        return _count(one) == _count(two) is not None
    return one is two is None and ours.key == theirs.key


def _count(value: Value) -> float | None:
    """The bare number that is written: "1200" may be read as a year."""
    if isinstance(value, Number):
        return None if value.unit else value.value
    return float(value.low) if value.is_year and not value.month else None


def _key(word: str) -> str:
    low = folded(word).lower()
    return "be" if low in BE else "not" if low in ("n't", "n’t") else root(low)
