"""The stop rule `chain`: whether what the question needs is held, or no name left leads on.

The question names some things. A chain leads on from each: the name that stands beside the words
of the question in its document ("directed by …"), which should be held as well. It says nothing of
how much of the whole was seen: that cannot be told from searches that overlap.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leadline.question.analyse import Expects, Question, analyse
from leadline.rank.follow_names import Asked, is_name, nearness, open_leads
from leadline.rank.name_links import Held, Ranked, rank_sources
from leadline.rank.passage_words import Rarity, Reading, reading
from leadline.text.images import in_short
from leadline.text.urls import canonical
from leadline.types import State

LEAST = 2  # searches before the rule may speak
WEAK_AFTER = 3  # searches after which a weak lead is not followed
# Promise of the best open name below which it leads nowhere; held on 2Wiki, HotpotQA and MuSiQue.
WEAK = 2.8
_BESIDE = 0.3  # nearness from which a name stands beside a word of the question; on the same three
_OPEN_ENDED = frozenset({Expects.METHOD, Expects.REASON, Expects.DEFINITION, Expects.CONTRAST})
_PASSAGES = 3  # of one document, that are read for names

# A word for a person or body by their tie to another: what it stands for must be found first.
_RELATION = re.compile(
    r"\b(?:directors?|performers?|composers?|authors?|writers?|founders?|creators?|producers?|"
    r"publishers?|owners?|spouse|wife|husband|(?:grand|step)?(?:mother|father|parent|child|son|"
    r"daughter)s?(?:-in-law)?|children|siblings?|brothers?|sisters?|uncles?|aunts?|singers?|"
    r"actors?|actress(?:es)?|stars?|leaders?|employers?|developers?|manufacturers?|designers?|"
    r"successors?|predecessors?|coach(?:es)?|hosts?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Signs:
    """What the rule looks at when the next search is due."""

    direct: bool  # the question names what it is about, and describes nothing else
    named: int  # things that the question names and a held document is about
    sides: int  # things that it compares, else 1
    closed: bool  # in each of those, the name beside the question's words is held too
    lead: float  # promise of the best name that is neither held nor asked for
    factual: bool = True  # one thing is asked for: a name, a date, which of two


def ends_search(seen: Signs, searches: int) -> bool:
    """Whether the chain from the question's names is whole, or no name left is worth following.

    Only where one fact is asked for: what explains or compares at length has no last link.
    """
    if searches < LEAST or not seen.factual:
        return False
    return is_complete(seen) or (searches >= WEAK_AFTER and seen.lead < WEAK)


def is_complete(seen: Signs) -> bool:
    """Each thing that the question names is held, and so is what it describes, where it does."""
    if seen.direct and seen.named >= max(LEAST, seen.sides):
        return True
    return seen.closed and seen.named >= seen.sides


@lru_cache(maxsize=2)  # asked of one state: is it enough, what is next
def signs(state: State) -> Signs:
    """The signs after the last round of `state`."""
    question = analyse(state.task)
    held = [
        Held(canonical(hit.url), hit.title, hit.text, hit.score) for hit in state.search_results
    ]
    ranked = rank_sources(state.task, held)
    readings = [reading(one.held.title, one.held.text) for one in ranked]
    asked = Asked.of(in_short(state.task))
    about = _about(asked, readings)
    kept = _kept_names(state, ranked, readings)
    ties = [_tie([readings[i] for i in places], asked, kept, readings) for places in about]
    leads = open_leads(in_short(state.task), ranked, [query.text for query in state.asked])
    rarest = math.sqrt(Rarity({}, len(ranked)).of("") or 1.0)
    described = question.hops or bool(_RELATION.search(question.text)) or bool(question.wanted)
    return Signs(
        direct=question.language == "en" and not described,
        named=len(about),
        sides=len(question.compared) or 1,
        closed=bool(ties) and all(here >= _BESIDE and here >= gone for here, gone in ties),
        lead=leads[0].score / rarest if leads else 0.0,
        factual=_is_factual(question),
    )


def _is_factual(question: Question) -> bool:
    """Does it ask for one thing that a chain of names can lead to, and not for an account?"""
    if question.wanted or question.expects in _OPEN_ENDED:
        return False
    asked = [part for part in question.parts if not part.inner]
    return len(asked) <= max(len(question.compared), 1)


def _about(asked: Asked, readings: Sequence[Reading]) -> list[list[int]]:
    """For each thing that the question names, the places of the passages about it, best first."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(readings):
        named = [name for name in one.names if f" {name} " in asked.flat]
        if named:
            places.setdefault(max(named, key=len), []).append(place)
    longest = [
        name for name in places if not any(name != o and f" {name} " in f" {o} " for o in places)
    ]
    return [places[name][:_PASSAGES] for name in longest]


def _kept_names(
    state: State, ranked: Sequence[Ranked], readings: Sequence[Reading]
) -> frozenset[str]:
    numbers = set(state.kept)
    keys = {canonical(source.url) for source in state.sources if source.id in numbers}
    pairs = zip(ranked, readings, strict=True)
    return frozenset(name for one, words in pairs if one.held.key in keys for name in words.names)


def _tie(
    about: Iterable[Reading], asked: Asked, kept: frozenset[str], readings: Sequence[Reading]
) -> tuple[float, float]:
    """How near to the question's words a name stands that is kept, and one that is not held."""
    small = frozenset[str]().union(*(one.small for one in readings))
    known = {name for one in readings for name in one.names}
    here = gone = 0.0
    for one in about:
        for mention in one.mentions:
            if asked.knows(mention, one) or not is_name(mention.written, small):
                continue
            near = nearness(mention, one, asked)
            if mention.name in kept:
                here = max(here, near)
            elif mention.name not in known:
                gone = max(gone, near)
    return here, gone
