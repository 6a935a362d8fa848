"""Sentences that speak to the machine that reads, whatever their words: an order or a duty, and
with it the machine, what it writes, what it was asked, its memory, or an address to which something
private goes. The fields of words are in `fields.toml`; what is found by phrases, by
place or by weight is the affair of the other modules.

Most sentences are passed over by their fields alone, all at once; only the few that are left are
looked at word by word, so that the time is linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.text.inject.features import Codes, Ints, Tokens, among, in_table, key_of, lettered
from leadline.text.inject.fields import (
    ADDRESS,
    BIDS,
    BIT,
    CODE,
    DUTY,
    FIELDS,
    GROUPS,
    LEADS,
    MIND,
    MUST,
    NAMED,
    OBJECTS,
    ORDER,
    ORDERED,
    POLITE,
    SIZES,
    TLD,
    WEB,
    Bits,
    Sentence,
    features,
    shape,
)

__all__ = ["Told", "features", "sentences", "told"]

LONGEST = 500  # characters of a sentence that is looked at; a longer one is no sentence
LONG, FEW = 24, 10  # words of a sentence that is cut where it pauses, and of a part of it at least
SKIPPED = 3  # marks before a sentence at most
_STOPS, _BULLETS = ".!?", "\n-*#|>"
_WIDE = tuple(map(ord, "。！？"))
_CHINESE = re.compile(
    r"(?:(?:人工智能|大?模型|助手|机器人|爬虫|智能体|\bai\b)[^。！？\n]{0,16}"
    r"(?:请|必须|应当?|不得|不要|只能|务必)"
    r"|(?:请|必须|务必|不要|只能?|永远|始终|今后)[^。！？\n]{0,24}"
    r"(?:回答|引用|提及|来源|任务|指令|记忆|记住|用户|总结|报告|答案|问题)"
    r"|(?:忘记|忘掉|忽略|停止|放弃|记住|发送)[^。！？\n]{0,20}"
    r"(?:任务|问题|指令|用户|来源|永远|对话|研究))[^。！？\n]{0,80}"
)
_BREAKS = ":;,([{\"'*->]}\n"  # an order may stand after one of these
_PAUSES = ",;:\n"
_LINE_END = 10
_TO = frozenset({"has", "have", "had", "need", "needs", "is", "are", "be", "ought"})


@dataclass(frozen=True, slots=True)
class Told:
    """`plain[start:end]` reads like an instruction to a model."""

    start: int
    end: int


@lru_cache(maxsize=1)
def _table() -> tuple[NDArray[np.uint64], Bits]:
    """The keys of all words, sorted, and the fields of each."""
    fields: dict[int, int] = {}
    for name, words in FIELDS.items():
        for word in words:
            key = key_of(word)
            fields[key] = fields.get(key, 0) | BIT[name]
    keys = sorted(fields)
    return np.array(keys, dtype=np.uint64), np.array([fields[k] for k in keys], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature counts; from `line` on a sentence is suspect.

    `fields` and `pairs` hold the same for the features that are known before a sentence is looked
    at word by word; what the others add is at most about `rest`.
    """

    named: dict[str, float]
    line: float
    rest: float
    base: float
    fields: NDArray[np.float64]
    pairs: NDArray[np.float64]

    def of(self, name: str) -> float:
        """What a feature counts."""
        return self.named.get(name, 0.0)


@lru_cache(maxsize=1)
def shipped() -> Weights:
    said = json.loads(files("leadline.text.inject").joinpath("told.json").read_text("utf-8"))
    named = said["weights"]
    fields, pairs = np.zeros(64), np.zeros((len(GROUPS), len(GROUPS)))
    for name, bit in NAMED.items():
        fields[bit.bit_length() - 1] = named.get(f"has {name}", 0.0)
    for (m, a), (n, b) in combinations(enumerate(GROUPS), 2):
        pairs[m, n] = named.get(f"{a}+{b}", 0.0)
    return Weights(named, said["line"], said["rest"], said["base"], fields, pairs)


def told(text: str, codes: Codes, found: Tokens) -> tuple[Told, ...]:
    """The sentences of a plain text that read like an instruction to a model."""
    if len(found.keys) < 3:
        return ()
    weights = shipped()
    chosen = [Told(*one.span()) for one in _CHINESE.finditer(text)] if _has_wide(codes) else []
    begins = _begins(codes, found)
    first, last = _parts(codes, found, begins)
    if not len(first):
        return tuple(chosen)
    bits = _bits(codes, found, first)
    likely = _likely(bits, codes, found, first, last, weights)
    for n in np.flatnonzero(likely >= weights.line - weights.rest).tolist():
        one = Sentence(text, found, bits, int(first[n]), int(last[n]))
        score = float(likely[n]) + sum(weights.of(name) for name in shape(one))
        if score >= weights.line:
            chosen.append(Told(*_whole(begins, codes, found, int(first[n]))))
    return tuple(dict.fromkeys(chosen))


def _whole(begins: Ints, codes: Codes, found: Tokens, at: int) -> tuple[int, int]:
    """The sentence in which a part begins: half of one is neither shown nor quoted."""
    n = int(np.searchsorted(begins, at, side="right"))
    first = int(begins[n - 1])
    last = int(begins[n]) if n < len(begins) else len(found.keys)
    while first < at and codes[found.start[first]] == _LINE_END:
        first += 1
    while last - 1 > at and codes[found.start[last - 1]] == _LINE_END:
        last -= 1
    return int(found.start[first]), int(found.end[last - 1])


def _has_wide(codes: Codes) -> bool:
    return int(np.count_nonzero((codes >= 0x3400) & (codes < 0xA000))) > 5


