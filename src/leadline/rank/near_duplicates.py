"""Near copies: the same text under two addresses is one source; with other numbers it is two."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Literal

from leadline.text.words import words

Likeness = Literal["same", "numbers_differ", "different"]

ALIKE = 0.8  # shared runs of words, of all runs in either
RUN = 4
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r",(?=\d{3}\b)")


@lru_cache(maxsize=8192)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of `RUN` words with every number masked, so that only the wording is compared."""
    masked = words(_NUMBER.sub("0", text))
    if len(masked) <= RUN:
        return frozenset({tuple(masked)})
    return frozenset(zip(*(masked[shift:] for shift in range(RUN)), strict=False))


@lru_cache(maxsize=8192)
def _numbers(text: str) -> tuple[str, ...]:
    return tuple(sorted(_NUMBER.findall(_THOUSANDS.sub("", text))))


def differing(a: str, b: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbers that only the first text has, and those that only the second has, in order."""
    first = _NUMBER.findall(_THOUSANDS.sub("", a))
    second = _NUMBER.findall(_THOUSANDS.sub("", b))
    left, right = Counter(first) - Counter(second), Counter(second) - Counter(first)
    return (
        tuple(dict.fromkeys(one for one in first if one in left)),
        tuple(dict.fromkeys(one for one in second if one in right)),
    )


def same_text(a: str, b: str) -> Likeness:
    """Whether two texts are copies. Empty texts are copies of each other only."""
    if a == b:
        return "same"
    first, second = _runs(a), _runs(b)
    small, large = sorted((len(first), len(second)))
    if small < ALIKE * large:
        return "different"
    shared = len(first & second)
    if shared < ALIKE * (len(first) + len(second) - shared):
        return "different"
    return "same" if _numbers(a) == _numbers(b) else "numbers_differ"
