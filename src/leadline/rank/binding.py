"""Who did what, and how much of which: a claim may use a source's own names and numbers and still
attach them to one another wrongly. Only plain swaps are told; what cannot be told passes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from leadline.text.anchors import folded
from leadline.text.dates import Date, dates, holds
from leadline.text.entities import entities
from leadline.text.numbers import Number, equal, numbers
from leadline.text.words import STOPWORDS, stem, words

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_CLAUSE = re.compile(
    r"[;:,.()–—]|\b(?:and|while|but|whereas|then|before|after|until)\b", re.IGNORECASE
)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|be)\b(?:\s+\w+){1,4}?\s+by\b", re.IGNORECASE
)
_MUTUAL = frozenset(
    map(
        stem,
        """and married marry met meet merge merged border borders share shares shared between
        versus vs agreed collaborated collaborate partnered with equal resemble""".split(),  # noqa: SIM905
    )
)
_LEAST = 2  # words of difference that make a swap plain


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number or date of a sentence with the content words of its own clause."""

    value: Number | Date
    around: frozenset[str]

    def same(self, other: _Figure) -> bool:
        one, two = self.value, other.value
        if isinstance(one, Number) and isinstance(two, Number):
            return equal(one, two)
        return isinstance(one, Date) and isinstance(two, Date) and holds(two, one)

    def rivals(self, other: _Figure) -> bool:
        """Whether the other could stand in its place: another value of the same kind."""
        one, two = self.value, other.value
        if isinstance(one, Number) and isinstance(two, Number):
            return one.unit == two.unit and not equal(one, two)
        return isinstance(one, Date) and isinstance(two, Date) and not holds(two, one)


def misplaced(claim: str, sources: Sequence[str]) -> str:
    """A number or date of `claim` that the sources attach to something else; "" when none is."""
    ours = _figures(claim)
    theirs = [figure for source in sources for figure in _figures(source)]
    for figure in ours:
        own = [other for other in theirs if figure.same(other)]
        rivals = [other for other in theirs if figure.rivals(other)]
        if not own or not rivals:
            continue
        fit = max(len(figure.around & other.around) for other in own)
        best = max(rivals, key=lambda other: len(figure.around & other.around))
        told = any(best.same(other) for other in ours)
        if len(figure.around & best.around) >= fit + (1 if told else _LEAST):
            return figure.value.text
    return ""


def exchanged(claim: str, source: str) -> tuple[str, str] | None:
    """Two names of `claim` that stand the other way round in `source`, with the same verb."""
    ours, theirs = _tokens(claim), _tokens(source)
    placed = list(_placed(claim, ours, theirs))
    turned = bool(_PASSIVE.search(claim)) != bool(_PASSIVE.search(source))
    for (one, at, there), (two, later, before) in combinations(placed, 2):
        if before >= there or turned:
            continue
        between = {word for word in ours[at + 1 : later] if word not in STOPWORDS}
        across = set(theirs[before + 1 : there])
        shared = {stem(word) for word in between & across}
        mutual = {stem(word) for word in (*ours[at + 1 : later], *across)} & _MUTUAL
        if shared and not mutual:
            return one, two
    return None


def _placed(claim: str, ours: list[str], theirs: list[str]) -> Iterator[tuple[str, int, int]]:
    """The names that stand once in both, by their last word: the name, its place here and there."""
    for name in _capitalised(claim):
        last = words(folded(name))[-1:]
        if last and ours.count(last[0]) == 1 and theirs.count(last[0]) == 1:
            yield name, ours.index(last[0]), theirs.index(last[0])


def _capitalised(claim: str) -> list[str]:
    """The names, and the first word, which may be one."""
    found = [name for name in entities(claim) if name in claim]
    first = _TOKEN.search(claim)
    if first and first.group()[0].isupper() and not any(first.group() in name for name in found):
        found.append(first.group())
    return sorted((name for name in found if words(name)), key=claim.find)


def _tokens(text: str) -> list[str]:
    return words(folded(text))


def _figures(text: str) -> list[_Figure]:
    """The numbers and dates of `text`, each with the words of the clause it stands in."""
    edges = [0, *(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    told: list[Number | Date] = [*dates(text)]
    taken = [(date.start, date.end) for date in told]
    told += [
        one
        for one in numbers(text)
        if one.unit != "th" and not any(one.start < e and s < one.end for s, e in taken)
    ]
    return [_Figure(one, _around(text, one, edges)) for one in told]


def _around(text: str, one: Number | Date, edges: list[int]) -> frozenset[str]:
    start = max((edge for edge in edges if edge <= one.start), default=0)
    end = min((edge for edge in edges if edge >= one.end), default=len(text))
    rest = text[start : one.start] + " " + text[one.end : end]
    return frozenset(stem(word) for word in _tokens(rest) if word not in STOPWORDS)
