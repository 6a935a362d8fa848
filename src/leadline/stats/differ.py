"""Tests of whether levels differ: independent groups, and blocks in which every level occurs once.

A table of blocks has a row for each block and a column for each level. Each test says its statistic
and how likely it is by chance; which one to use is decided in `choose.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from leadline.stats.ranks import Values, ranks, ties
from leadline.stats.tails import chi2_tail, f_tail

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Tested:
    """A statistic, its probability by chance alone, and the size of the effect."""

    statistic: float
    p: float
    effect: float = 0.0


def anova(groups: Sequence[Values]) -> Tested:
    """One-way analysis of variance; the effect is eta squared."""
    every = np.concatenate(groups)
    between = sum(len(one) * float(one.mean() - every.mean()) ** 2 for one in groups)
    within = sum(float(((one - one.mean()) ** 2).sum()) for one in groups)
    above, below = len(groups) - 1, len(every) - len(groups)
    if between + within <= _dust(every):
        return Tested(0.0, 1.0)
    ratio = (between / above) / (within / below) if within > _dust(every) else float("inf")
    return Tested(ratio, f_tail(ratio, above, below), between / (between + within))


def kruskal(groups: Sequence[Values]) -> Tested:
    """Kruskal–Wallis, corrected for ties; the effect is epsilon squared."""
    every = np.concatenate(groups)
    count = len(every)
    correction = 1 - ties(every) / (count**3 - count)
    if correction <= 0:
        return Tested(0.0, 1.0)
    placed = np.split(ranks(every), np.cumsum([len(one) for one in groups])[:-1])
    total = sum(float(one.sum()) ** 2 / len(one) for one in placed)
    statistic = (12 / (count * (count + 1)) * total - 3 * (count + 1)) / correction
    effect = statistic / (count - 1)
    return Tested(statistic, chi2_tail(statistic, len(groups) - 1), effect)


def friedman(table: Table) -> Tested:
    """Friedman's test over blocks, corrected for ties; the effect is Kendall's W."""
    blocks, levels = table.shape
    placed = np.array([ranks(row) for row in table])
    tied = sum(ties(row) for row in table)
    correction = 1 - tied / (blocks * (levels**3 - levels))
    if correction <= 0:
        return Tested(0.0, 1.0)
    total = float((placed.sum(axis=0) ** 2).sum())
    raw = 12 / (blocks * levels * (levels + 1)) * total - 3 * blocks * (levels + 1)
    statistic = raw / correction
    return Tested(statistic, chi2_tail(statistic, levels - 1), statistic / (blocks * (levels - 1)))


def spread(groups: Sequence[Values]) -> Tested:
    """Brown and Forsythe's test: do the groups vary about their medians alike?"""
    return anova([np.abs(one - np.median(one)) for one in groups])


def normality(residuals: Values, seed: int, draws: int = 2000) -> Tested:
    """Shapiro and Francia's W′: how straight the normal plot is; its chance is simulated."""
    count = len(residuals)
    if float(np.ptp(residuals)) <= _dust(residuals):
        return Tested(1.0, 1.0)
    scores = _normal_scores(count)
    found = float(_straightness(residuals[None, :], scores)[0])
    dice = np.random.default_rng(seed)
    null = _straightness(dice.standard_normal((draws, count)), scores)
    return Tested(found, float((1 + (null <= found).sum()) / (draws + 1)))


def _normal_scores(count: int) -> Values:
    bell = NormalDist()
    return np.array([bell.inv_cdf((at - 0.375) / (count + 0.25)) for at in range(1, count + 1)])


def _straightness(samples: Table, scores: Values) -> Values:
    ordered = np.sort(samples, axis=1)
    centred = ordered - ordered.mean(axis=1, keepdims=True)
    top = (centred @ scores) ** 2
    return np.asarray(top / ((centred**2).sum(axis=1) * float(scores @ scores)))


def _dust(values: Values) -> float:
    """What rounding alone leaves of a sum of squares that should be zero."""
    size = float(np.abs(values).max(initial=0.0))
    return (1e-12 * (size or 1.0)) ** 2 * max(1, len(values))
