"""Agreement: how well scores order things whose truth is known. Held to scikit-learn and scipy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """The rank of each value from 1; equal values share the mean of their ranks."""
    _, place, count = np.unique(
        np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
    )
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], dtype=np.float64)


def auc(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """How often a positive scores above a negative; NaN when one of them is missing."""
    positive = np.asarray(truth, dtype=bool)
    yes, no = int(positive.sum()), int((~positive).sum())
    if not yes or not no:
        return float("nan")
    total = float(ranks(scores)[positive].sum())
    return (total - yes * (yes + 1) / 2) / (yes * no)


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The correlation of the ranks; NaN when either side never changes."""
    one, two = ranks(first), ranks(second)
    one, two = one - one.mean(), two - two.mean()
    scale = float(np.sqrt((one @ one) * (two @ two)))
    return float(one @ two) / scale if scale else float("nan")


def mean_error(truth: Sequence[float], scores: Sequence[float]) -> float:
    """The mean distance between score and truth."""
    return float(np.abs(np.asarray(truth) - np.asarray(scores)).mean())
