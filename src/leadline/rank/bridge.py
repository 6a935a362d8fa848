"""Bridge queries: names in the best passages that lead on to documents not yet held.

A bridge query is two such names and the question's words that the first one's passage lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadline.rank.links import Ranked, rarity
from leadline.rank.names import Span, names, normal, spans
from leadline.text.sentences import sentences
from leadline.text.words import STOPWORDS, content_words, stem, words

_PASSAGES = 5  # how many of the best passages are read for names
_SPANS = 2  # names in a query
_EARLY = 0.3
_NEAR = 0.3
_EARLY_WITHIN = 200  # characters
_NEAR_WITHIN = 40


@dataclass(frozen=True, slots=True)
class _Lead:
    name: str
    score: float
    lacking: tuple[str, ...]  # the question's words that the passage does not have


def bridges(question: str, held: Sequence[Ranked], asked: Sequence[str], n: int) -> tuple[str, ...]:
    """At most `n` queries that follow names in `held` (best first); never one already asked."""
    used = {word for query in asked for word in words(query)}
    leads = [lead for lead in _leads(question, held) if not used.issuperset(lead.name.split())]
    queries: list[str] = []
    while leads and len(queries) < n:
        taken, leads = leads[:_SPANS], leads[_SPANS:]
        query = " ".join([*(lead.name for lead in taken), *taken[0].lacking])
        if query not in asked and query not in queries:
            queries.append(query)
    return tuple(queries)


def _leads(question: str, held: Sequence[Ranked]) -> list[_Lead]:
    """The names that the best passages hold and nothing else explains, best first."""
    idf = rarity([one.held for one in held])
    known = {name for one in held for name in names(one.held.title, one.held.text)}
    best: dict[str, _Lead] = {}
    for one in held[:_PASSAGES]:
        for lead in _leads_in(question, one, known, idf):
            if lead.name not in best or best[lead.name].score < lead.score:
                best[lead.name] = lead
    return sorted(best.values(), key=lambda lead: -lead.score)


def _leads_in(question: str, one: Ranked, known: set[str], idf: Mapping[str, float]) -> list[_Lead]:
    asked = f" {normal(question)} "
    wanted = set(content_words(question))
    text = one.held.text
    has = set(content_words(f"{one.held.title} {text}"))
    lacking = tuple(
        word
        for word in dict.fromkeys(words(question))
        if word not in STOPWORDS and stem(word) not in has
    )
    own = set(content_words(next(iter(names(one.held.title, text)), "")))
    closeness = _closeness(text, wanted, idf)
    leads: list[_Lead] = []
    for span in spans(text):
        parts = set(content_words(span.name))
        if f" {span.name} " in asked or span.name in known or parts <= wanted or parts <= own:
            continue
        rare = sum(idf.get(part, 0.0) for part in parts) / len(parts)
        near = any(stem(word) in wanted for word in words(_around(text, span)))
        early = _EARLY / (1 + span.start / _EARLY_WITHIN)
        close = next((value for end, value in closeness if span.start < end), 0.0)
        score = one.score * rare * (1 + close + _NEAR * near + early)
        leads.append(_Lead(span.name, score, lacking))
    return leads


def _closeness(text: str, wanted: set[str], idf: Mapping[str, float]) -> list[tuple[int, float]]:
    """For each sentence its end, and how much of the question's weight it shares."""
    whole = sum(idf.get(word, 0.0) for word in wanted) or 1.0
    return [
        (one.end, sum(idf.get(word, 0.0) for word in wanted & set(content_words(one.text))) / whole)
        for one in sentences(text)
    ]


def _around(text: str, span: Span) -> str:
    return text[max(0, span.start - _NEAR_WITHIN) : span.start + len(span.name) + _NEAR_WITHIN]
