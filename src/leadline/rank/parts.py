"""Parts: how much of a question, or of one of its parts, a text has the words for.

Words are weighed by rarity in the texts at hand; a word matches its own family ("director",
"directed"), and a few relations match the word the evidence uses ("birth", "born").
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from leadline.text.words import stem

_FAMILIES = (
    "birth born birthplace birthday",
    "death die dead died killed",
    "wife husband spouse marry married",
    "child son daughter",
    "father mother parent",
    "author write wrote written writer",
    "sing sang sung singer vocal performer",
    "buy bought purchase purchased",
    "begin began start started founded formed established",
    "win won winner",
    "country nationality",
    "movie film",
    "cancel abort",
    "delete remove",
    "create make made",
    "purpose function role used",
)
_RELATED: dict[str, frozenset[str]] = {}
for _line in _FAMILIES:
    _stems = frozenset(stem(word) for word in _line.split())
    for _word in _stems:
        _RELATED[_word] = _RELATED.get(_word, frozenset()) | _stems
_PREFIX = 5
_RELATED_COUNTS = 0.8  # of a word that is there itself


def rarity(texts: Sequence[Collection[str]]) -> dict[str, float]:
    """How telling each word is, by the share of `texts` that lack it; never less than a third."""
    counts = Counter(word for text in texts for word in set(text))
    return {word: _weight(count, len(texts)) for word, count in counts.items()}


def _weight(count: int, total: int) -> float:
    return 0.5 + math.log((total + 1) / (count + 0.5)) / math.log((total + 1) / 0.5)


def weight(word: str, rare: Mapping[str, float]) -> float:
    """The weight of `word`; one that no text has weighs most."""
    return rare.get(word, 1.5)


def matches(word: str, have: Collection[str]) -> float:
    """1 when `word` is in `have`, a little less for a relative of it, else 0."""
    if word in have:
        return 1.0
    related = _RELATED.get(word)
    if related and not related.isdisjoint(have):
        return _RELATED_COUNTS
    if len(word) > _PREFIX and word.isascii():
        head = word[: max(_PREFIX, math.ceil(0.7 * len(word)))]
        if any(other.startswith(head) and len(other) <= len(word) + 4 for other in have):
            return _RELATED_COUNTS
    return 0.0


def matched(wanted: Iterable[str], have: Collection[str]) -> dict[str, float]:
    """How far each word of `wanted` is there."""
    return {word: matches(word, have) for word in wanted}


def share(found: Mapping[str, float], rare: Mapping[str, float]) -> float:
    """The weighted share of the wanted words that were found, 0–1."""
    total = sum(weight(word, rare) for word in found)
    if not total:
        return 0.0
    return sum(weight(word, rare) * value for word, value in found.items()) / total


def coverage(wanted: Iterable[str], have: Collection[str], rare: Mapping[str, float]) -> float:
    """The weighted share of `wanted` that `have` holds."""
    return share(matched(wanted, have), rare)
