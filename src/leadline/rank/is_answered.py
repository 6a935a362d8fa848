"""Found or not: do the best sentences answer the question, or only share some words with it?

What tells: how well the best sentence scores, whether the sources know the names that the
question uses, and how many of its words no sentence has. The bounds were set on questions asked of
a corpus that holds their answers and of one that does not; `bench answer` prints how often they
are right.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.question.analyse import Question
from leadline.rank.sentence_scores import Field, Scored
from leadline.text.words import content_words

_HARDLY = 0.5
_ENOUGH = 0.7  # the best score when every name is known
_ONE_STEP = 0.1  # more that is wanted when one sentence should say it all
_UNKNOWN = 0.9  # more that is wanted when none of them is
_NAMELESS = 0.86  # the best score when the question names nothing
_UNSEEN = 0.5  # more that is wanted when no sentence has any of its words; half of it if nameless


def answers(question: Question, field: Field, order: Sequence[Scored]) -> bool:
    """Whether what was found answers `question`."""
    if not order or not question.words:
        return False
    known = known_names(question, field)
    if known is None:
        return order[0].score >= _NAMELESS + _UNSEEN / 2 * unseen(field)
    wanted = _ENOUGH + _UNKNOWN * (1 - known) + _ONE_STEP * (not question.hops)
    return order[0].score >= wanted + _UNSEEN * unseen(field)


def unseen(field: Field) -> float:
    """The weighted share of the question's words that no candidate has."""
    missing = field.found.max(axis=0) < _HARDLY
    return float((missing * field.weight).sum() / (field.weight.sum() or 1.0))


def known_names(question: Question, field: Field) -> float | None:
    """The share of the question's names that one source has whole; None when it has no names."""
    wanted = [frozenset(content_words(name)) for name in question.names]
    wanted = [name for name in wanted if name]
    if not wanted:
        return None
    told: dict[int, set[str]] = {}
    for one in field.candidates:
        told.setdefault(one.source, set()).update(one.words, one.about)
    return sum(any(name <= has for has in told.values()) for name in wanted) / len(wanted)
