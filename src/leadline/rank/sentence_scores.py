"""Picking sentences: how well each candidate answers, alone or through a sentence that leads to it.

A sentence is scored by the question's words in it and in its title, by closeness of meaning, by
holding the kind of thing asked for, and by the rank of its source. The second hop shares few words
with the question: it is scored together with the sentence that names its document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from leadline.ports import Embedder
from leadline.question.analyse import Expects, Question
from leadline.rank.evidence import evidence
from leadline.rank.names import names, normal, spans
from leadline.rank.quotable_sentences import Candidate
from leadline.rank.word_coverage import kin, matched, rarity, weights
from leadline.text.words import STOPWORDS, words

if TYPE_CHECKING:
    from leadline.ports import Matrix

_TITLE = 0.6  # what a question word in the title or section counts of one in the sentence
_WORDS = 1.0
_MEANING = 0.8
_KIND = 0.15
_DEFINES = 0.35
_SOURCE = 0.15
_FIRST = 0.05
_DANGLING = 0.15
_ITEM = 0.1  # an item of a list seldom says who or what it is about
_SHORT = 0.1  # nor does a sentence of a few words
_FEW = 40  # characters
_SAYS = 0.05  # share of the question's words, or
_MEANS = 0.25  # cosine with it, for a sentence to have to do with it
_CHAIN = 0.1  # what a second sentence costs


@dataclass(frozen=True)
class Scored:
    """A candidate's score; `via` is the place of the sentence that leads to it, or -1."""

    place: int
    score: float
    via: int = -1


@dataclass(frozen=True)
class _Together:
    """What the candidates are beside each other, whatever the question."""

    candidates: tuple[Candidate, ...]

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        return rarity([one.words | one.about for one in self.candidates])

    @cached_property
    def naming(self) -> Mapping[int, list[tuple[str, frozenset[int]]]]:
        """What each source is called, and the places of the sentences of others that name it."""
        found = self.candidates
        texts = [_spaced(one.text) for one in found]
        said = [_said(one.text) for one in found]
        opening: dict[int, Candidate] = {}
        for one in found:
            opening.setdefault(one.source, one)
        return {
            source: [
                (
                    name,
                    frozenset(
                        place
                        for place, other in enumerate(found)
                        if other.source != source and _names(name, texts[place], said[place])
                    ),
                )
                for name in names(first.title, first.text)
            ]
            for source, first in opening.items()
        }


@dataclass(frozen=True)
class Field:
    """All candidates, measured against the question. Row i belongs to candidate i."""

    candidates: tuple[Candidate, ...]
    found: Matrix  # question words found, title words counted less
    inside: Matrix  # those in the sentence itself
    around: Matrix  # those in its title and section
    said: Matrix  # share of them in the sentence itself
    weight: Matrix
    meaning: Matrix  # cosine with the question
    vectors: Matrix
    alone: Matrix  # the score of each by itself
    together: _Together


def measure(
    question: Question,
    found: Sequence[Candidate],
    embedder: Embedder,
    like: Field | None = None,
) -> Field:
    """Every candidate against the question; `like` is a field of the same candidates."""
    together = like.together if like else _Together(tuple(found))
    rare = together.rarity
    family = kin(question.words, rare)
    small = frozenset(question.words) & STOPWORDS  # names that are small words: `let`
    held = [
        one.words | (small & frozenset(words(one.text))) if small else one.words for one in found
    ]
    inside = np.array([matched(family, one) for one in held], dtype=np.float32)
    about = {words: matched(family, words) for words in {one.about for one in found}}
    around = np.array([about[one.about] for one in found], dtype=np.float32)
    weight = np.array(weights(question.words, rare), dtype=np.float32)
    texts = [] if like else [one.text for one in found]
    fresh = embedder.embed([*texts, question.text])
    vectors = like.vectors if like else fresh[:-1]
    meaning = vectors @ fresh[-1]
    rows = np.maximum(inside, _TITLE * around)
    alone = _share(rows, weight) * _WORDS + meaning * _MEANING + _extras(question, found)
    said = _share(inside, weight)
    return Field(
        tuple(found), rows, inside, around, said, weight, meaning, vectors, alone, together
    )


def _share(rows: Matrix, weight: Matrix) -> Matrix:
    total = float(weight.sum()) or 1.0
    return np.asarray(rows @ weight / total, dtype=np.float32)


