"""Agreement: how well scores order things whose truth is known. Held to scikit-learn and scipy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from leadline.bench.measures import Interval, Measured, baseline

Values = NDArray[np.float64]
_DRAWS = 400


def auc(truth: Sequence[bool], scores: Sequence[float]) -> float:
    """How often a positive scores above a negative; NaN when one of them is missing."""
    positive = np.asarray(truth, dtype=bool)
    values = np.asarray(scores, dtype=np.float64)
    if not positive.any() or positive.all():
        return float("nan")
    yes, no = values[positive], values[~positive]
    value = _above(yes, no)

    def interval(seed: int) -> Interval:
        dice = np.random.default_rng(seed)
        drawn = [
            _above(dice.choice(yes, len(yes)), dice.choice(no, len(no))) for _ in range(_DRAWS)
        ]
        low, high = np.quantile(drawn, (0.025, 0.975))
        return Interval(float(low), float(high))

    return Measured.of(value, interval)


def _above(yes: Values, no: Values) -> float:
    total = float(ranks(np.concatenate([yes, no]))[: len(yes)].sum())
    return (total - len(yes) * (len(yes) + 1) / 2) / (len(yes) * len(no))


def ranks(values: Sequence[float] | Values) -> Values:
    """The rank of each value from 1; equal values share the mean of their ranks."""
    return np.asarray(baseline("scipy.stats").rankdata(values), dtype=np.float64)


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The correlation of the ranks; NaN when either side never changes."""
    one, two = ranks(first), ranks(second)
    one, two = one - one.mean(), two - two.mean()
    scale = float(np.sqrt((one @ one) * (two @ two)))
    return float(one @ two) / scale if scale else float("nan")


def mean_error(truth: Sequence[float], scores: Sequence[float]) -> float:
    """The mean distance between score and truth."""
    return float(np.abs(np.asarray(truth) - np.asarray(scores)).mean())
