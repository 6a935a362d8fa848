"""Ranks, with ties sharing the mean of their places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def ranks(values: Sequence[float] | Values) -> Values:
    """The rank of each value from 1; equal values share the mean of their ranks."""
    _, place, count = np.unique(
        np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
    )
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], dtype=np.float64)


def ties(values: Sequence[float] | Values) -> float:
    """The sum of t³ − t over groups of equal values, which corrections for ties are made of."""
    _, count = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    return float((count.astype(np.float64) ** 3 - count).sum())
