"""Power: the smallest difference that a design of this size would probably have found.

Simulated: normal noise, one level moved by so many standard deviations, the same statistic as the
test uses, and its critical value from simulations without a difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from leadline.stats.differ import Table
from leadline.stats.ranks import Values

SIMULATED = 2000
POWER = 0.8
_LARGEST = 16.0  # standard deviations
_STEPS = 12

Statistic = Callable[[Table], Values]


def detectable(
    sizes: Sequence[int], seed: int, *, blocked: bool, by_rank: bool, alpha: float = 0.05
) -> float:
    """The smallest shift of one level, in standard deviations of the noise, found 8 times in 10.

    `sizes` are the units of each level; in blocks, all the same. Infinite where no shift is.
    """
    dice = np.random.default_rng(seed)
    noise = dice.standard_normal((SIMULATED, sum(sizes)))
    other = dice.standard_normal((SIMULATED, sum(sizes)))
    statistic = _blocked(sizes, by_rank) if blocked else _independent(sizes, by_rank)
    with np.errstate(divide="ignore", invalid="ignore"):
        critical = float(np.quantile(statistic(other), 1 - alpha))

        def found(shift: float) -> float:
            moved = noise.copy()
            moved[:, : sizes[0]] += shift
            return float((statistic(moved) > critical).mean())

        if found(_LARGEST) < POWER:
            return float("inf")
        low, high = 0.0, _LARGEST
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if found(middle) >= POWER else (middle, high)
    return high


def _independent(sizes: Sequence[int], by_rank: bool) -> Statistic:
    edges = np.cumsum([0, *sizes])

    def ratio(rows: Table) -> Values:
        values = _ranked(rows) if by_rank else rows
        parts = [values[:, a:b] for a, b in itertools.pairwise(edges)]
        mean = values.mean(axis=1)
        between = sum(p.shape[1] * (p.mean(axis=1) - mean) ** 2 for p in parts)
        within = sum(p.shape[1] * p.var(axis=1) for p in parts)
        return np.asarray(between / within)

    return ratio


def _blocked(sizes: Sequence[int], by_rank: bool) -> Statistic:
    levels, blocks = len(sizes), sizes[0]

    def ratio(rows: Table) -> Values:
        table = rows.reshape(len(rows), levels, blocks)
        if by_rank:
            table = table.argsort(axis=1).argsort(axis=1).astype(np.float64)
        centred = table - table.mean(axis=1, keepdims=True)
        between = blocks * (centred.mean(axis=2) ** 2).sum(axis=1)
        return np.asarray(between / ((centred**2).sum(axis=(1, 2)) - between))

    return ratio


def _ranked(rows: Table) -> Table:
    return rows.argsort(axis=1).argsort(axis=1).astype(np.float64)