def sentences(text: str, codes: Codes, found: Tokens) -> Iterator[Sentence]:
    """All sentences that are looked at, for training."""
    first, last = _parts(codes, found, _begins(codes, found))
    bits = _bits(codes, found, first)
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        yield Sentence(text, found, bits, a, b)


def _likely(
    bits: Bits, codes: Codes, found: Tokens, first: Ints, last: Ints, weights: Weights
) -> NDArray[np.float64]:
    """What sentences score by what can be seen of all of them at once."""
    held = _over(np.bitwise_or, bits, first, last)
    ones = np.unpackbits(held.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    has = (held[:, None] & _groups()) != 0
    score = weights.base + ones @ weights.fields + ((has @ weights.pairs) * has).sum(axis=1)
    score += weights.of("opens with an order") * ((bits[first] & np.uint64(ORDERED)) != 0)
    code = in_table(codes[found.start], among(CODE))
    score += weights.of("code") * _over(np.logical_or, code, first, last)
    for size in SIZES:
        score += weights.of(f"over {size} words") * (last - first > size)
    return np.where(held & np.uint64(OBJECTS | MIND), score, -np.inf)


@lru_cache(maxsize=1)
def _groups() -> Bits:
    return np.array(list(GROUPS.values()), dtype=np.uint64)


def _over(how: np.ufunc, values: NDArray[Any], first: Ints, last: Ints) -> NDArray[Any]:
    """`values` of each sentence put together. Sentences lie one behind the other."""
    edges = np.stack([first, last], axis=1).ravel()
    padded = np.append(values, np.zeros(1, dtype=values.dtype))
    return np.ascontiguousarray(how.reduceat(padded, edges)[::2])


def _to(found: Tokens) -> NDArray[np.bool_]:
    """Where a duty begins, as in "has to"."""
    forms, to = _duties()
    where = np.minimum(np.searchsorted(forms, found.keys), len(forms) - 1)
    return np.asarray((forms[where] == found.keys) & np.append(found.keys[1:] == to, False))


@lru_cache(maxsize=1)
def _duties() -> tuple[NDArray[np.uint64], np.uint64]:
    return np.array(sorted(map(key_of, _TO)), dtype=np.uint64), np.uint64(key_of("to"))


def _parts(codes: Codes, found: Tokens, begins: Ints) -> tuple[Ints, Ints]:
    """The first tokens of all sentences and those after their last; a long sentence is cut where it
    pauses, so that an order in it is not lost among other words."""
    first = begins
    last = np.append(first[1:], len(found.keys))
    long = np.flatnonzero(last - first > LONG)
    if len(long):
        pauses = np.flatnonzero(in_table(codes[found.start], among(_PAUSES))) + 1
        low = np.searchsorted(pauses, first[long] + FEW)
        high = np.searchsorted(pauses, last[long] - FEW)
        spans = np.stack([first[long], last[long], low, high], axis=1).tolist()
        cuts = [at for a, b, m, n in spans for at in _cuts(a, b, pauses[m:n].tolist())]
        first = np.sort(np.concatenate([first, np.array(cuts, dtype=np.int64)]))
        last = np.append(first[1:], len(found.keys))
    is_word = lettered(codes, found)
    for _ in range(SKIPPED):  # line ends, bullets and quotation marks before the first word
        first = np.where(~is_word[first] & (last - first > 1), first + 1, first)
    fit = (last - first > 2) & (found.end[last - 1] - found.start[first] <= LONGEST)
    return first[fit], last[fit]


def _cuts(first: int, last: int, pauses: Sequence[int]) -> Iterator[int]:
    at = first
    for pause in pauses:
        while pause - at > LONG + FEW:
            at += LONG
            yield at
        if pause - at >= FEW:
            at = pause
            yield at
    while last - at > LONG + FEW:
        at += LONG
        yield at


def _bits(codes: Codes, found: Tokens, first: Ints) -> Bits:
    """The fields of each word, and what follows from the words beside it."""
    keys, fields = _table()
    where = np.minimum(np.searchsorted(keys, found.keys), len(keys) - 1)
    bits = np.where(keys[where] == found.keys, fields[where], np.uint64(0))
    leads = (bits & np.uint64(LEADS)) != 0
    leads |= in_table(codes[found.end - 1], among(_BREAKS))
    after = np.append(True, leads[:-1])
    after[first] = True
    ordered = after & ((bits & np.uint64(ORDER)) != 0)
    duty = ((bits & np.uint64(MUST)) != 0) | _to(found)
    bids = ordered | duty | ((bits & np.uint64(POLITE)) != 0)
    dot = (codes[found.start] == 46) & (found.end - found.start == 1)
    dot &= np.append(found.start[1:] == found.end[:-1], False)
    web = ((bits & np.uint64(TLD)) != 0) & np.append(False, dot[:-1])
    web |= (bits & np.uint64(WEB)) != 0
    for mask, bit in ((ordered, ORDERED), (duty, DUTY), (bids, BIDS), (web, ADDRESS)):
        bits[mask] |= np.uint64(bit)
    return bits


def _begins(codes: Codes, found: Tokens) -> Ints:
    """The numbers of the tokens with which sentences begin."""
    head, tail = codes[found.start], codes[found.end - 1]
    gap = np.append(found.start[1:] > found.end[:-1], True)
    after = np.append(head[1:], 10)
    stop = in_table(tail, among(_STOPS)) | in_table(head, among(_STOPS))
    ends = stop & (gap | (after == 10))
    if int(codes.max()) > 0x3000:
        ends |= np.isin(head, _WIDE)
    ends |= (head == 10) & in_table(after, among(_BULLETS))
    begins = np.flatnonzero(ends[:-1]) + 1
    return np.concatenate([[0], begins]).astype(np.int64)
