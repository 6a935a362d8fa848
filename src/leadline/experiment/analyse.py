"""What the rows say: the right test for the design, effects, intervals, what could be found at all.

The unit is the task. Where the factor is a setting, every task meets every level and is a block of
its own; replications of a task are averaged, since running the same thing again adds no new task.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadline.experiment.rows import Row
from leadline.experiment.spec import Spec
from leadline.stats.differ import Table, Tested, anova, friedman, kruskal, normality, spread
from leadline.stats.intervals import Interval, bootstrap_apart, bootstrap_mean, holm
from leadline.stats.power import detectable
from leadline.stats.ranks import Values
from leadline.stats.shuffle import groups_by_rank, signs, two_groups, within_blocks
from leadline.values import replace

ENOUGH_TO_CHECK = 10  # units a level; with fewer, a check of assumptions finds nothing either way


@dataclass(frozen=True)
class Group:
    """A level: its units, their mean with an interval, and their spread."""

    level: str
    values: tuple[float, ...]
    mean: Interval
    sd: float


@dataclass(frozen=True)
class Pair:
    """Two levels: how far apart, how likely by chance, how often one is above the other."""

    one: str
    other: str
    difference: Interval
    p: float
    p_holm: float
    delta: float


@dataclass(frozen=True)
class Finding:
    """What is known of one response. `p_holm` counts in the other responses of the experiment."""

    response: str
    test: str
    why: str
    tested: Tested
    effect: str
    beside: str
    groups: tuple[Group, ...]
    pairs: tuple[Pair, ...]
    smallest: float  # difference that would have been found 8 times in 10
    p_holm: float = 1.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Units:
    """The values of one response, laid out for a test."""

    blocked: bool
    levels: tuple[str, ...]
    groups: tuple[Values, ...]
    notes: tuple[str, ...]

    @property
    def table(self) -> Table:
        return np.column_stack(self.groups)


def analyse(spec: Spec, rows: Sequence[Row]) -> tuple[Finding, ...]:
    """One finding for each response that was named ahead, with their probabilities corrected."""
    good = [row for row in rows if not row.why]
    found = [_finding(spec, name, lay_out(spec, name, good)) for name in spec.responses]
    corrected = holm([one.tested.p for one in found])
    return tuple(replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True))


# ── units ───────────────────────────────────────────────────────────────────────────────────


def lay_out(spec: Spec, name: str, rows: Sequence[Row]) -> Units:
    """The units of each level: tasks, or replications where there is only one task to a level."""
    cells: dict[tuple[str, str], list[float]] = {}
    for row in sorted(rows, key=lambda row: (row.task, row.replication)):
        cells.setdefault((row.level, row.task), []).append(row.values[name])
    levels = tuple(level.name for level in spec.factor.levels)
    notes = list(_repeats(cells, spec.replications))
    if spec.factor.kind == "settings" and len(spec.tasks) > 1:
        return _blocks(spec, levels, cells, notes)
    by_level = [{t: v for (level, t), v in cells.items() if level == name} for name in levels]
    if all(len(tasks) == 1 for tasks in by_level):
        notes.append(
            "One task to a level: the units are replications of it, and nothing is known of other "
            "tasks."
        )
        groups = [np.array(next(iter(tasks.values()))) for tasks in by_level]
    else:
        groups = [np.array([_mean(values) for values in tasks.values()]) for tasks in by_level]
    return Units(False, levels, tuple(groups), tuple(notes))


def _blocks(
    spec: Spec, levels: tuple[str, ...], cells: dict[tuple[str, str], list[float]], notes: list[str]
) -> Units:
    whole = [t.id for t in spec.tasks if all((level, t.id) in cells for level in levels)]
    lost = [task.id for task in spec.tasks if task.id not in whole]
    if lost:
        notes.append(f"Left out, since a level of them has no run: {', '.join(lost)}.")
    groups = [np.array([_mean(cells[level, task]) for task in whole]) for level in levels]
    return Units(True, levels, tuple(groups), tuple(notes))


def _repeats(cells: dict[tuple[str, str], list[float]], replications: int) -> Sequence[str]:
    several = [values for values in cells.values() if len(values) > 1]
    if replications > 1 and several and all(len(set(values)) == 1 for values in several):
        return (
            "All replications of a run gave the same value: nothing is random here, and "
            "replications add nothing to the tasks.",
        )
    return ()


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


# ── tests ───────────────────────────────────────────────────────────────────────────────────


def _finding(spec: Spec, name: str, units: Units) -> Finding:
    seed = spec.seed
    groups = tuple(_group(*pair, seed) for pair in zip(units.levels, units.groups, strict=True))
    if min(len(one) for one in units.groups) < 2:
        return _untested(name, groups, units, "fewer than two units in a level: nothing to test")
    if float(np.ptp(np.concatenate(units.groups))) == 0:
        return _untested(name, groups, units, "every value is the same: nothing to test")
    judged = _blocked(units, seed) if units.blocked else _independent(units, seed, spec.alpha)
    pairs = _pairs(units, seed, by_rank=judged.by_rank)
    sizes = [len(one) for one in units.groups]
    shift = detectable(sizes, seed, blocked=units.blocked, by_rank=judged.by_rank, alpha=spec.alpha)
    return Finding(
        response=name,
        test=judged.test,
        why=judged.why,
        tested=judged.tested,
        effect=judged.effect,
        beside=judged.beside,
        groups=groups,
        pairs=pairs,
        smallest=shift * _noise(units),
        notes=units.notes,
    )


@dataclass(frozen=True)
class _Judged:
    test: str
    why: str
    tested: Tested
    effect: str
    beside: str = ""
    by_rank: bool = False


def _blocked(units: Units, seed: int) -> _Judged:
    tested = within_blocks(units.table, seed)
    beside = ""
    if len(units.levels) > 2:
        ranked = friedman(units.table)
        beside = (
            f"Friedman's rank test beside it: χ² = {ranked.statistic:.2f}, p = {ranked.p:.3g}, "
            f"Kendall's W = {ranked.effect:.2f}."
        )
    return _Judged(
        "permutation test within tasks",
        "every task has every level, so each task is compared with itself; labels are dealt anew "
        "within tasks, which asks for no normal distribution and holds for few tasks too",
        tested,
        "partial η²",
        beside,
    )


def _independent(units: Units, seed: int, alpha: float) -> _Judged:
    smallest = min(len(one) for one in units.groups)
    ranked = kruskal(units.groups)
    ranked = replace(ranked, p=groups_by_rank(units.groups, seed))
    by_rank = _Judged("Kruskal–Wallis", "", ranked, "ε²", by_rank=True)
    if smallest < ENOUGH_TO_CHECK:
        why = (
            f"levels have their own tasks, and {smallest} units are too few to check what an "
            "analysis of variance assumes; the probability is by permutation, not the limit"
        )
        return replace(by_rank, why=why)
    residuals = np.concatenate([one - one.mean() for one in units.groups])
    normal, alike = normality(residuals, seed), spread(units.groups)
    checks = f"residuals normal: p = {normal.p:.2g}, spread alike: p = {alike.p:.2g}"
    if min(normal.p, alike.p) < alpha:
        return replace(by_rank, why=f"levels have their own tasks; assumptions refused ({checks})")
    why = f"levels have their own tasks; nothing speaks against its assumptions ({checks})"
    beside = f"Kruskal–Wallis beside it: H = {ranked.statistic:.2f}, p = {ranked.p:.3g}."
    return _Judged("analysis of variance", why, anova(units.groups), "η²", beside)


def _untested(name: str, groups: tuple[Group, ...], units: Units, why: str) -> Finding:
    return Finding(
        response=name,
        test="none",
        why=why,
        tested=Tested(0.0, 1.0),
        effect="",
        beside="",
        groups=groups,
        pairs=(),
        smallest=math.nan,
        notes=units.notes,
    )


def _group(level: str, values: Values, seed: int) -> Group:
    if not len(values):
        return Group(level, (), Interval(math.nan, math.nan, math.nan), math.nan)
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Group(level, tuple(map(float, values)), bootstrap_mean(values, seed), sd)


def _pairs(units: Units, seed: int, *, by_rank: bool) -> tuple[Pair, ...]:
    found = []
    for (one, first), (other, second) in itertools.combinations(
        zip(units.levels, units.groups, strict=True), 2
    ):
        if units.blocked:
            tested = signs(first - second, seed)
            difference = bootstrap_mean(first - second, seed)
        else:
            tested = two_groups(first, second, seed, by_rank=by_rank)
            difference = bootstrap_apart(first, second, seed)
        found.append(Pair(one, other, difference, tested.p, 1.0, tested.effect))
    corrected = holm([pair.p for pair in found])
    return tuple(replace(pair, p_holm=p) for pair, p in zip(found, corrected, strict=True))


def _noise(units: Units) -> float:
    """The standard deviation of what neither levels nor tasks explain."""
    if units.blocked:
        table = units.table
        rest = table - table.mean(axis=1, keepdims=True)
        rest = rest - rest.mean(axis=0, keepdims=True)
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        return float(np.sqrt((rest**2).sum() / freedom))
    squares = sum(float(((one - one.mean()) ** 2).sum()) for one in units.groups)
    return float(np.sqrt(squares / (sum(map(len, units.groups)) - len(units.groups))))
