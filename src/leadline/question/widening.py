"""The next queries of a question that asks how or why: its parts, then each with new terms.

A query stays one that a person might type: what it is about, a few words of the part, two words
that the sources found so far have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from leadline.question.analyse import Expects, Part, Question
from leadline.question.planning import of_part
from leadline.question.shared_terms import PASSAGES, terms
from leadline.rank.name_links import Ranked
from leadline.text.words import content_words

_TERMS = 2  # added to a query: one finds too much that was found before
_WORDS = 3  # of a part, beside them
_ROUNDS = 8  # queries of a part
_TOLD = (Expects.METHOD, Expects.REASON)


def widens(question: Question) -> bool:
    """Whether the pages about it tell it: it asks how or why, describes nothing, compares nothing.

    What is described instead of named has to be found first, and then names lead on.
    """
    kinds = {part.expects for part in question.parts}
    return not (question.hops or question.compared) and not kinds.isdisjoint(_TOLD)


def widening(question: Question, held: Sequence[Ranked], asked: Sequence[str]) -> list[str]:
    """The queries in the order in which they should be asked; some may have been."""
    known = frozenset([*question.words, *(word for one in asked for word in content_words(one))])
    seen = [set(content_words(f"{one.held.title} {one.held.text}")) for one in held[:PASSAGES]]
    of_each = [_of_one(part, question, held, known, seen) for part in question.parts]
    return [query for turn in zip_longest(*of_each) for query in turn if query]


def _of_one(
    part: Part,
    question: Question,
    held: Sequence[Ranked],
    known: frozenset[str],
    seen: Sequence[set[str]],
) -> list[str]:
    own = of_part(part, question).split()
    said = {word: sum(not one.isdisjoint(content_words(word)) for one in seen) for word in own}
    told = sorted(own, key=lambda word: -said[word])[:_WORDS]
    core = [word for word in own if word in told]
    more = terms(part.words, held, known)[: _TERMS * _ROUNDS]
    pairs = [more[at : at + _TERMS] for at in range(0, len(more), _TERMS)]
    queries = [own, *([*core, *pair] for pair in pairs)]
    return [" ".join([*_lead(words, question), *words]) for words in queries]


def _lead(words: Sequence[str], question: Question) -> list[str]:
    """What the question is about, where a query does not name it: "when do checkpoints happen"."""
    first = question.names[0].split() if question.names else []
    said = {word.lower() for word in words}
    return [] if said.intersection(word.lower() for word in first) else first
