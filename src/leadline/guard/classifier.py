"""The linear model: what stretches of a plain text are worth, by their words and by the rules.

The features are hashed runs of up to three words. `bench/train_inject.py` made the weights;
`weights.bin` holds them as a small header of JSON, a line end, and one signed byte for each bucket,
packed.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leadline.guard.disguises import Ints
from leadline.guard.rules import Match, Rule, all_rules, find_matches, shipped_file

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

BITS = 18
BUCKETS = 1 << BITS
SCALES = ((320, 160), (120, 60))  # characters in a window, and how far apart windows begin
FEWEST = 8  # runs that a window is taken to hold at least
LONGEST = 64  # letters of a word that are looked at

_TOKEN = re.compile(
    r"\n|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|\d+|(?:[^\w\s\x00-\x1f]|_)+"
)
_BASE, _MIX = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
_A, _B, _C = (np.uint64(n) for n in (0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3))


@dataclass(frozen=True)
class Tokens:
    """Words, numbers, marks and line ends in reading order; `keys` are hashes of their letters."""

    words: tuple[str, ...]
    start: Ints
    end: Ints
    keys: Keys


def tokens(text: str) -> Tokens:
    """The tokens of a plain text."""
    found = [(match.start(), match.group()) for match in _TOKEN.finditer(text)]
    words = tuple(word for _, word in found)
    start = np.array([at for at, _ in found], dtype=np.int64)
    size = np.array([len(word) for word in words], dtype=np.int64)
    keys = np.array([_key(word[:LONGEST]) for word in words], dtype=np.uint64)
    return Tokens(words, start, start + size, keys)


@lru_cache(maxsize=65_536)
def _key(word: str) -> int:
    """A hash of a word; all numbers have one, and a row of marks counts as three ("=====")."""
    if word[0].isdigit():
        word = "0"
    elif not word[0].isalpha():
        word = word[:3]
    key = 0
    for char in reversed(word):
        key = key * _BASE + ord(char)
    return key * _MIX % (1 << 64)


def word_runs(keys: Keys) -> list[tuple[int, Ints]]:
    """(reach, bucket) of single words, pairs, triples, and pairs with one word between."""
    return [
        (1, _buckets(keys * _A)),
        (2, _buckets(keys[:-1] * _A + keys[1:] * _B)),
        (3, _buckets(keys[:-2] * _A + keys[1:-1] * _B + keys[2:] * _C)),
        (3, _buckets(keys[:-2] * _B + keys[2:] * _C)),
    ]


def _buckets(keys: Keys) -> Ints:
    keys = keys ^ (keys >> np.uint64(29))
    return ((keys * np.uint64(_MIX)) >> np.uint64(64 - BITS)).astype(np.int64)


@dataclass(frozen=True)
class Windows:
    """Stretches of a text, in characters; `scale` is the number of their size in `SCALES`."""

    start: Ints
    end: Ints
    scale: Ints


def windows(size: int) -> Windows:
    """Overlapping windows at every scale; a short text is one window of the first."""
    parts = []
    for scale, (length, step) in enumerate(SCALES):
        if scale and size <= length:
            break
        start = np.arange(0, max(1, size - length + step), step)
        parts.append((start, np.minimum(start + length, size), np.full(len(start), scale)))
    return Windows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def runs_in(found: Tokens, reach: int, count: int, seen: Windows) -> tuple[Ints, Ints]:
    """Which of `count` runs of `reach` words lie in each window: from the first to the second."""
    first = np.searchsorted(found.start, seen.start)
    last = np.searchsorted(found.end, seen.end, side="right") - (reach - 1)
    low = np.minimum(first, count)
    return low, np.clip(last, low, max(count, 0))


def middles_of(matches: Sequence[Match]) -> dict[Rule, Ints]:
    """Where each rule that found something found it, in order."""
    middles: dict[Rule, list[int]] = defaultdict(list)
    for match in matches:
        middles[match.rule].append((match.start + match.end) // 2)
    return {rule: np.sort(places) for rule, places in middles.items()}


def rules_in(middles: dict[Rule, Ints], seen: Windows) -> dict[Rule, NDArray[np.bool_]]:
    """For each rule the windows in which the middle of something lies that it found."""
    return {
        rule: np.searchsorted(places, seen.end) > np.searchsorted(places, seen.start)
        for rule, places in middles.items()
    }


def assured(inside: dict[Rule, NDArray[np.bool_]], count: int) -> Floats:
    """The score that each of `count` windows has at least for the rules in it, if above zero."""
    least = np.zeros(count)
    for rule, holds in inside.items():
        least = np.maximum(least, rule.least * holds)
    return least


@dataclass(frozen=True)
class Weights:
    """`words` are multiplied by `unit`; `scales` are what a window is worth for its length alone.
    Zero is the line between harmless and suspect."""

    words: NDArray[np.int8]
    unit: float
    rules: dict[str, float]
    scales: Floats


def unpack(data: bytes) -> Weights:
    """The weights that were packed. `ValueError` where they are not those of the rules."""
    first, body = data.split(b"\n", 1)
    head = json.loads(first)
    words = np.frombuffer(zlib.decompress(body), dtype=np.int8)
    names = {rule.name for rule in all_rules()}
    if len(words) != BUCKETS or set(head["rules"]) != names:
        raise ValueError(
            f"weights for {BUCKETS} buckets and {len(names)} rules wanted; got {len(words)} and "
            f"{len(head['rules'])}, or with other names: run bench/train_inject.py again"
        )
    return Weights(words, head["unit"], head["rules"], np.array(head["scales"]))


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """The weights that came with the package. Raises `OSError` or `ValueError` without them."""
    return unpack(shipped_file("weights.bin"))


class Classifier:
    """A plain text, read once, and what any windows of it are worth."""

    def __init__(self, text: str) -> None:
        self._weights = shipped_weights()
        self._tokens = tokens(text)
        words = zip(self._tokens.start.tolist(), self._tokens.words, strict=True)
        self.matches = find_matches(text, words)
        self._middles = middles_of(self.matches)
        self._sums = [
            (reach, np.concatenate([[0], np.cumsum(self._weights.words[runs], dtype=np.int64)]))
            for reach, runs in word_runs(self._tokens.keys)
        ]

    def scores(self, seen: Windows) -> Floats:
        """The score of each window; above zero is suspect."""
        scores = self._words_worth(seen) + self._weights.scales[seen.scale]
        inside = rules_in(self._middles, seen)
        for rule, holds in inside.items():
            scores += self._weights.rules.get(rule.name, 0.0) * holds
        least = assured(inside, len(scores))
        return np.where(least > 0, np.maximum(scores, least), scores)

    def _words_worth(self, seen: Windows) -> Floats:
        total = np.zeros(len(seen.start))
        count = np.zeros(len(seen.start))
        for reach, sums in self._sums:
            low, high = runs_in(self._tokens, reach, len(sums) - 1, seen)
            total += sums[high] - sums[low]
            count += high - low
        return np.asarray(total * self._weights.unit / np.sqrt(np.maximum(FEWEST, count)))
