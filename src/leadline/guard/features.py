"""What the linear model looks at: hashed runs of words in overlapping windows.

Everything is done on arrays of code points, so that a megabyte takes a fraction of a second; which
weights the features get is the model's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leadline.frozen import frozen

Codes = NDArray[np.uint32]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

PLANE = 65536  # characters that are told apart
BITS = 18
BUCKETS = 1 << BITS
SCALES = ((320, 160), (120, 60))  # characters in a window, and how far apart windows begin
FEWEST = 8  # runs that a window is taken to hold at least

_OTHER, _WORD, _DIGIT, _SINGLE, _MARK, _UNSEEN = range(6)
_BASE = 0x9E3779B97F4A7C15 | 1
_MIX = np.uint64(0xD6E8FEB86659FD93)
_TOP = np.uint64(48)
_PARTS = tuple(np.uint64(part) for part in (
    0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3,
    0x589965CC75374CC3, 0x1D8E4E27C47D124F, 0xEB44ACCAB455D165,
))  # fmt: skip


@frozen
class Tokens:
    """Words, numbers, marks and line ends in reading order; `keys` are hashes of their letters."""

    start: Ints
    end: Ints
    keys: Keys


@frozen
class Windows:
    """Stretches of the text, in characters and in tokens (`first` up to `last`)."""

    start: Ints
    end: Ints
    first: Ints
    last: Ints
    scale: Ints


@frozen
class Weighed:
    """Running sums of the weights of the runs of words of a text, for each reach, and how many
    runs of that reach begin at a word."""

    reaches: tuple[int, ...]
    counts: tuple[int, ...]
    sums: tuple[Ints, ...]


@frozen
class Rows:
    """A sparse matrix as triples: what each window holds."""

    window: Ints
    bucket: Ints
    value: NDArray[np.float32]


def codes_of(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@lru_cache(maxsize=1)
def _classes() -> NDArray[np.uint8]:
    """The class of each character that was seen, and of everything beyond the plane (the last)."""
    table = np.full(PLANE + 1, _UNSEEN, dtype=np.uint8)
    table[PLANE] = _MARK
    return table


def _class(code: int) -> int:
    char = chr(code)
    if char == "\n" or 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF:
        return _SINGLE
    if char.isdigit():
        return _DIGIT
    if char.isalpha():
        return _WORD
    return _OTHER if char.isspace() or code <= 32 else _MARK


def _kinds(codes: Codes) -> NDArray[np.uint8]:
    """The class of each character, worked out when a text has it for the first time."""
    table, at = _classes(), np.minimum(codes, PLANE)
    kinds = table[at]
    unseen = kinds == _UNSEEN
    if unseen.any():
        new = list(set(at[unseen].tolist()))
        table[new] = [_class(code) for code in new]
        kinds = table[at]
    return kinds


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
    kinds = _kinds(codes)
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
    heads = codes[found.start]
    kinds = _kinds(heads)
    return np.asarray((kinds == _WORD) | ((kinds == _SINGLE) & (heads != 10)))


def is_word(char: str) -> bool:
    """Whether a token that begins with `char` is a word."""
    code = ord(char)
    single = 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF
    return single or (code < PLANE and char.isalpha() and not char.isdigit())


def keys_of(words: Sequence[str]) -> list[int]:
    """The keys that `tokens` gives to the (first parts of the) words."""
    found = tokens(codes_of(" ".join(words)))
    at = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
    return list(map(int, found.keys[np.searchsorted(found.start, at)]))


class Known:
    """Words that something is known of. Most words of a text are passed over by a few bits of
    their keys, all at once; only the rest is looked up one by one."""

    def __init__(self, known: dict[int, int]) -> None:
        self._known = known
        self._may = np.zeros(1 << 16, dtype=bool)
        self._may[np.array(list(known), dtype=np.uint64) >> _TOP] = True

    def among(self, found: Tokens) -> list[tuple[int, int]]:
        """The numbers of the tokens that are such words, and what is known of each."""
        at = np.flatnonzero(self._may[found.keys >> _TOP])
        known, keys = self._known, found.keys[at].tolist()
        return [(n, known[key]) for n, key in zip(at.tolist(), keys, strict=True) if key in known]


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


def windows_of(found: Tokens, places: Sequence[tuple[int, int]]) -> tuple[Windows, Ints]:
    """The windows of several texts that stand in one, each at a place and of a size, and to which
    of them each window belongs."""
    starts: list[int] = []
    ends: list[int] = []
    owners: list[int] = []
    scales: list[int] = []
    for number, (length, step) in enumerate(SCALES):
        for owner, (at, size) in enumerate(places):
            if number and size <= length:
                continue
            first = range(at, at + max(1, size - length + step), step)
            starts += first
            ends += [min(one + length, at + size) for one in first]
            owners += [owner] * len(first)
            scales += [number] * len(first)
    start, end = np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
    low = np.searchsorted(found.start, start)
    high = np.searchsorted(found.end, end, side="right")
    scale = np.array(scales, dtype=np.int64)
    return Windows(start, end, low, np.maximum(low, high), scale), np.array(owners, dtype=np.int64)


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
    each: dict[int, tuple[int, Ints]] = {}
    for reach, buckets in word_runs(found.keys):
        own = weights[buckets].astype(np.int64)
        count, others = each.get(reach, (0, None))
        each[reach] = (count + 1, own if others is None else own + others)
    sums = []
    for _, values in each.values():
        total = np.zeros(len(values) + 1, dtype=np.int64)
        values.cumsum(out=total[1:])
        sums.append(total)
    return Weighed(tuple(each), tuple(count for count, _ in each.values()), tuple(sums))


def extents(reach: int, size: int, seen: Windows) -> tuple[Ints, Ints]:
    """Which of `size` runs of `reach` words lie in each window: from the first up to the second."""
    low = np.minimum(seen.first, size)
    return low, np.minimum(np.maximum(low, seen.last - (reach - 1)), size)


def worth(held: Weighed, seen: Windows) -> NDArray[np.float64]:
    """What the runs of words in each window weigh, as often as they stand there."""
    total = np.zeros(len(seen.start), dtype=np.int64)
    count = np.zeros(len(seen.start), dtype=np.int64)
    for reach, times, sums in zip(held.reaches, held.counts, held.sums, strict=True):
        low, high = extents(reach, len(sums) - 1, seen)
        total += sums[high] - sums[low]
        count += (high - low) * times
    return np.asarray(total / np.sqrt(np.maximum(FEWEST, count)))
