"""What the linear model looks at: hashed runs of words and of characters in overlapping windows.

Everything is done on arrays of code points, so that a megabyte takes a fraction of a second; which
weights the features get is the model's affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

BITS = 18
BUCKETS = 1 << BITS
SCALES = ((320, 160), (120, 60))  # characters in a window, and how far apart windows begin
CHAR_RUNS = (4, 6)

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


def _word_runs(keys: Keys) -> list[tuple[int, Ints]]:
    """(reach, bucket) of single words, pairs, triples, and pairs with one word between."""
    a, b, c = _PARTS[:3]
    runs = [(1, _bucket(keys * a))]
    if len(keys) > 1:
        runs.append((2, _bucket(keys[:-1] * a + keys[1:] * b)))
    if len(keys) > 2:
        runs.append((3, _bucket(keys[:-2] * a + keys[1:-1] * b + keys[2:] * c)))
        runs.append((3, _bucket(keys[:-2] * b + keys[2:] * c)))
    return runs


def _distinct(values: Ints) -> Ints:
    """As `np.unique`, which on millions of values is many times slower."""
    values = np.sort(values)
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] != values[:-1]
    return values[first]


def word_rows(found: Tokens, seen: Windows) -> Rows:
    """Each distinct run of words in each window, all of the same value, together of length 1."""
    pairs = []
    for reach, buckets in _word_runs(found.keys):
        count = np.maximum(0, seen.last - seen.first - (reach - 1))
        where = np.repeat(np.arange(len(count)), count)
        offset = np.arange(len(where)) - np.repeat(np.cumsum(count) - count, count)
        pairs.append((where << BITS) | buckets[np.repeat(seen.first, count) + offset])
    unique = _distinct(np.concatenate(pairs))
    window, bucket = unique >> BITS, unique & (BUCKETS - 1)
    norm = np.sqrt(np.maximum(8, np.bincount(window, minlength=len(seen.start))))
    return Rows(window, bucket, (1.0 / norm[window]).astype(np.float32))


def char_buckets(codes: Codes) -> list[tuple[int, Ints]]:
    """(length, bucket) of every run of characters."""
    runs = []
    wide = codes.astype(np.uint64)
    for length in CHAR_RUNS:
        if len(codes) < length:
            continue
        keys = np.zeros(len(codes) - length + 1, dtype=np.uint64)
        for at in range(length):
            keys += wide[at : at + len(keys)] * _PARTS[at]
        runs.append((length, _bucket(keys * _PARTS[length - 4])))
    return runs


def char_rows(codes: Codes, seen: Windows) -> Rows:
    """Every run of characters in each window, as often as it stands there."""
    parts: list[tuple[Any, Any]] = []
    for length, buckets in char_buckets(codes):
        count = np.maximum(0, seen.end - seen.start - (length - 1))
        where = np.repeat(np.arange(len(count)), count)
        offset = np.arange(len(where)) - np.repeat(np.cumsum(count) - count, count)
        parts.append((where, buckets[np.repeat(seen.start, count) + offset]))
    if not parts:
        none = np.zeros(0, dtype=np.int64)
        return Rows(none, none, none.astype(np.float32))
    window = np.concatenate([part[0] for part in parts])
    bucket = np.concatenate([part[1] for part in parts])
    norm = np.sqrt(np.maximum(40, np.bincount(window, minlength=len(seen.start))))
    return Rows(window, bucket, (1.0 / norm[window]).astype(np.float32))
