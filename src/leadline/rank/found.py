"""Found or not: do the best sentences answer the question, or only share some words with it?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leadline.rank.pick import Field, Scored
from leadline.text.question import Question

_CONSIDERED = 5  # best sentences
_COVERED = 0.5


def answers(question: Question, field: Field, order: Sequence[Scored]) -> bool:
    """Whether what was found answers `question`."""
    return support(question, field, order) >= _COVERED


def support(question: Question, field: Field, order: Sequence[Scored]) -> float:
    """How much of the question the best sentences hold together, 0–1."""
    if not order or not question.words:
        return 0.0
    places = [p for one in order[:_CONSIDERED] for p in (one.via, one.place) if p >= 0]
    together = np.max(field.found[places], axis=0)
    return float(together @ field.weight / (field.weight.sum() or 1.0))
