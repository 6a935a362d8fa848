"""Link ranking: which of the passages found belong to the answer, also those only reached by name.

A passage scores by the question's words in it and by being named in the question. It is lent a
share of the score of a passage that leads to it: one that names its document, or one that shares a
name with it where it holds the question's words that the other lacks. That keeps the second hop,
which by itself has few of the question's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from leadline.rank.names import normal
from leadline.rank.passage_words import Rarity, Reading, reading, stems_of

_SATURATION = 1.2  # BM25's k1
_LENGTH = 0.5  # BM25's b
_NAMED = 1.0  # added when the question names the document
_SHARE = 0.8  # of the score of the best passage that leads here
_SHARED = 2.0  # of a link by a shared name, times what it completes and how rare the name is
_ORIGINS = 5  # how many of the best passages may link by a shared name
_HOPS = 2

Links = list[list[tuple[int, float]]]  # for each passage, who leads to it and how strongly


class Held(NamedTuple):
    """A passage that a search returned. `key` is its document; `score` is the search's own."""

    key: str
    title: str
    text: str
    score: float = 0.0
    query: int = 0


class Ranked(NamedTuple):
    """A held passage with its rank score, and `own`: the score it would have without links."""

    held: Held
    score: float
    own: float


def rank_sources(question: str, found: Sequence[Held]) -> list[Ranked]:
    """`found`, best first. Ties keep the order in which they were found."""
    return list(_ranked(question, tuple(found)))


@lru_cache(maxsize=4)  # choosing what to keep and reflecting rank the same passages
def _ranked(question: str, found: tuple[Held, ...]) -> tuple[Ranked, ...]:
    if not found:
        return ()
    readings = [reading(one.title, one.text) for one in found]
    rarity = Rarity.within(readings)
    own = _own(question, readings, rarity)
    links = _named_links(question, found, readings)
    _add_shared_links(links, question, found, readings, rarity, own)
    scores = own
    for _ in range(_HOPS):
        lent = [max((scores[i] * weight for i, weight in into), default=0.0) for into in links]
        scores = [score + _SHARE * more for score, more in zip(own, lent, strict=True)]
    order = sorted(range(len(found)), key=lambda i: -scores[i])
    return tuple(Ranked(found[i], scores[i], own[i]) for i in order)


def _own(question: str, readings: Sequence[Reading], rarity: Rarity) -> list[float]:
    """BM25 over what was found, scaled so that the best has 1, and the bonus for a named one."""
    asked = f" {normal(question)} "
    wanted = [(word, rarity.of(word)) for word in dict.fromkeys(stems_of(question))]
    mean = sum(one.length for one in readings) / len(readings) or 1.0
    scores = []
    for one in readings:
        slack = _SATURATION * (1 - _LENGTH + _LENGTH * one.length / mean)
        has = ((rare, one.counts.get(word, 0)) for word, rare in wanted)
        scores.append(sum(rare * n * (_SATURATION + 1) / (n + slack) for rare, n in has if n))
    best = max(scores) or 1.0
    return [
        score / best + _NAMED * any(f" {name} " in asked for name in one.names)
        for score, one in zip(scores, readings, strict=True)
    ]


def _named_links(question: str, found: Sequence[Held], readings: Sequence[Reading]) -> Links:
    """Links from each passage that names a document to it. What the question names needs none."""
    asked = f" {normal(question)} "
    links: Links = []
    for target, one in zip(found, readings, strict=True):
        spaced = [(name, f" {name} ") for name in one.names]
        called = [(name, said) for name, said in spaced if said not in asked]
        links.append(
            [
                (i, 1.0)
                for i, other in enumerate(readings)
                if found[i].key != target.key and _calls(other, called)
            ]
        )
    return links


def _calls(one: Reading, called: Sequence[tuple[str, str]]) -> bool:
    """Whether a passage names what is called so, and is not called so itself."""
    for name, said in called:  # noqa: SIM110 - asked of every pair
        if said in one.flat and name not in one.names:
            return True
    return False


def _add_shared_links(
    links: Links,
    question: str,
    found: Sequence[Held],
    readings: Sequence[Reading],
    rarity: Rarity,
    own: Sequence[float],
) -> None:
    """Links from the best passages to those that mention the same name and complete them."""
    asked = f" {normal(question)} "
    wanted = dict.fromkeys(stems_of(question))
    rarest = Rarity({}, len(found)).of("") or 1.0
    for i in sorted(range(len(found)), key=lambda i: -own[i])[:_ORIGINS]:
        lacks = [word for word in wanted if word not in readings[i].counts]
        weight = rarity.total(lacks)
        if not weight:
            continue
        new = new_names(readings[i], asked, frozenset(wanted))
        shared = [(f" {name} ", rarity.mean(stems)) for name, stems in new]
        for j, other in enumerate(readings):
            adds = rarity.total([word for word in lacks if word in other.counts]) / weight
            if found[j].key == found[i].key or not adds:
                continue
            rare = [mean for said, mean in shared if said in other.flat]
            if rare:
                links[j].append((i, _SHARED * adds * max(rare) / rarest))


def new_names(one: Reading, asked: str, wanted: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """What a passage mentions beyond the question and itself, each name once with its stems."""
    found = {
        mention.name: mention.stems
        for mention in one.mentions
        if f" {mention.name} " not in asked
        and not mention.stems <= wanted
        and not mention.stems <= one.own
    }
    return list(found.items())
