"""The sentences that open a report: of those that rank high, the one or two that say it alone.

The ranking asks what belongs in a report. The first sentence is read alone, so more counts: that
its page is about just this, that it has the words which its title lacks, that it stands early,
that the sentence before it does not say as much already. The weights were fitted by a softmax over
the candidates of each question, on ClapNQ and on 150 questions over three manuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from leadline.question.analyse import Question
from leadline.rank.evidence import evidence
from leadline.rank.sentence_scores import Field, Scored, alike
from leadline.text.words import content_words

if TYPE_CHECKING:
    from leadline.ports import Matrix

_MOST = 30  # of the best that are looked at again
_SAID = 3.9  # share of the question's words in the sentence,
_AROUND = 2.5  # and of those that only its title or section has
_REST = 1.7  # share, in the sentence, of the words that title and section lack
_MEANING = 4.3
_KIND = 1.3
_SOURCE = 1.0
_TITLE = 2.1  # share of the title's words that the question has
_BEFORE = -1.0  # share of the question's words in the sentence before
_LATE = -0.34
_NEARLY = 0.7  # twice as likely at the most


def opening(question: Question, field: Field, order: Sequence[Scored]) -> list[Scored]:
    """Which of `order` opens the report best, and the next where it is nearly as good; none that
    is only good together with the sentence that leads to it."""
    best = [one for one in order[:_MOST] if one.via < 0]
    asked = frozenset(question.words)
    before = _before(field)
    ranks = {s: n for n, s in enumerate(dict.fromkeys(one.source for one in field.candidates))}
    total = float(field.weight.sum()) or 1.0

    def worth(one: Scored) -> float:
        at = one.place
        said = field.candidates[at]
        lacking = np.array([word not in said.about for word in question.words], dtype=np.float32)
        title = set(content_words(said.title))
        kind = 0.0 if said.item else evidence(question.expects, said.text, question.text)
        only_around = np.maximum(field.around[at] - field.inside[at], 0)
        return (
            _SAID * float(field.said[at])
            + _AROUND * float(only_around @ field.weight) / total
            + _REST * _covered(field.inside[at], field.weight * lacking)
            + _MEANING * float(field.meaning[at])
            + _KIND * kind
            + _SOURCE / (1 + ranks[said.source])
            + _TITLE * (len(title & asked) / len(title) if title else 0.0)
            + _BEFORE * (float(field.said[before[at]]) if at in before else 0.0)
            + _LATE * log1p(said.at)
        )

    worths = {one.place: worth(one) for one in best}
    best.sort(key=lambda one: (-worths[one.place], one.place))
    first, rest = best[:1], best[1:]
    return (
        first
        + [
            one
            for one in rest
            if worths[one.place] >= worths[first[0].place] - _NEARLY
            and not alike(field, one.place, first[0].place)
        ][:1]
    )


def _covered(inside: Matrix, weight: Matrix) -> float:
    total = float(weight.sum())
    return float(inside @ weight) / total if total else 1.0


def _before(field: Field) -> dict[int, int]:
    """For the places of candidates that follow another one in their passage, that one's."""
    found = field.candidates
    return {at: at - 1 for at in range(1, len(found)) if found[at].passage == found[at - 1].passage}
