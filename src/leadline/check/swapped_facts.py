"""Who did what, and how much of which: a claim may use a source's own names and numbers and still
attach them to one another wrongly. Only plain swaps are told; what cannot be told passes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from leadline.check.anchors import folded
from leadline.frozen import frozen
from leadline.question.entities import entities
from leadline.text.dates import Date, dates, holds
from leadline.text.numbers import Number, equal, numbers
from leadline.text.words import STOPWORDS, stem, words

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_CLAUSE = re.compile(
    r"[;()–—]|[:,.](?!\d)|\band\b(?!\s+(?:\d|(?-i:[A-Z])[a-z]+ \d))"
    r"|\b(?:while|but|whereas|then|before|after|until)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“][^\"”\n]{0,400}[\"”]")
_THAN = re.compile(r"\b(?:more|less|fewer|worse|\w{2,}er)\b(?:\s\w+){0,5}?\sthan\b", re.IGNORECASE)
_BE = frozenset(words("is are was were been being be"))
_ROLES = frozenset(words("from to into by against for over in"))
_MUTUAL = frozenset(
    map(
        stem,
        """married marry met meet merge merged border borders share shares shared
        versus vs agreed collaborated collaborate partnered equal resemble""".split(),  # noqa: SIM905
    )
)
_SCALES = frozenset(words("hundred thousand million billion trillion percent dozen"))
_ALIKE = 0.6  # of the claim's words, in the source's order: then a changed name is a swap
_LONGEST = 4  # words of a name
_LONG = 2000  # characters of a sentence: what is longer is a table or a list, and is not read
_WORDS = 100  # of a claim that is compared word by word
_MOST = 8  # names and figures of a claim that are paired with one another
_NEAREST, _WHOLE = 3, 99  # words on either side that tell what a figure is of
_LEAST = 2  # words of difference that make a swap plain


@frozen
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
    ours = _figures(claim, _NEAREST)
    theirs = [figure for source in sources for figure in _figures(source)]
    for figure in ours[:_MOST]:
        own = [other for other in theirs if figure.same(other)]
        rivals = [other for other in theirs if figure.rivals(other)]
        if not own or not rivals:
            continue
        fit = max(len(figure.around & other.around) for other in own)
        best = max(rivals, key=lambda other: len(figure.around & other.around))
        if len(figure.around & best.around) >= fit + _LEAST:
            return figure.value.text
    return ""


def exchanged(claim: str, source: str) -> tuple[str, str] | None:
    """Two names of `claim` that stand the other way round in `source`, with the same verb."""
    claim, source = claim[:_LONG], source[:_LONG]
    if sides := _compared(claim, source):
        return sides
    ours, theirs = _tokens(claim), _tokens(source)
    plain = {word for word in _TOKEN.findall(claim) if word.islower()}
    placed = list(_placed(claim, ours, theirs))[:_MOST]
    for (one, at, there), (two, later, before) in combinations(placed, 2):
        if _turned_roles((ours, at, later), (theirs, there, before)):
            return one, two
        if before >= there:
            continue
        between = {word for word in ours[at + 1 : later] if _says_something(word)} & plain
        shared = between & set(theirs[before + 1 : there])
        mutual = {stem(word) for word in (*ours[at + 1 : later], *theirs[before + 1 : there])}
        voices = {_is_passive(ours, word) == _is_passive(theirs, word) for word in shared}
        if voices == {True} and not mutual & _MUTUAL:
            return one, two
    return None


def _turned_roles(ours: tuple[list[str], int, int], theirs: tuple[list[str], int, int]) -> bool:
    """From A to B in the one, from B to A in the other."""
    (said, a, b), (told, c, d) = ours, theirs
    here = said[a - 1 if a else 0], said[b - 1 if b else 0]
    there = told[d - 1 if d else 0], told[c - 1 if c else 0]
    return here == there and here[0] != here[1] and set(here) <= _ROLES


def _is_passive(tokens: list[str], verb: str) -> bool:
    at = tokens.index(verb)
    return bool(_BE & set(tokens[max(0, at - 2) : at]))


def _compared(claim: str, source: str) -> tuple[str, str] | None:
    """Both sides of a comparison, when `source` has them the other way round."""
    ours, theirs = _THAN.search(claim), _THAN.search(source)
    if not ours or not theirs:
        return None
    left, right = _content(claim[: ours.start()]), _content(claim[ours.end() :])
    over, under = _content(source[: theirs.start()]), _content(source[theirs.end() :])
    one, two = (left & under) - over - right, (right & over) - under - left
    return (min(one), min(two)) if one and two else None


def _content(text: str) -> set[str]:
    return {stem(word) for word in _tokens(text) if _says_something(word)}


def replaced(claim: str, source: str) -> tuple[str, str] | None:
    """A name of `claim` in the very place where `source`, otherwise alike, has another."""
    ours = _TOKEN.findall(folded(claim[:_LONG]))
    theirs = _TOKEN.findall(folded(source[:_LONG]))
    if len(ours) > _WORDS or len(theirs) > 2 * _WORDS:
        return None
    pairs = SequenceMatcher(
        None, [one.lower() for one in ours], [one.lower() for one in theirs], autojunk=False
    )
    steps = pairs.get_opcodes()
    same = sum(end - start for kind, start, end, _, _ in steps if kind == "equal")
    if same < _ALIKE * len(ours):
        return None
    changes = [
        (_names_in(ours[max(start, 1) : end]), _names_in(theirs[max(at, 1) : till]))
        for kind, start, end, at, till in steps
        if kind == "replace" and max(end - start, till - at) <= _LONGEST
    ]
    said, told = set(_names_in(ours)), set(_names_in(theirs))
    for mine, other in changes:
        fresh = not told & set(mine) and not said & set(other)
        if mine and other and (fresh or (other, mine) in changes):
            return " ".join(mine), " ".join(other)
    return None


def _names_in(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(one for one in tokens if _may_name(one))


def crossed(claim: str, source: str) -> tuple[str, str] | None:
    """Two numbers of `claim` that `source` gives the other way round, to the same two names or
    as the beginning and the end of a change."""
    claim, source = claim[:_LONG], source[:_LONG]
    ours, theirs = _once(claim), _once(source)
    for (one, at, there), (two, later, before) in combinations(
        [(figure.value.text, figure.value.start, _place(figure, theirs)) for figure in ours], 2
    ):
        if there < 0 or before < 0 or (_role(claim, at), _role(claim, later)) == ("", ""):
            continue
        if (_role(claim, at), _role(claim, later)) == (_role(source, before), _role(source, there)):
            return one, two
    return _crossed_names(claim, source, ours, theirs)


def _crossed_names(
    claim: str, source: str, ours: list[_Figure], theirs: list[_Figure]
) -> tuple[str, str] | None:
    """A 5, B 7 is not A 7, B 5; but B 7, A 5 is the same."""
    for one, two in combinations(_capitalised(claim)[:_MOST], 2):
        for first, second in combinations(ours[:_MOST], 2):
            here = _bound(claim, (one, two), (first, second))
            there = _bound(source, (one, two), _same_in(theirs, first, second))
            if here and there and here != there and first.rivals(second):
                return first.value.text, second.value.text
    return None


def _bound(text: str, names: tuple[str, str], figures: Sequence[_Figure]) -> tuple[int, ...]:
    """Which of two names goes with the first of two figures, and whether that is the first one;
    empty where it cannot be told, as in "A and B had 5 and 7"."""
    places = [text.find(name) for name in names]
    if len(figures) < len(places) or min(places) < 0:
        return ()
    marks = [(at, "n") for at in places] + [(figure.value.start, "x") for figure in figures]
    shape = "".join(mark for _, mark in sorted(marks))
    if shape not in ("nxnx", "xnxn", "nxxn"):
        return ()
    swapped = (places[0] > places[1]) != (figures[0].value.start > figures[1].value.start)
    return (int(swapped),)


def _same_in(theirs: list[_Figure], *ours: _Figure) -> list[_Figure]:
    return [other for one in ours for other in theirs if one.same(other)][: len(ours)]


def _once(text: str) -> list[_Figure]:
    """The figures that stand once in `text`, in its order."""
    found = sorted(_figures(text), key=lambda figure: figure.value.start)
    return [one for one in found if sum(one.same(two) for two in found) == 1]


def _place(figure: _Figure, others: list[_Figure]) -> int:
    return next((other.value.start for other in others if figure.same(other)), -1)


def _role(text: str, at: int) -> str:
    """ "from" or "to" before a figure."""
    before = words(text[max(0, at - 8) : at])[-1:]
    return before[0] if before and before[0] in ("from", "to") else ""


def _says_something(word: str) -> bool:
    return word not in STOPWORDS and not numbers(word) and word not in _SCALES


def _placed(claim: str, ours: list[str], theirs: list[str]) -> Iterator[tuple[str, int, int]]:
    """The names that stand once in both, by their last word: the name, its place here and there."""
    for name in _capitalised(claim):
        last = words(folded(name))[-1:]
        if last and ours.count(last[0]) == 1 and theirs.count(last[0]) == 1:
            yield name, ours.index(last[0]), theirs.index(last[0])


def _capitalised(claim: str) -> list[str]:
    """The names, dates apart, and the first word, which may be one."""
    told = " ".join(date.text for date in dates(claim))
    found = [name for name in entities(_QUOTED.sub(" ", claim)) if name not in told]
    first = _TOKEN.search(claim)
    if first and _may_name(first.group()) and not any(first.group() in name for name in found):
        found.append(first.group())
    return sorted((name for name in found if words(name)), key=claim.find)


def _may_name(word: str) -> bool:
    return word[0].isupper() and word.lower() not in STOPWORDS


def _tokens(text: str) -> list[str]:
    return words(folded(text))


def _figures(text: str, nearest: int = _WHOLE) -> list[_Figure]:
    """The numbers and dates of `text`, each with the nearest words of its clause on either side."""
    text = text[:_LONG]
    edges = [0, *(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    told: list[Number | Date] = [*dates(text)]
    taken = [(date.start, date.end) for date in told]
    told += [
        one
        for one in numbers(text)
        if one.unit != "th" and not any(one.start < e and s < one.end for s, e in taken)
    ]
    return [_Figure(one, _around(text, one, edges, nearest)) for one in told[: 4 * _MOST]]


def _around(text: str, one: Number | Date, edges: list[int], nearest: int) -> frozenset[str]:
    start = max((edge for edge in edges if edge <= one.start), default=0)
    end = min((edge for edge in edges if edge >= one.end), default=len(text))
    before = [word for word in _tokens(text[start : one.start]) if _says_something(word)]
    after = [word for word in _tokens(text[one.end : end]) if _says_something(word)]
    return frozenset(map(stem, (*before[-nearest:], *after[:nearest])))
