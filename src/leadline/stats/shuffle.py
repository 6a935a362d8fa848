"""Permutation tests: what the statistic would be had the labels been dealt otherwise.

They ask for nothing but that labels could have been exchanged, which the random order of an
experiment sees to, and so hold at any number of runs. Few deals are all tried, many are sampled.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from leadline.stats.differ import Table, Tested
from leadline.stats.ranks import Values, ranks

EXACT = 20_000  # deals that are all tried
SAMPLED = 9_999
_NEAR = 1e-9  # a deal as extreme as ours but for rounding counts


def within_blocks(table: Table, seed: int) -> Tested:
    """Do the levels differ? Labels are dealt anew within each block.

    The statistic is that of the analysis of variance with blocks; its effect is partial eta
    squared: of what is left once blocks are taken out, the share that levels explain.
    """
    blocks, levels = table.shape
    centred = table - table.mean(axis=1, keepdims=True)
    whole = float((centred**2).sum())
    if whole <= 1e-20 * max(1.0, float((table**2).sum())):
        return Tested(0.0, 1.0)
    ours = blocks * float((centred.mean(axis=0) ** 2).sum())
    if math.factorial(levels) ** blocks <= EXACT:
        deals = np.array([np.zeros(levels)])
        for row in centred:
            ways = np.array(list(itertools.permutations(row)))
            deals = (deals[:, None, :] + ways[None, :, :]).reshape(-1, levels)
        null = (deals**2).sum(axis=1) / blocks
        chance = float((null >= ours - _NEAR * whole).mean())
    else:
        dice = np.random.default_rng(seed)
        sums = np.zeros((SAMPLED, levels))
        for row in centred:
            sums += dice.permuted(np.tile(row, (SAMPLED, 1)), axis=1)
        null = (sums**2).sum(axis=1) / blocks
        chance = float((1 + (null >= ours - _NEAR * whole).sum()) / (SAMPLED + 1))
    left = whole - ours
    freedom = (blocks - 1) * (levels - 1)
    ratio = (ours / (levels - 1)) / (left / freedom) if left > _NEAR * whole else math.inf
    return Tested(ratio, chance, ours / whole)


def signs(differences: Values, seed: int) -> Tested:
    """Is the mean of paired differences zero? Their signs are dealt anew.

    The effect is how much oftener a difference is above zero than below, −1 to 1.
    """
    count = len(differences)
    ours = float(differences.mean())
    effect = float(np.sign(differences).mean())
    moved = differences[differences != 0]
    if not len(moved):
        return Tested(0.0, 1.0, effect)
    if 2 ** len(moved) <= EXACT:
        deals = np.array(list(itertools.product((-1.0, 1.0), repeat=len(moved))))
        null = np.abs(deals @ moved) / count
        chance = float((null >= abs(ours) * (1 - _NEAR)).mean())
    else:
        dice = np.random.default_rng(seed)
        deals = dice.choice((-1.0, 1.0), size=(SAMPLED, len(moved)))
        null = np.abs(deals @ moved) / count
        chance = float((1 + (null >= abs(ours) * (1 - _NEAR)).sum()) / (SAMPLED + 1))
    return Tested(ours, chance, effect)


def two_groups(one: Values, two: Values, seed: int, *, by_rank: bool) -> Tested:
    """Do two independent groups differ? The effect is Cliff's delta."""
    every = np.concatenate([one, two])
    values = ranks(every) if by_rank else every
    first = len(one)
    expected = float(values.mean()) * first
    ours = abs(float(values[:first].sum()) - expected)
    scale = float(np.abs(values).sum()) or 1.0
    if math.comb(len(every), first) <= EXACT:
        chosen = np.array(list(itertools.combinations(range(len(every)), first)))
        null = np.abs(values[chosen].sum(axis=1) - expected)
        chance = float((null >= ours - _NEAR * scale).mean())
    else:
        dice = np.random.default_rng(seed)
        dealt = dice.permuted(np.tile(values, (SAMPLED, 1)), axis=1)[:, :first]
        null = np.abs(dealt.sum(axis=1) - expected)
        chance = float((1 + (null >= ours - _NEAR * scale).sum()) / (SAMPLED + 1))
    return Tested(float(one.mean() - two.mean()), chance, cliff(one, two))


def groups_by_rank(groups: Sequence[Values], seed: int) -> float:
    """How likely the Kruskal–Wallis statistic of these groups is by chance, labels dealt anew."""
    placed = ranks(np.concatenate(groups))
    sizes = [len(one) for one in groups]
    edges = np.cumsum([0, *sizes])

    def statistic(rows: Table) -> Values:
        parts = [rows[:, a:b].sum(axis=1) ** 2 / (b - a) for a, b in itertools.pairwise(edges)]
        return np.asarray(sum(parts), dtype=np.float64)

    ours = float(statistic(placed[None, :])[0])
    dice = np.random.default_rng(seed)
    null = statistic(dice.permuted(np.tile(placed, (SAMPLED, 1)), axis=1))
    return float((1 + (null >= ours * (1 - _NEAR)).sum()) / (SAMPLED + 1))


def cliff(one: Values, two: Values) -> float:
    """Cliff's delta: how much oftener a value of `one` is above one of `two` than below it."""
    return float(np.sign(one[:, None] - two[None, :]).mean())
