"""Merging: hits that overlap or say the same, word for word, become one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from leadline.types import Hit

_WORD = re.compile(r"\w+")
_ALIKE = 0.9  # share of words two hits have in common when they are the same text
_LONGEST = 3  # times the longest single hit that a merged one may reach


def merged(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in their order; one that overlaps or repeats a better one goes into it."""
    kept: list[Hit] = []
    words: list[frozenset[str]] = []
    ceiling = _LONGEST * max((len(hit.text) for hit in hits), default=0)
    for hit in hits:
        at = next((i for i, other in enumerate(kept) if _touch(other, hit)), None)
        if at is not None and _span(kept[at], hit) <= ceiling:
            kept[at] = _joined(kept[at], hit)
            words[at] = frozenset(_WORD.findall(kept[at].text.lower()))
            continue
        own = frozenset(_WORD.findall(hit.text.lower()))
        if not any(_same(own, other) for other in words):
            kept.append(hit)
            words.append(own)
    return kept


def _touch(one: Hit, two: Hit) -> bool:
    return (
        one.page == two.page
        and one.url == two.url
        and (one.start < two.end and two.start < one.end)
    )


def _span(one: Hit, two: Hit) -> int:
    return max(one.end, two.end) - min(one.start, two.start)


def _joined(better: Hit, other: Hit) -> Hit:
    """The better hit, widened by what the other adds."""
    first, second = sorted((better, other), key=lambda hit: hit.start)
    text = first.text + second.text[max(0, first.end - second.start) :]
    return replace(better, text=text, start=first.start, end=max(first.end, second.end))


def _same(one: frozenset[str], two: frozenset[str]) -> bool:
    """Near-identical words; copies that differ in a number are two."""
    if len(one & two) < _ALIKE * max(len(one), len(two), 1):
        return False
    return not any(word.isdecimal() for word in one ^ two)
