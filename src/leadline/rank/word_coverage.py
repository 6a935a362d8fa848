"""How much of a question, or of one of its parts, a text has the words for.

Words are weighed by rarity in the texts at hand; a word matches its own family ("director",
"directed"), other forms of its verb ("sink", "sank"), and a few relations match the word that
evidence uses for them ("birth", "born").
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from leadline.question.verbs import forms
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
    "deep depth",
    "tall high height",
    "long length",
    "wide width",
    "old age aged",
    "purpose function role used",
)
_SAME_HEAD = 5
_RELATIVE = 0.8  # what a relative counts of the word itself
_UNSEEN = 1.5


def _related() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _FAMILIES:
        family = frozenset(stem(word) for word in line.split())
        for word in family:
            found[word] = found.get(word, frozenset()) | family
    return found


_RELATED = _related()
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def _stand_ins(word: str) -> frozenset[str]:
    """The words that mean `word`, whatever they begin with."""
    return (_RELATED.get(word, _NONE) | forms(word)) - {word}


def relatives(word: str) -> list[str]:
    """Other words for `word`, as they are written."""
    low = word.lower()
    lines = [line.split() for line in _FAMILIES if low in line.split()]
    return [other for line in lines for other in line if stem(other) != stem(low)]


def rarity(texts: Sequence[Collection[str]]) -> dict[str, float]:
    """How telling each word is by the share of `texts` that lack it: from about 0.5 to 1.5."""
    counts = Counter(word for text in texts for word in set(text))
    most = math.log((len(texts) + 1) / 0.5)
    return {
        word: 0.5 + math.log((len(texts) + 1) / (count + 0.5)) / most
        for word, count in counts.items()
    }


def weights(wanted: Iterable[str], rare: Mapping[str, float]) -> list[float]:
    """The weight of each wanted word; one that no text has weighs most."""
    return [rare.get(word, _UNSEEN) for word in wanted]


def coverage(wanted: Sequence[str], have: Collection[str], rare: Mapping[str, float]) -> float:
    """The weighted share of `wanted` that `have` holds, 0–1."""
    terms = tuple(dict.fromkeys(wanted))
    return share(held(terms, have), weights(terms, rare))


def share(found: Sequence[float], weight: Sequence[float]) -> float:
    """The weighted share of the wanted words that were found, 0–1."""
    total = sum(weight)
    return sum(f * w for f, w in zip(found, weight, strict=True)) / total if total else 0.0


def held(wanted: Sequence[str], have: Collection[str]) -> list[float]:
    """How far each wanted word is there: 1, or less for a word of its family, or 0."""
    if isinstance(have, frozenset):
        return _held_often(tuple(wanted), have)
    return [_held(word, have) for word in wanted]


@lru_cache(maxsize=8192)  # every round asks again about all that was found until then
def _held_often(wanted: tuple[str, ...], have: frozenset[str]) -> list[float]:
    return [_held(word, have) for word in wanted]


def _held(word: str, have: Collection[str]) -> float:
    """How far a wanted word is there; its family is only looked for where it is not."""
    if word in have:
        return 1.0
    if not _stand_ins(word).isdisjoint(have):
        return _RELATIVE
    if len(word) <= _SAME_HEAD or not word.isascii():
        return 0.0
    head, longest = word[: max(_SAME_HEAD, math.ceil(0.7 * len(word)))], len(word) + 4
    near = any(other.startswith(head) and len(other) <= longest for other in have)
    return _RELATIVE if near else 0.0
