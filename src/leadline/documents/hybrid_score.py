"""Fusion: one ranking from keyword scores and cosines over the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from leadline.ports import Matrix

    Scores = np.ndarray[Any, np.dtype[np.float64]]

WEIGHT = 0.9  # of the cosine beside the normalised keyword score
# The cosine that a chunk needs which shares no word with the query. On three collections such
# chunks, where relevant, have .40 at the 90th percentile, so little is lost.
FLOOR = 0.5
# The same when no chunk at all knows a word of the query: random letters reach .69 in 38,000
# chunks, some of them as random.
LONELY_FLOOR = 0.7


def convex(words: Scores, cosines: Matrix) -> Scores:
    """Keyword score over the best one, plus `WEIGHT` times the cosine, scaled to 0–1.

    Zero for a row that is too far to count.
    """
    top = float(words.max(initial=0.0))
    floor = FLOOR if top > 0 else LONELY_FLOOR
    fused = (words / (top or 1.0) + WEIGHT * np.maximum(cosines, 0.0)) / (1 + WEIGHT)
    return np.where((words > 0) | (cosines >= floor), fused, 0.0)


def reciprocal(words: Scores, cosines: Matrix, depth: int = 60) -> Scores:
    """Reciprocal rank fusion; kept as the measured alternative."""
    scores = np.zeros(len(words))
    for values in (words, cosines.astype(np.float64)):
        order = np.argsort(-values, kind="stable")
        ranks = np.empty(len(values))
        ranks[order] = np.arange(1, len(values) + 1)
        scores += np.where(values > 0, 1 / (depth + ranks), 0.0)
    return scores
