"""Intervals by resampling, corrections for many comparisons, and slopes with their interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from leadline.stats.differ import Table
from leadline.stats.ranks import Values
from leadline.stats.tails import t_bound

DRAWS = 4000


@dataclass(frozen=True)
class Interval:
    """A figure and where it may lie; the ends are equal where it cannot be told apart."""

    value: float
    low: float
    high: float


def bootstrap_mean(values: Sequence[float] | Values, seed: int, share: float = 0.95) -> Interval:
    """The mean with its bootstrap interval, corrected for bias and skew (BCa)."""
    return bootstrap(np.asarray(values, dtype=np.float64)[:, None], _mean, seed, share)


def bootstrap(
    table: Table, figure: Callable[[Table], Values], seed: int, share: float = 0.95
) -> Interval:
    """A figure of rows that are drawn whole, with its BCa interval.

    `figure` takes samples × rows × columns and gives one number a sample.
    """
    rows = len(table)
    value = float(figure(table[None])[0])
    if rows < 2:
        return Interval(value, value, value)
    dice = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            figure(table[dice.integers(0, rows, (part, rows))])
            for part in _parts(DRAWS, rows * table.shape[1])
        ]
    )
    left_out = np.array([figure(np.delete(table, at, axis=0)[None])[0] for at in range(rows)])
    return _read(drawn, left_out, value, share)


def bootstrap_apart(one: Values, other: Values, seed: int, share: float = 0.95) -> Interval:
    """How far the mean of `one` is above that of `other`; each is drawn from itself."""
    value = float(one.mean() - other.mean())
    if min(len(one), len(other)) < 2:
        return Interval(value, value, value)
    dice = np.random.default_rng(seed)
    first = one[dice.integers(0, len(one), (DRAWS, len(one)))].mean(axis=1)
    second = other[dice.integers(0, len(other), (DRAWS, len(other)))].mean(axis=1)
    # Leaving one out moves the difference by its share of its own mean.
    moved = np.concatenate(
        [(one.mean() - one) / (len(one) - 1), (other - other.mean()) / (len(other) - 1)]
    )
    return _read(np.asarray(first - second), value + moved, value, share)


def _read(drawn: Values, left_out: Values, value: float, share: float) -> Interval:
    if float(np.ptp(drawn)) <= 1e-12 * max(1.0, abs(value)):
        return Interval(value, value, value)
    low, high = np.quantile(drawn, _corrected(drawn, left_out, value, share))
    return Interval(value, float(low), float(high))


def _parts(draws: int, size: int) -> list[int]:
    """How many samples at a time keep the memory below some 30 MB."""
    most = max(1, 4_000_000 // max(1, size))
    return [min(most, draws - begun) for begun in range(0, draws, most)]


def _corrected(drawn: Values, left_out: Values, value: float, share: float) -> list[float]:
    """The quantiles to read: shifted by the bias of the draws and by how skewed the figure is."""
    bell = NormalDist()
    below = float((drawn < value).mean() + 0.5 * (drawn == value).mean())
    shift = bell.inv_cdf(min(max(below, 1e-6), 1 - 1e-6))
    away = left_out.mean() - left_out
    scale = float((away**2).sum()) ** 1.5
    skew = float((away**3).sum()) / (6 * scale) if scale > 0 else 0.0
    found = []
    for tail in ((1 - share) / 2, (1 + share) / 2):
        at = shift + bell.inv_cdf(tail)
        found.append(bell.cdf(shift + at / (1 - skew * at)))
    return found


def _mean(samples: Table) -> Values:
    return np.asarray(samples[:, :, 0].mean(axis=1), dtype=np.float64)


def holm(chances: Sequence[float]) -> tuple[float, ...]:
    """The probabilities, raised so that among all of them an error stays as rare as in one."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    found, highest = [0.0] * len(chances), 0.0
    for place, at in enumerate(order):
        highest = max(highest, min(1.0, chances[at] * (len(chances) - place)))
        found[at] = highest
    return tuple(found)


def exponent(sizes: Sequence[float], costs: Sequence[float], share: float = 0.95) -> Interval:
    """The power of its size that a cost grows by: the slope between logarithms."""
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(costs, float))
    across = x - x.mean()
    slope = float(across @ y / (across @ across))
    freedom = len(x) - 2
    if freedom < 1:
        return Interval(slope, slope, slope)
    residuals = y - y.mean() - slope * across
    error = math.sqrt(float(residuals @ residuals) / freedom / float(across @ across))
    reach = t_bound(share, freedom) * error
    return Interval(slope, slope - reach, slope + reach)
