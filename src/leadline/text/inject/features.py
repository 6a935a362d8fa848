"""What the linear model looks at: hashed runs of words in overlapping windows.

Everything is done on arrays of code points, so that a megabyte takes a fraction of a second; which
weights the features get is the model's affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

BITS = 18
BUCKETS = 1 << BITS
SCALES = ((320, 160), (120, 60))  # characters in a window, and how far apart windows begin
FEWEST = 8  # runs that a window is taken to hold at least

_OTHER, _WORD, _DIGIT, _SINGLE, _MARK = range(5)
_BASE = 0x9E3779B97F4A7C15 | 1
_MIX = np.uint64(0xD6E8FEB86659FD93)
_PARTS = tuple(np.uint64(part) for part in (
    0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3,
    0x589965CC75374CC3, 0x1D8E4E27C47D124F, 0xEB44ACCAB455D165,
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words, numbers, marks and line ends in reading order; `keys` are hashes of their letters."""

    start: Ints
    end: Ints
    keys: Keys


@dataclass(frozen=True, slots=True)
class Windows:
    """Stretches of the text, in characters and in tokens (`first` up to `last`)."""

    start: Ints
    end: Ints
    first: Ints
    last: Ints
    scale: Ints


@dataclass(frozen=True, slots=True)
class Weighed:
    """Running sums of the weights of the runs of words of a text, for each reach."""

    reaches: tuple[int, ...]
    sums: tuple[Ints, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A sparse matrix as triples: what each window holds."""

    window: Ints
    bucket: Ints
    value: NDArray[np.float32]


def codes_of(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@lru_cache(maxsize=1)
def _classes() -> NDArray[np.uint8]:
    """The class of each character of the basic plane, and of everything beyond it (the last)."""
    table = np.zeros(65537, dtype=np.uint8)
    for code in range(65536):
        char = chr(code)
        if 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF:
            table[code] = _SINGLE
        elif char.isdigit():
            table[code] = _DIGIT
        elif char.isalpha():
            table[code] = _WORD
        elif char == "\n":
            table[code] = _SINGLE
        elif not char.isspace() and code > 32:
            table[code] = _MARK
    table[65536] = _MARK
    return table


@lru_cache(maxsize=16)
def among(letters: str) -> NDArray[np.bool_]:
    """A table of which ASCII characters are among `letters`; its last entry is for all others."""
    table = np.zeros(129, dtype=bool)
    table[[ord(letter) for letter in letters]] = True
    return table


def in_table(codes: Codes, table: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(table[np.minimum(codes, 128)])


def stretches(mask: NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    """Where `mask` holds for at least so many places in a row."""
    edges = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    if len(mask) and mask[0]:
        edges = np.concatenate([[0], edges])
    if len(edges) % 2:
        edges = np.concatenate([edges, [len(mask)]])
    pairs = edges.reshape(-1, 2)
    return [(a, b) for a, b in pairs[pairs[:, 1] - pairs[:, 0] >= least].tolist()]


@lru_cache(maxsize=4)
def _powers(size: int) -> tuple[Keys, Keys]:
    """Powers of an odd base and of its inverse, modulo 2^64."""
    base, inverse = _BASE, pow(_BASE, -1, 1 << 64)
    up = np.full(size, base, dtype=np.uint64)
    down = np.full(size, inverse, dtype=np.uint64)
    up[0] = down[0] = 1
    return np.cumprod(up, dtype=np.uint64), np.cumprod(down, dtype=np.uint64)


def tokens(codes: Codes) -> Tokens:
    size = len(codes)
    if not size:
        none = np.zeros(0, dtype=np.int64)
        return Tokens(none, none, none.astype(np.uint64))
    kinds = _classes()[np.minimum(codes, 65536)]
    breaks = np.flatnonzero((kinds[1:] != kinds[:-1]) | (kinds[1:] == _SINGLE)) + 1
    start = np.concatenate([[0], breaks]).astype(np.int64)
    end = np.concatenate([breaks, [size]]).astype(np.int64)
    kept = kinds[start] != _OTHER
    start, end = start[kept], end[kept]
    kind = kinds[start]
    up, down = _powers(1 << max(10, (size + 1).bit_length()))
    sums = np.zeros(size + 1, dtype=np.uint64)
    np.cumsum(codes * up[:size], dtype=np.uint64, out=sums[1:])
    stop = np.where(kind == _MARK, np.minimum(end, start + 3), end)  # "=====" is "==="
    keys = (sums[stop] - sums[start]) * down[start]
    keys[kind == _DIGIT] = 48
    return Tokens(start, end, keys * _MIX)


def lettered(codes: Codes, found: Tokens) -> NDArray[np.bool_]:
    """Which tokens are words."""
    kinds = _classes()[np.minimum(codes[found.start], 65536)]
    return np.asarray((kinds == _WORD) | ((kinds == _SINGLE) & (codes[found.start] != 10)))


def key_of(word: str) -> int:
    """The key that `tokens` gives to a single word."""
    return int(tokens(codes_of(word)).keys[0])


def windows(found: Tokens, size: int) -> Windows:
    """Windows at every scale; a text no longer than a window is one window at each scale."""
    parts = []
    for number, (length, step) in enumerate(SCALES):
        if number and size <= length:
            break
        count = max(1, -(-(size - length) // step) + 1)
        start = np.arange(count, dtype=np.int64) * step
        end = np.minimum(start + length, size)
        first = np.searchsorted(found.start, start)
        last = np.searchsorted(found.end, end, side="right")
        parts.append((start, end, first, np.maximum(first, last), np.full(count, number)))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Windows(*columns)


def _bucket(keys: Keys) -> Ints:
    keys = keys ^ (keys >> np.uint64(29))
    return ((keys * _MIX) >> np.uint64(64 - BITS)).astype(np.int64)


def word_runs(keys: Keys) -> list[tuple[int, Ints]]:
    """(reach, bucket) of single words, pairs, triples, and pairs with one word between."""
    a, b, c = _PARTS[:3]
    runs = [(1, _bucket(keys * a))]
    if len(keys) > 1:
        runs.append((2, _bucket(keys[:-1] * a + keys[1:] * b)))
    if len(keys) > 2:
        runs.append((3, _bucket(keys[:-2] * a + keys[1:-1] * b + keys[2:] * c)))
        runs.append((3, _bucket(keys[:-2] * b + keys[2:] * c)))
    return runs


def weighed(weights: NDArray[np.int8], found: Tokens) -> Weighed:
    """The weights of all runs of words, summed up once for any windows over them."""
    reaches, sums = [], []
    for reach, buckets in word_runs(found.keys):
        total = np.zeros(len(buckets) + 1, dtype=np.int64)
        np.cumsum(weights[buckets], out=total[1:])
        reaches.append(reach)
        sums.append(total)
    return Weighed(tuple(reaches), tuple(sums))


def extents(reach: int, size: int, seen: Windows) -> tuple[Ints, Ints]:
    """Which of `size` runs of `reach` words lie in each window: from the first up to the second."""
    low = np.minimum(seen.first, size)
    return low, np.clip(seen.last - (reach - 1), low, size)


def worth(held: Weighed, seen: Windows) -> NDArray[np.float64]:
    """What the runs of words in each window weigh, as often as they stand there."""
    total = np.zeros(len(seen.start), dtype=np.int64)
    count = np.zeros(len(seen.start), dtype=np.int64)
    for reach, sums in zip(held.reaches, held.sums, strict=True):
        low, high = extents(reach, len(sums) - 1, seen)
        total += sums[high] - sums[low]
        count += high - low
    return np.asarray(total / np.sqrt(np.maximum(FEWEST, count)))
