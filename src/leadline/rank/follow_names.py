"""Bridge queries: names in the best passages that lead on to documents not yet held.

A bridge query is two such names and the question's words that the first one's passage lacks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.question.analyse import keywords
from leadline.rank.name_links import Ranked
from leadline.rank.names import normal
from leadline.rank.passage_words import Mention, Rarity, Reading, reading, root, stems_of
from leadline.text.words import words

_CODE = re.compile(r"[^\w\s.,'’&/+#!?-]|\d\W+\d")  # brackets, equals signs, arrows
_SPELT = 6  # letters: IBM PC stands for something, FULL FREEZE is shouted
_LONGEST = 9  # words of a name; more capitals in a row are a menu, or a headline
_PASSAGES = 5  # how many of the best passages are read for names
_NAMES = 2  # in a query
_LENT = 0.3  # share of what links lend a passage that counts: two things compared lead on alike
_CLOSE = 1.0  # for the share of the question that the name's sentence has
_NEAR = 1.0  # for a question word beside the name
_EARLY = 1.0  # for standing early in its passage
_EARLY_WORDS = 35
_NEAR_WORDS = 5
_AFTER = 0.7  # a question word after the name counts less than one before it


@dataclass(frozen=True)
class Lead:
    """A name in a passage that no held document answers to, and how much it promises."""

    name: str
    written: str
    score: float
    lacking: tuple[str, ...]  # the question's words that its passage does not have


@dataclass(frozen=True)
class Asked:
    """A question as it is compared with passages."""

    flat: str
    words: tuple[str, ...]
    stems: frozenset[str]
    roots: frozenset[str]

    @classmethod
    def of(cls, question: str) -> Asked:
        flat = normal(question)
        roots = frozenset(filter(None, map(root, words(flat))))
        return cls(f" {flat} ", keywords(question), frozenset(stems_of(question)), roots)

    def knows(self, mention: Mention, one: Reading) -> bool:
        """Does the question say this name already, or is it the passage's own?"""
        said = f" {mention.name} " in self.flat or mention.stems <= self.stems
        return said or mention.stems <= one.own


def bridges(question: str, held: Sequence[Ranked], asked: Sequence[str], n: int) -> tuple[str, ...]:
    """At most `n` queries that follow names in `held`; never one already asked."""
    leads = open_leads(question, held, asked)
    queries: list[str] = []
    while leads and len(queries) < n:
        taken, leads = leads[:_NAMES], leads[_NAMES:]
        query = " ".join([*(lead.written for lead in taken), *taken[0].lacking])
        if query not in asked and query not in queries:
            queries.append(query)
    return tuple(queries)


def open_leads(question: str, held: Sequence[Ranked], asked: Sequence[str]) -> list[Lead]:
    """The names that no held document answers to and no query has asked for, best first."""
    used = {word for query in asked for word in normal(query).split()}
    return [lead for lead in _leads(question, held) if not used.issuperset(lead.name.split())]


def _leads(question: str, held: Sequence[Ranked]) -> list[Lead]:
    """The names that the best passages mention and no held document answers to, best first."""
    readings = [reading(one.held.title, one.held.text) for one in held]
    rarity = Rarity.within(readings)
    known = {name for one in readings for name in one.names}
    small = frozenset[str]().union(*(one.small for one in readings))
    inside = frozenset(
        mention.name
        for one in readings
        for mention in one.mentions
        if mention.first > mention.opens
    )
    asked = Asked.of(question)
    weights = [one.own + _LENT * (one.score - one.own) for one in held]
    best: dict[str, Lead] = {}
    for i in sorted(range(len(held)), key=lambda i: -weights[i])[:_PASSAGES]:
        for lead in _leads_in(readings[i], asked, rarity, weights[i]):
            if lead.name in known or not is_name(lead.written, small):
                continue
            if lead.name not in inside and " " not in lead.name:
                continue  # a capital at the head of a sentence is no name yet
            if lead.score > _score_of(best.get(lead.name)):
                best[lead.name] = lead
    return sorted(best.values(), key=lambda lead: -lead.score)


def is_name(written: str, small: frozenset[str]) -> bool:
    """Whether capitals mean a name: not in code, not in words that are shouted, nor in very many.

    Shouted ones are also written small, or, where they are several, too long for letters that stand
    for something.
    """
    parts = written.split()
    if len(parts) > _LONGEST or _CODE.search(written):
        return False
    if not written.isupper():
        return True
    if len(parts) == 1:
        return written.lower() not in small
    ordinary = all(part.lower() in small for part in parts if len(part) > 1)
    return not ordinary and all(len(part) < _SPELT for part in parts)


def _score_of(lead: Lead | None) -> float:
    return lead.score if lead else -1.0


def _leads_in(one: Reading, asked: Asked, rarity: Rarity, weight: float) -> list[Lead]:
    lacking = tuple(word for word in asked.words if not set(stems_of(word)) & one.counts.keys())
    whole = rarity.total(asked.stems) or 1.0
    leads: list[Lead] = []
    for mention in one.mentions:
        if asked.knows(mention, one):
            continue
        sentence = asked.stems.intersection(one.stems[mention.opens : mention.closes])
        promise = (
            1
            + _CLOSE * rarity.total(sentence) / whole
            + _NEAR * nearness(mention, one, asked)
            + _EARLY / (1 + mention.first / _EARLY_WORDS)
        )
        score = weight * promise * math.sqrt(rarity.mean(mention.stems))
        leads.append(Lead(mention.name, mention.written, score, lacking))
    return leads


def nearness(mention: Mention, one: Reading, asked: Asked) -> float:
    """1 where a word of the question stands right before the name, less with each word between."""
    first = max(mention.opens, mention.first - 2 * _NEAR_WORDS)
    before = one.roots[first : mention.first]
    after = one.roots[mention.last : min(mention.closes, mention.last + _NEAR_WORDS)]
    gaps = [(gap, 1.0) for gap, word in enumerate(reversed(before)) if word in asked.roots]
    gaps += [(gap, _AFTER) for gap, word in enumerate(after) if word in asked.roots]
    return max((side * math.exp(-gap / _NEAR_WORDS) for gap, side in gaps), default=0.0)
