"""Sentences that answer alone or through another that leads to them: for what must be found first.

A sentence is scored by the question's words in it and in its title, by closeness of meaning, by
holding the kind of thing asked for, and by the rank of its source. The second hop shares few words
with the question: it is scored together with the sentence of another source that names its
document. HotpotQA and 2Wiki carry the links; ordinary questions are answered by paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.guard.policy import is_flagged
from leadline.question.analyse import Question
from leadline.rank.evidence import has_evidence
from leadline.rank.names import names, normal, spans
from leadline.rank.word_coverage import held, rarity, weights
from leadline.text.quotes import locate, plain
from leadline.text.sentences import sentences
from leadline.text.words import content_words

if TYPE_CHECKING:
    from leadline.ports import Embedder, Matrix
    from leadline.types import Passage

_LONGEST = 600  # characters of a sentence that can be quoted
# Held on HotpotQA and 2Wiki, sentences of the first two paragraphs.
_TITLE = 0.6  # what a question word in the title counts of one in the sentence
_MEANING = 0.8  # of closeness in meaning beside the share of words
_KIND = 0.15  # for the kind of thing asked for
_SOURCE = 0.15  # for standing in the first source, half of it in the second …
_CHAIN = 0.1  # what a second sentence costs
_SAME = 0.8  # share of its words in another sentence that makes one a repetition
REFERS_BACK = re.compile(
    r"(?:he|she|it|they|this|these|those|that|his|her|its|their|him|them|such|both|however|but|and|"
    r"also|then|thus|so|therefore|the (?:former|latter))\b|[他她它这该其此但而]",
    re.IGNORECASE,
)
_LOOKS_CITED = re.compile(r"\[\d{1,4}\]")
_LIFE = re.compile(r"\([^()]{0,60}\b1?\d{3}\b[^()]{0,20}\s?[–—-]\s?[^()]{0,30}\b[12]\d{3}\b")
_LIVED = frozenset(content_words("born died"))  # what "(1886 – 1960)" after a name says


@dataclass(frozen=True)
class Sentence:
    """One that can be quoted, with the one before where it refers back."""

    text: str
    source: int
    title: str
    words: frozenset[str]

    @cached_property
    def flat(self) -> str:
        return f" {normal(self.text)} "

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it, also those joined by "and"."""
        found = [span.name for span in spans(self.text)]
        return frozenset([*found, *(part for name in found for part in name.split(" and "))])


@dataclass(frozen=True)
class Scored:
    """The place of a sentence, its score, and the place of the one that leads to it, or -1."""

    place: int
    score: float
    via: int = -1


class Field:
    """The sentences of all passages, each source's in reading order, no text twice."""

    def __init__(
        self,
        passages: Sequence[Passage],
        titles: Mapping[int, str],
        embedder: Embedder,
        own: Collection[int] = (),
    ) -> None:
        """`own` are the user's documents, in which less is taken for an order to a machine."""
        found: dict[str, Sentence] = {}
        for passage in passages:
            for one in _quotable(passage, titles.get(passage.source, ""), passage.source in own):
                found.setdefault(one.text, one)
        self.sentences = tuple(found.values())
        self._about = {one.title: frozenset(content_words(one.title)) for one in self.sentences}
        self._rare = rarity([one.words | self._about[one.title] for one in self.sentences])
        self._embedder = embedder
        self._vectors = embedder.embed([one.text for one in self.sentences])

    def ranked(self, question: Question, *, linked: bool = True) -> list[Scored]:
        """The sentences by how well they answer, alone or led to, best first."""
        wanted = tuple(dict.fromkeys(question.words))
        weight = np.array(weights(wanted, self._rare), dtype=np.float32)
        weight /= float(weight.sum()) or 1.0
        inside = np.array([held(wanted, one.words) for one in self.sentences], dtype=np.float32)
        titled = {title: held(wanted, words) for title, words in self._about.items()}
        above = np.array([titled[one.title] for one in self.sentences], dtype=np.float32)
        rows = np.maximum(inside, _TITLE * above)
        meaning = self._vectors @ self._embedder.embed([question.text])[0]
        extras = self._extras(question)
        alone = rows @ weight + _MEANING * meaning + extras
        leading = self._leading(question) if linked else {}
        scored = []
        for place, one in enumerate(self.sentences):
            best = Scored(place, float(alone[place]))
            if at := leading.get(one.source):
                through = np.maximum(rows[at], rows[place]) @ weight
                through += _MEANING * np.maximum(meaning[at], meaning[place]) - _CHAIN
                first = int(np.argmax(through))
                score = float(through[first] + extras[place])
                best = Scored(place, score, at[first]) if score > best.score else best
            scored.append(best)
        return sorted(scored, key=lambda one: (-one.score, one.place))

    def repeats(self, one: int, other: int) -> bool:
        """Whether two sentences say the same thing, or one stands in the other."""
        first, second = self.sentences[one], self.sentences[other]
        if first.text in second.text or second.text in first.text:
            return True
        smaller = min(len(first.words), len(second.words)) or 1
        return len(first.words & second.words) > _SAME * smaller

    def _extras(self, question: Question) -> Matrix:
        """What does not depend on the question's words: kind of thing, and place of the source."""
        order = {n: at for at, n in enumerate(dict.fromkeys(one.source for one in self.sentences))}
        return np.array(
            [
                _KIND * has_evidence(question.expects, one.text, question.text)
                + _SOURCE / (1 + order[one.source])
                for one in self.sentences
            ],
            dtype=np.float32,
        )

    def _leading(self, question: Question) -> dict[int, list[int]]:
        """For each source the places of the sentences of others that name its document; what the
        question names needs no lead."""
        asked = f" {normal(question.text)} "
        openings: dict[int, Sentence] = {}
        for one in self.sentences:
            openings.setdefault(one.source, one)
        return {
            source: [
                place
                for place, other in enumerate(self.sentences)
                if other.source != source and any(_is_named(name, other) for name in called)
            ]
            for source, first in openings.items()
            if (called := [n for n in names(first.title, first.text) if f" {n} " not in asked])
        }


def _is_named(name: str, one: Sentence) -> bool:
    """Is `name` a name in the sentence? Not every Albert is, nor Edward the Confessor a
    Confessor."""
    if " " not in name or name.startswith("the "):
        return name in one.names
    return f" {name} " in one.flat


def _quotable(passage: Passage, title: str, own: bool) -> list[Sentence]:
    """The sentences of a passage that can be quoted, but for those that read like orders."""
    found: list[Sentence] = []
    found_spans = sentences(passage.text)
    for at, span in enumerate(found_spans):
        if span.kind not in {"prose", "item", "quote"}:
            continue
        start, text = span.start, plain(span.text)
        if at and found_spans[at - 1].kind == span.kind and REFERS_BACK.match(text):
            before = found_spans[at - 1].start
            joined = plain(passage.text[before : span.end])
            if "\n\n" not in passage.text[before : span.start] and len(joined) <= _LONGEST:
                start, text = before, joined
        if len(text) > _LONGEST or _LOOKS_CITED.search(text):
            continue
        if is_flagged(passage.text, start, span.end, own):
            continue
        if not locate(text, passage.text):
            continue  # a mark that opens before the sentence swallows some of it
        words = frozenset(content_words(text))
        words |= _LIVED if _LIFE.search(text) else frozenset()
        found.append(Sentence(text, passage.source, title, words))
    return found
