"""Two facts that change places: a claim gives one figure or name what its source says of another.

Each fact is known by the words next to it in its own clause, and by the side on which they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from leadline.check.sentence_tokens import BE, Token, same, tokens
from leadline.text.values import Number
from leadline.text.words import STOPWORDS

_MUTUAL = frozenset("marry marr met meet merg border shar match equal".split())  # noqa: SIM905
_ROLES = frozenset("from to into than over against".split())  # noqa: SIM905
_CLAUSE = frozenset(
    "and while but whereas then before after until who which".split()  # noqa: SIM905
)
_LONGEST = 100  # tokens of a sentence: what is longer is a table or a list
_NEAREST = 3  # words on either side of a fact that tell what it is of
_LEAST = 2  # words of difference that make an exchange plain

_Beside = frozenset[tuple[str, int]]
_Fact = tuple[Token, _Beside]


def exchanged(claim: str, sources: Sequence[str]) -> str:
    """What `claim` exchanges with the sentences that speak of it, in words; "" when nothing."""
    ours = _facts(claim)
    theirs = [fact for source in sources for fact in _facts(source)]
    known = [fact for fact in ours if any(same(fact[0], one) for one, _ in theirs)]
    for (one, mine), (two, other) in combinations(known, 2):
        if _alike(one, two) and not same(one, two):
            right = _shared(one, mine, theirs) + _shared(two, other, theirs)
            turned = _shared(two, mine, theirs) + _shared(one, other, theirs)
            if turned >= right + _LEAST:
                return f"the source has {one.text} and {two.text} the other way round"
    for fact, mine in ours:
        own = [len(mine & words) for one, words in theirs if same(fact, one)]
        rivals = [
            len(mine & words)
            for one, words in theirs
            if fact.value and _alike(fact, one) and not same(fact, one)
        ]
        if own and rivals and max(rivals) >= max(own) + _LEAST:
            return f"the source gives {fact.text!r} for something else"
    return ""


def _shared(fact: Token, beside: _Beside, theirs: Sequence[_Fact]) -> int:
    """How many of these words stand beside `fact` in the source, on the same side."""
    return max(len(beside & words) for one, words in theirs if same(fact, one))


def _facts(text: str) -> list[_Fact]:
    """The figures and names of `text`, each with the nearest words of its clause and their side:
    what a passive verb stands after is what it does something to."""
    row = tokens(text)[:_LONGEST]
    edges = [at for at, one in enumerate(row) if one.breaks or one.word in _CLAUSE]
    compared = any(one.word == "than" for one in row)
    found: list[_Fact] = []
    for at, fact in enumerate(row):
        if not (fact.is_fact or (compared and fact.word not in STOPWORDS)):
            continue
        start = max((edge for edge in edges if edge <= at), default=0)
        end = min((edge for edge in edges if edge > at), default=len(row))
        before = [place for place in range(start, at) if _tells(row[place])][-_NEAREST:]
        after = [place for place in range(at + 1, end) if _tells(row[place])][:_NEAREST]
        beside = {(row[place].key, -1 if _is_passive(row, place) else 1) for place in after}
        beside |= {(row[place].key, 1 if _is_passive(row, place) else -1) for place in before}
        found.append((fact, frozenset(beside)))
    return found


def _tells(one: Token) -> bool:
    known = one.word in _ROLES or one.word not in STOPWORDS
    return one.value is None and known and one.key not in _MUTUAL


def _is_passive(row: Sequence[Token], at: int) -> bool:
    """Whether it is said what was done "by" something."""
    before, after = row[max(0, at - 2) : at], row[at + 1 : at + 4]
    return any(one.word in BE for one in before) and any(one.word == "by" for one in after)


def _alike(one: Token, two: Token) -> bool:
    """Whether the two could stand in each other's place: names, or figures of a kind."""
    a, b = one.value, two.value
    if isinstance(a, Number) and isinstance(b, Number):
        return a.unit == b.unit
    return type(a) is type(b)
