"""Sentences that speak to the machine that reads, whatever their words: an order or a duty, and
with it the machine, what it writes, what it was asked, its memory, or an address to which something
private goes. The fields of words are in `fields.toml`; what is found by phrases, by
place or by weight is the affair of the other modules.

Most sentences are passed over by their fields alone; only the few that are left are looked at word
by word. Sentences are few and short, so plain lists cost less here than arrays.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations, pairwise
from operator import or_

from leadline.frozen import frozen
from leadline.guard.disguises import text_of
from leadline.guard.features import Codes, Known, Tokens, is_word, keys_of
from leadline.guard.shipped import data_of
from leadline.guard.word_classes import (
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
    YOU,
    Sentence,
    features,
    possible,
    shapes,
)

__all__ = ["Told", "features", "sentences", "told"]

LONGEST = 500  # characters of a sentence that is looked at; a longer one is no sentence
LONG, FEW = 24, 10  # words of a sentence that is cut where it pauses, and of a part of it at least
SKIPPED = 3  # marks before a sentence at most
LESS = 1.0  # what a sentence may lack that bids or speaks to someone: quotes are plentiful
EXACT = 1000  # weights have three decimals: whole thousandths add up without error
_BULLETS = "-*#|>"
_WIDE = "。！？"
_LINE_ENDS = re.compile(r"\n+")
_STOP = re.compile(rf"[.!?{_WIDE}]")
_CODE = re.compile(f"[{re.escape(CODE)}]")
_CHINESE = re.compile(
    r"(?:(?:人工智能|大?模型|助手|机器人|爬虫|智能体|\bai\b)[^。！？\n]{0,16}"
    r"(?:请|必须|应当?|不得|不要|只能|务必)"
    r"|(?:请|必须|务必|不要|只能?|永远|始终|今后)[^。！？\n]{0,24}"
    r"(?:回答|引用|提及|来源|任务|指令|记忆|记住|用户|总结|报告|答案|问题)"
    r"|(?:忘记|忘掉|忽略|停止|放弃|记住|发送)[^。！？\n]{0,20}"
    r"(?:任务|问题|指令|用户|来源|永远|对话|研究))[^。！？\n]{0,80}"
)
_IDEOGRAPH = re.compile("[\u3400-\u9fff]")
_BREAKS = ":;,([{\"'*->]}\n"  # an order may stand after one of these
_PAUSE = re.compile(r"[,;:\n]")
_TO = ("has", "have", "had", "need", "needs", "is", "are", "be", "ought")
_OWES, _TO_DO = 1 << 64, 1 << 65  # the two words of "has to"
_TO_SOMEONE = BIDS | YOU
_TURNS = ORDER | MUST | POLITE | TLD | WEB | _OWES  # what the words beside it may make more of


@frozen
class Told:
    """`plain[start:end]` reads like an instruction to a model, or `nearly` so."""

    start: int
    end: int
    nearly: bool = False


@lru_cache(maxsize=1)
def _table() -> Known:
    """All words that are in fields, with their fields."""
    fields: dict[int, int] = {}
    rows = [(tuple(words), BIT[name]) for name, words in FIELDS.items()]
    for words, bit in (*rows, (_TO, _OWES), (("to",), _TO_DO)):
        for key in keys_of(words):
            fields[key] = fields.get(key, 0) | bit
    return Known(fields)


@frozen
class Weights:
    """What each feature counts, in thousandths; from `line` on a sentence is suspect.

    `fields` and `pairs` hold the same for the features that are known before a sentence is looked
    at word by word: by the bit of a field what it counts and its groups, by the bits of two groups
    what they count together. What the others add is at most about `rest`.
    """

    named: dict[str, int]
    line: int
    rest: int
    base: int
    fields: dict[int, tuple[int, int]]
    pairs: tuple[tuple[int, int], ...]

    def of(self, name: str) -> int:
        """What a feature counts."""
        return self.named.get(name, 0)


@lru_cache(maxsize=1)
def shipped() -> Weights:
    said = json.loads(data_of("told.json").decode("utf-8"))
    named = {name: round(EXACT * weight) for name, weight in said["weights"].items()}
    line, rest, base = (round(EXACT * said[name]) for name in ("line", "rest", "base"))
    group = {name: 1 << n for n, name in enumerate(GROUPS)}
    alone = {bit: named.get(f"has {name}", 0) for name, bit in NAMED.items()}
    fields = {
        bit: (alone.get(bit, 0), sum(group[one] for one, held in GROUPS.items() if held & bit))
        for bit in (*alone, BIDS, ADDRESS)
    }
    pairs = ((group[a] | group[b], named.get(f"{a}+{b}", 0)) for a, b in combinations(GROUPS, 2))
    return Weights(named, line, rest, base, fields, tuple(one for one in pairs if one[-1]))


@frozen
class Read:
    """The tokens of a text as lists: where they stand, how they begin and end, their fields."""

    start: list[int]
    end: list[int]
    heads: str
    tails: str
    fields: list[int]
    turning: list[int]  # the tokens of which the words beside them may make more

    def part(self, first: int, last: int, at: int) -> Read:
        """Some of the tokens, of a text that begins at `at`."""
        low, high = bisect_left(self.turning, first), bisect_left(self.turning, last)
        return Read(
            [one - at for one in self.start[first:last]],
            [one - at for one in self.end[first:last]],
            self.heads[first:last],
            self.tails[first:last],
            self.fields[first:last],
            [n - first for n in self.turning[low:high]],
        )


def told(text: str, codes: Codes, found: Tokens) -> tuple[Told, ...]:
    """The sentences of a plain text that read like an instruction to a model; and nearly so those
    that lack little and order, bid or speak to someone at all."""
    return told_in(text, read(codes, found)) if len(found.keys) > 2 else ()


def told_in(text: str, read: Read) -> tuple[Told, ...]:
    """The same, its tokens having been read."""
    if len(read.start) < 3:
        return ()
    chosen = [Told(*one.span()) for one in _CHINESE.finditer(text)] if _has_wide(text) else []
    begins = _begins(read)
    parts = list(_parts(read, begins))
    _turn(read, {first for first, _ in parts})
    for first, last in parts:
        lacks = _lacks(text, read, first, last)
        if lacks is not None:
            chosen.append(Told(*_whole(begins, read, first), nearly=lacks))
    return tuple(dict.fromkeys(chosen))


def _lacks(text: str, read: Read, first: int, last: int) -> bool | None:
    """Whether a part lacks something to be told; None where it lacks too much."""
    held = reduce(or_, read.fields[first:last])
    if not held & (OBJECTS | MIND):
        return None
    weights = shipped()
    line = weights.line - (round(EXACT * LESS) if held & _TO_SOMEONE else 0)
    score = _worth(held) + _of_length(last - first)
    if read.fields[first] & ORDERED:
        score += weights.of("opens with an order")
    if _CODE.search(read.heads, first, last):
        score += weights.of("code")
    if score < line - weights.rest or score < line - _most(held):
        return None
    score += sum(map(weights.of, shapes(_sentence(text, read, first, last))))
    return score < weights.line if score >= line else None


@lru_cache(maxsize=4096)
def _worth(held: int) -> int:
    """What the fields of a sentence and their pairs count."""
    weights = shipped()
    score, groups = weights.base, 0
    while held:
        bit = held & -held
        alone, own = weights.fields.get(bit, (0, 0))
        score += alone
        groups |= own
        held ^= bit
    return score + _paired(groups)


@lru_cache(maxsize=4096)
def _paired(groups: int) -> int:
    return sum(weight for pair, weight in shipped().pairs if groups & pair == pair)


@lru_cache(maxsize=4096)
def _most(held: int) -> int:
    """How much more the shape of a sentence with these fields may count."""
    return sum(max(0, shipped().of(one.name)) for one in possible(held))


@lru_cache(maxsize=1024)
def _of_length(words: int) -> int:
    return sum(shipped().of(f"over {size} words") for size in SIZES if words > size)


def _whole(begins: Sequence[int], read: Read, at: int) -> tuple[int, int]:
    """The sentence in which a part begins: half of one is neither shown nor quoted."""
    n = bisect_right(begins, at)
    first = begins[n - 1]
    last = begins[n] if n < len(begins) else len(read.heads)
    while first < at and read.heads[first] == "\n":
        first += 1
    while last - 1 > at and read.heads[last - 1] == "\n":
        last -= 1
    return read.start[first], read.end[last - 1]


def _has_wide(text: str) -> bool:
    return not text.isascii() and len(_IDEOGRAPH.findall(text)) > 5


def sentences(text: str, codes: Codes, found: Tokens) -> Iterator[Sentence]:
    """All sentences that are looked at, for training."""
    held = read(codes, found)
    parts = list(_parts(held, _begins(held)))
    _turn(held, {first for first, _ in parts})
    for first, last in parts:
        yield _sentence(text, held, first, last)


def _sentence(text: str, read: Read, first: int, last: int) -> Sentence:
    spans = zip(read.start[first:last], read.end[first:last], strict=True)
    whole = text[read.start[first] : read.end[last - 1]]
    return Sentence(whole, [text[a:b] for a, b in spans], read.fields[first:last])


def read(codes: Codes, found: Tokens) -> Read:
    """The tokens as lists."""
    fields, turning = [0] * len(found.keys), []
    for n, bits in _table().among(found):
        fields[n] = bits
        if bits & _TURNS:
            turning.append(n)
    return Read(
        found.start.tolist(),
        found.end.tolist(),
        text_of(codes[found.start]),
        text_of(codes[found.end - 1]),
        fields,
        turning,
    )


def _parts(read: Read, begins: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first tokens of all sentences and those after their last; a long sentence is cut where it
    pauses, so that an order in it is not lost among other words."""
    for at, stop in zip(begins, [*begins[1:], len(read.heads)], strict=True):
        edges = [at, stop]
        if stop - at > LONG:
            edges = [at, *_cuts(at, stop, read.heads), stop]
        for start, last in pairwise(edges):
            first = _skipped(read.heads, start, last)
            if last - first > 2 and read.end[last - 1] - read.start[first] <= LONGEST:
                yield first, last


