"""What a claim exchanges with its source: two facts the other way round, a name in the place of
another, a figure that the source gives for something else. Only plain swaps are told."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from difflib import SequenceMatcher
from itertools import combinations

from leadline.check.sentence_tokens import BE, Token, same, tokens
from leadline.text.values import Date, Number
from leadline.text.words import STOPWORDS

_ARTICLES = frozenset("a an the its their his her very most".split())  # noqa: SIM905
_MUTUAL = frozenset("marry marr met meet merg border shar match equal".split())  # noqa: SIM905
_RELATIVES = frozenset("who whom whose which where when that".split())  # noqa: SIM905
_ROLES = frozenset("from to into than over against".split())  # noqa: SIM905
_CLAUSE = re.compile(r"\b(?:and|while|but|whereas|then|before|after|until)\b", re.IGNORECASE)
_ALIKE = 0.6  # of the claim's words, in the source's order: then a changed name is a swap
_LONGEST = 100  # tokens of a sentence: what is longer is a table or a list
_MOST = 10  # facts of a claim that are paired with one another
_FEW = 4  # words of a name
_NEAREST = 3  # words on either side of a figure that tell what it is of
_LEAST = 2  # words of difference that make a swap plain


def exchanged(claim: str, source: str, strange: Set[str] = frozenset()) -> str:
    """What `claim` exchanges with the sentence that speaks of it, in words; "" when nothing.
    `strange` are the roots of its words to which nothing in the source comes near."""
    ours, theirs = tokens(claim), tokens(source)
    if max(len(ours), len(theirs)) > _LONGEST:
        return ""
    if pair := _turned_round(ours, theirs):
        return f"the source has {pair[0]} and {pair[1]} the other way round"
    if pair := _replaced(ours, theirs, strange):
        return f"the claim has {pair[0]!r} where the source has {pair[1]!r}"
    return ""


def _turned_round(ours: Sequence[Token], theirs: Sequence[Token]) -> tuple[str, str] | None:
    """Two facts in the other order, with the same thing said between them in the same voice."""
    compared = any(one.word == "than" for one in ours)
    listed = sum(one.value is not None for one in ours) > 1
    placed = [
        (one, at, there)
        for at, one in enumerate(ours)
        if (one.is_fact or (compared and _says_something(one)))
        and sum(same(one, other) for other in ours) == 1
        and (there := _only_place(one, theirs, compared)) >= 0
    ]
    for (one, at, there), (two, later, before) in combinations(placed[: 2 * _MOST], 2):
        if before >= there or not _alike(one, two):
            continue
        mine, other = ours[at + 1 : later], theirs[before + 1 : there]
        shared = [
            (a, b)
            for a, left in enumerate(mine, at + 1)
            for b, right in enumerate(other, before + 1)
            if same(left, right) and _tells(left, one, listed) and not left.breaks
        ]
        if any(word.breaks and word.word in _RELATIVES for word in (*mine, *other)):
            continue  # what is said in another clause may be said of something else
        mutual = {one.key for one in (*mine, *other)} & _MUTUAL
        if (
            shared
            and not mutual
            and all(_passive(ours, a) == _passive(theirs, b) for a, b in shared)
        ):
            return one.text, two.text
    return None


def _only_place(one: Token, theirs: Sequence[Token], compared: bool) -> int:
    """Where the one token of `theirs` stands that is the same fact; -1 where there is not one."""
    places = [at for at, other in enumerate(theirs) if same(one, other)]
    fits = len(places) == 1 and (compared or theirs[places[0]].is_fact)
    return places[0] if fits else -1


def _alike(one: Token, two: Token) -> bool:
    """Whether the two could stand in each other's place: names, or figures of a kind."""
    return type(one.value) is type(two.value) and (
        not isinstance(one.value, Number)
        or (isinstance(two.value, Number) and len({one.value.unit, two.value.unit} - {""}) < 2)
    )


def _replaced(
    ours: Sequence[Token], theirs: Sequence[Token], strange: Set[str]
) -> tuple[str, str] | None:
    """A name or a strange word of the claim in the very place where the source, otherwise alike,
    has another."""
    keys = [one.key for one in ours], [one.key for one in theirs]
    steps = SequenceMatcher(None, *keys, autojunk=False).get_opcodes()
    if sum(end - start for kind, start, end, _, _ in steps if kind == "equal") < _ALIKE * len(ours):
        return None
    for kind, start, end, at, till in steps:
        if kind != "replace" or max(end - start, till - at) > _FEW:
            continue
        # The first word may have its capital from its place.
        mine = [one for one in ours[max(1, start) : end] if one.is_name]
        other = [one for one in theirs[max(1, at) : till] if one.is_name]
        described = ours[start - 1].word in BE | _ARTICLES
        if not mine and described and end - start == till - at == 1:
            mine = [one for one in ours[start:end] if one.key in strange]
            other = [one for one in theirs[at:till] if _says_something(one)]
        fresh = {one.key for one in mine}.isdisjoint(keys[1])
        if mine and other and fresh and {one.key for one in other}.isdisjoint(keys[0]):
            return _joined(mine), _joined(other)
    return None


def misplaced(claim: str, sources: Sequence[str]) -> str:
    """A number or date of `claim` that the sources attach to something else; "" when none is."""
    theirs = [(one, row) for source in sources for one, row in _figures(source, _LONGEST)]
    for figure, around in _figures(claim, _NEAREST)[:_MOST]:
        own = [len(around & row) for one, row in theirs if same(figure, one)]
        rivals = [len(around & row) for one, row in theirs if _rivals(figure, one)]
        if own and rivals and max(rivals) >= max(own) + _LEAST:
            return figure.text
    return ""


def _figures(text: str, nearest: int) -> list[tuple[Token, frozenset[str]]]:
    """The figures of `text`, each with the nearest words of its own clause."""
    row = tokens(text)[: 4 * _LONGEST]
    edges = [
        at
        for at, one in enumerate(row)
        if one.breaks or (_CLAUSE.fullmatch(one.text) and not (row[at + 1 :] and row[at + 1].value))
    ]
    found: list[tuple[Token, frozenset[str]]] = []
    for at, one in enumerate(row):
        if one.value is not None:
            start = max((edge for edge in edges if edge <= at), default=0)
            end = min((edge for edge in edges if edge > at), default=len(row))
            before = [word.key for word in row[start:at] if _says_something(word)]
            after = [word.key for word in row[at + 1 : end] if _says_something(word)]
            found.append((one, frozenset((*before[-nearest:], *after[:nearest]))))
    return found


def _rivals(one: Token, other: Token) -> bool:
    """Whether the other could stand in its place: another value of the same kind."""
    if isinstance(one.value, Number) and isinstance(other.value, Number):
        return one.value.unit == other.value.unit and not same(one, other)
    return isinstance(one.value, Date) and isinstance(other.value, Date) and not same(one, other)


def _says_something(one: Token) -> bool:
    return one.value is None and one.word not in STOPWORDS


def _tells(one: Token, fact: Token, listed: bool) -> bool:
    """Whether two facts like `fact` on either side of it may not change places: "from 9 to 14",
    "A beat B", "A 5, B 7"."""
    if one.word in _ROLES:
        return True
    return fact.value is None and (_says_something(one) or (listed and one.value is not None))


def _passive(row: Sequence[Token], at: int) -> bool:
    return bool(BE & {one.word for one in row[max(0, at - 2) : at]})


def _joined(some: Sequence[Token]) -> str:
    return " ".join(one.text for one in some)