def _extras(question: Question, found: Sequence[Candidate]) -> Matrix:
    """What does not depend on the question's words: kind of thing, source, place, readability."""
    kind = _DEFINES if question.expects is Expects.DEFINITION else _KIND
    order = {number: rank for rank, number in enumerate(dict.fromkeys(one.source for one in found))}
    return np.array(
        [
            kind * (0.0 if one.item else evidence(question.expects, one.text, question.text))
            + _SOURCE / (1 + order[one.source])
            + _FIRST * one.first
            - _DANGLING * one.dangling
            - _ITEM * (one.item and not question.wanted)
            - _SHORT * _shortness(one.text)
            for one in found
        ],
        dtype=np.float32,
    )


def _shortness(text: str) -> bool:
    if len(text) >= _FEW:
        return False
    wide = sum(char > "\u2e80" for char in text)  # a Chinese character says as much as a word
    return len(text) + 2 * wide < _FEW


def concerns(field: Field, one: Scored) -> bool:
    """Does the sentence itself have to do with the question, not only the page it stands on?

    Whoever slips a sentence into a page on the subject should not have it quoted. Of the sentences
    that reports on HotpotQA quote besides the answer this drops 1 in 100.
    """
    at = one.place
    return one.via >= 0 or bool(field.said[at] >= _SAYS or field.meaning[at] >= _MEANS)


def ranked(question: Question, field: Field) -> list[Scored]:
    """The candidates by how well they answer, alone or led to, best first."""
    follow = question.expects is not Expects.DEFINITION and (question.hops or question.names)
    follow = follow and not question.told_in_place
    links = _links(question, field.together) if follow else [[]] * len(field.candidates)
    scored = [_best(field, place, links[place]) for place in range(len(field.candidates))]
    return sorted(scored, key=lambda one: (-one.score, one.place))


def _best(field: Field, place: int, leading: Sequence[int]) -> Scored:
    own = float(field.alone[place])
    if not leading:
        return Scored(place, own)
    at = np.array(leading)
    union = np.maximum(field.found[at], field.found[place])
    extras = own - _WORDS * float(_share(field.found[place : place + 1], field.weight)[0])
    extras -= _MEANING * float(field.meaning[place])
    meaning = np.maximum(field.meaning[at], field.meaning[place])
    through = _share(union, field.weight) * _WORDS + meaning * _MEANING + extras - _CHAIN
    best = int(np.argmax(through))
    if float(through[best]) <= own:
        return Scored(place, own)
    return Scored(place, float(through[best]), leading[best])


def _links(question: Question, together: _Together) -> list[list[int]]:
    """For each candidate the sentences of other sources that name its document."""
    asked = f" {normal(question.text)} "
    leading: dict[int, list[int]] = {}
    for source, called in together.naming.items():
        places = [where for name, where in called if f" {name} " not in asked]
        leading[source] = sorted(frozenset[int]().union(*places))
    return [leading[one.source] for one in together.candidates]


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    return f" {normal(text)} "


@lru_cache(maxsize=4096)
def _said(text: str) -> frozenset[str]:
    """The names in `text`, also those joined by "and"."""
    whole = [span.name for span in spans(text)]
    return frozenset([*whole, *(part for name in whole for part in name.split(" and "))])


def _names(name: str, text: str, said: frozenset[str]) -> bool:
    """Is `name` a name in the text? Not every Albert is, nor Edward the Confessor a Confessor."""
    alone = " " not in name or name.startswith("the ")
    return name in said if alone else f" {name} " in text


def alike(field: Field, one: int, other: int) -> bool:
    """Do two candidates say the same thing?"""
    a, b = field.candidates[one], field.candidates[other]
    smaller = min(len(a.words), len(b.words)) or 1
    if a.passage == b.passage and a.begins <= b.at and b.begins <= a.at:
        return True  # they share a sentence
    common = len(a.words & b.words)
    return common / smaller > 0.8 or bool(
        common / smaller > 0.5 and float(field.vectors[one] @ field.vectors[other]) > 0.85
    )


def picked(field: Field, order: Sequence[Scored], room: int, most: int) -> list[Scored]:
    """The best that differ from one another, within `room` characters; at most `most`."""
    chosen: list[Scored] = []
    taken: list[int] = []
    for one in order:
        if len(taken) >= most:
            break
        new = [place for place in (one.via, one.place) if place >= 0 and place not in taken]
        new = [place for place in new if not any(alike(field, place, other) for other in taken)]
        size = sum(len(field.candidates[place].text) for place in new)
        if one.place not in new or size > room:
            continue
        chosen.append(one)
        taken += new
        room -= size
    return chosen
