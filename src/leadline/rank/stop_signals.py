"""Signs, after a round of searches, that what the question needs is held; stop rules look at them.

The question names some things. A chain leads on from each: the name that stands beside the words
of the question in its document ("directed by ..."), which should be held as well.
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
from leadline.rank.names import normal
from leadline.rank.passage_words import Mention, Rarity, Reading, reading
from leadline.text.images import in_short
from leadline.text.urls import canonical
from leadline.types import State

_BESIDE = 0.3  # nearness from which a name stands beside a word of the question
_OPEN_ENDED = frozenset({Expects.METHOD, Expects.REASON, Expects.DEFINITION, Expects.CONTRAST})
_PASSAGES = 3  # of one document, that are read for names

# A word for a person or body by their tie to another: what it stands for must be found first.
_RELATION = re.compile(
    r"\b(?:directors?|performers?|composers?|authors?|writers?|founders?|creators?|producers?|"
    r"publishers?|owners?|spouse|wife|husband|(?:grand|step)?(?:mother|father|parent|child|son|"
    r"daughter)s?(?:-in-law)?|children|siblings?|brothers?|sisters?|nephews?|nieces?|uncles?|"
    r"aunts?|ancestors?|singers?|artists?|players?|actors?|actress(?:es)?|stars?|leaders?|"
    r"presidents?|employers?|developers?|manufacturers?|designers?|architects?|successors?|"
    r"predecessors?|rulers?|coach(?:es)?|hosts?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Signs:
    """What a stop rule may look at. Everything in it is known when the next search is due."""

    searches: int
    direct: bool  # the question names what it is about, and describes nothing else
    named: int  # things that the question names and a held document is about
    sides: int  # things that it compares, else 1
    closed: bool  # in each of those, the name beside the question's words is held too
    lead: float  # promise of the best name that is neither held nor asked for
    ahead: float  # by how much that name beats the best one that is held, -1 to 1
    unchanged: int
    changed: int  # places among the kept that the last round filled anew
    novelty: float
    repeated: float
    open_parts: int
    confidence: float
    resolved: bool = False  # a name that the last query asked for is held now
    factual: bool = True  # one thing is asked for: a name, a date, which of two


@lru_cache(maxsize=2)  # asked of one state: is it enough, what is next
def signs(state: State) -> Signs:
    """The signs after the last round of `state`."""
    question = analyse(state.task)
    ranked = rank_sources(state.task, _held(state))
    readings = [reading(one.held.title, one.held.text) for one in ranked]
    asked = Asked.of(in_short(state.task))
    about = _about(asked, readings)
    kept = _kept_names(state, ranked, readings)
    small = frozenset[str]().union(*(one.small for one in readings))
    known = {name for one in readings for name in one.names}
    ties = [_tie([readings[i] for i in places], asked, kept, known, small) for places in about]
    leads = open_leads(in_short(state.task), ranked, [query.text for query in state.asked])
    rarest = math.sqrt(Rarity({}, len(ranked)).of("") or 1.0)
    last = state.verdicts[-1] if state.verdicts else None
    described = question.hops or bool(_RELATION.search(question.text)) or bool(question.wanted)
    return Signs(
        searches=len(state.asked),
        direct=question.language == "en" and not described,
        named=len(about),
        sides=len(question.compared) or 1,
        closed=bool(ties) and all(here >= _BESIDE and here >= gone for here, gone in ties),
        lead=round(leads[0].score / rarest, 4) if leads else 0.0,
        ahead=round(max((gone - here for here, gone in ties), default=0.0), 4),
        unchanged=state.unchanged,
        changed=state.changed,
        novelty=last.score if last else 0.0,
        repeated=last.repeated if last else 0.0,
        open_parts=len(state.gaps),
        confidence=state.confidence,
        resolved=_resolved(state, asked, kept),
        factual=factual(question),
    )


def factual(question: Question) -> bool:
    """Does it ask for one thing that a chain of names can lead to, and not for an account?"""
    if question.wanted or question.expects in _OPEN_ENDED:
        return False
    return len([part for part in question.parts if not part.inner]) <= max(
        len(question.compared), 1
    )


def _held(state: State) -> list[Held]:
    return [
        Held(canonical(hit.url), hit.title, hit.text, hit.score) for hit in state.search_results
    ]


def _about(asked: Asked, readings: Sequence[Reading]) -> list[list[int]]:
    """For each thing that the question names, the places of the passages about it, best first."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(readings):
        named = [name for name in one.names if f" {name} " in asked.flat]
        if named:
            places.setdefault(max(named, key=len), []).append(place)
    whole = [
        name for name in places if not any(name != o and f" {name} " in f" {o} " for o in places)
    ]
    return [places[name][:_PASSAGES] for name in whole]


def _kept_names(
    state: State, ranked: Sequence[Ranked], readings: Sequence[Reading]
) -> frozenset[str]:
    numbers = set(state.kept)
    keys = {canonical(source.url) for source in state.sources if source.id in numbers}
    pairs = zip(ranked, readings, strict=True)
    return frozenset(name for one, said in pairs if one.held.key in keys for name in said.names)


def _resolved(state: State, asked: Asked, kept: frozenset[str]) -> bool:
    said = set(normal(state.asked[-1].text).split()) if state.asked else set()
    return any(said.issuperset(name.split()) and f" {name} " not in asked.flat for name in kept)


def _tie(
    readings: Iterable[Reading],
    asked: Asked,
    kept: frozenset[str],
    known: set[str],
    small: frozenset[str],
) -> tuple[float, float]:
    """How near to the question's words a name stands that is kept, and one that is not held."""
    here = gone = 0.0
    for one in readings:
        for mention in one.mentions:
            if asked.knows(mention, one) or not is_name(mention.written, small):
                continue
            near = nearness(mention, one, asked)
            here, gone = _nearer(mention, near, here, gone, kept, known)
    return here, gone


def _nearer(
    mention: Mention, near: float, here: float, gone: float, kept: frozenset[str], known: set[str]
) -> tuple[float, float]:
    if mention.name in kept:
        return max(here, near), gone
    return (here, gone) if mention.name in known else (here, max(gone, near))
