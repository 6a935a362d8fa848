"""The range that a run like past ones stays in: quantiles that allow for how few there are.

Of `n` runs in no order, the next falls between the r-th smallest and the r-th largest in
(n + 1 - 2r) of (n + 1) cases, whatever the runs are like. The range is the one that holds nine in
ten by that rule; of fewer runs than it needs, the ends are moved out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from leadline.types import Spread

HELD = 0.9  # of future runs; past ones are never quite like the next, so less will be
FEW = 4  # runs under which a range is a guess
DRIFT = 1.1  # seconds drift: machines get busier


def spread(values: Sequence[float], drift: float = 1.0) -> Spread:
    """Median and range of `values`, its ends moved out by `drift`; of a few runs, half to twice."""
    ordered = sorted(values)
    middle = median(ordered)
    if len(ordered) < FEW:
        return Spread(min(ordered[0], middle / 2), middle, max(ordered[-1], middle * 2))
    rank = (1 - HELD) / 2 * (len(ordered) + 1)
    if rank >= 1:
        low, high = _at(ordered, rank), _at(ordered, len(ordered) + 1 - rank)
    else:
        low, high = _beyond(ordered, 1 - rank)
    return Spread(low / drift, middle, high * drift)


def median(values: Sequence[float]) -> float:
    """The middle of `values`; the one of `statistics` brings fractions and decimals along."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _at(ordered: Sequence[float], rank: float) -> float:
    """The value at a rank from 1, between two where it is no whole number."""
    below = math.floor(rank)
    left = ordered[below - 1]
    right = ordered[min(below, len(ordered) - 1)]
    return left + (rank - below) * (right - left)


def _beyond(ordered: Sequence[float], by: float) -> tuple[float, float]:
    """The ends moved out by a part of the distance from the middle, as a ratio: never below 0."""
    low, middle, high = ordered[0], median(ordered), ordered[-1]
    if low <= 0:
        return 0.0, high + by * (high - middle)
    return low * (low / middle) ** by, high * (high / middle) ** by