def _skipped(heads: str, first: int, last: int) -> int:
    """The first word behind line ends, bullets and quotation marks."""
    if first < last - 1 and "a" <= heads[first] <= "z":
        return first  # as most sentences begin, in small letters
    for at in range(first, min(first + SKIPPED, last - 1)):
        if is_word(heads[at]):
            return at
    return min(first + SKIPPED, max(first, last - 1))


def _cuts(first: int, last: int, heads: str) -> Iterator[int]:
    at = first
    for mark in _PAUSE.finditer(heads, first + FEW - 1, max(first, last - FEW - 1)):
        pause = mark.end()
        while pause - at > LONG + FEW:
            at += LONG
            yield at
        if pause - at >= FEW:
            at = pause
            yield at
    while last - at > LONG + FEW:
        at += LONG
        yield at


def _turn(read: Read, firsts: set[int]) -> None:
    """Adds to the fields of the words what follows from the words beside them."""
    fields = read.fields
    for n in read.turning:
        bits, more = fields[n], 0
        if bits & ORDER and (
            n == 0 or n in firsts or fields[n - 1] & LEADS or read.tails[n - 1] in _BREAKS
        ):
            more |= ORDERED | BIDS
        if bits & MUST or (bits & _OWES and n + 1 < len(fields) and fields[n + 1] & _TO_DO):
            more |= DUTY | BIDS
        if bits & POLITE:
            more |= BIDS
        if bits & WEB or (bits & TLD and n and _is_dot(read, n - 1)):
            more |= ADDRESS
        fields[n] |= more


def _is_dot(read: Read, n: int) -> bool:
    """Whether a single dot stands there, and the next token right behind it."""
    start, end = read.start[n], read.end[n]
    return read.heads[n] == "." and end - start == 1 and read.start[n + 1] == end


def _begins(read: Read) -> list[int]:
    """The numbers of the tokens with which sentences begin."""
    heads = read.heads
    begins = {0}
    for one in _LINE_ENDS.finditer(heads):
        first, last = one.span()
        if last - first > 1:
            begins.update((first + 1, last - 1))  # what lies between is empty
        if heads[last : last + 1] in _BULLETS:
            begins.add(last)
    stops = {one.start() for marks in (heads, read.tails) for one in _STOP.finditer(marks)}
    begins.update(n + 1 for n in stops if n + 1 < len(heads) and _ends(read, n))
    begins.discard(len(heads))
    return sorted(begins)


def _ends(read: Read, n: int) -> bool:
    """Whether a sentence ends with a mark: behind ASCII marks there is a gap."""
    wide = read.heads[n] in _WIDE
    return wide or read.heads[n + 1] == "\n" or read.start[n + 1] > read.end[n]
