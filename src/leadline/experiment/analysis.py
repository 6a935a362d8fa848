"""What the rows say: the right test for the design, effects, intervals, what could be found at all.

The unit is the task. Where the factor is a setting, every task meets every level and is a block of
its own; replications of a task are averaged, since running the same thing again adds no new task.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from leadline.experiment.rows import Row
from leadline.experiment.spec import Spec
from leadline.values import replace

Values = NDArray[np.float64]
ENOUGH_TO_CHECK = 10  # units a level; with fewer, a check of assumptions finds nothing either way
BLOCKED = "permutation test within tasks"
DEALS = 9_999  # of labels, where there are more than could all be tried
POWER = 0.8
_LARGEST_SHIFT = 100.0  # standard deviations


@dataclass(frozen=True)
class Interval:
    """A figure and where it may lie; the ends are equal where it cannot be told apart."""

    value: float
    low: float
    high: float


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
class Tested:
    """A test of whether levels differ: why this one, its statistic, its chance, the effect."""

    test: str
    why: str
    statistic: float = 0.0
    p: float = 1.0
    effect: float = 0.0
    effect_name: str = ""
    beside: str = ""


@dataclass(frozen=True)
class Finding:
    """What is known of one response. `p_holm` counts in the other responses of the experiment."""

    response: str
    tested: Tested
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


def analyse(spec: Spec, rows: Sequence[Row]) -> tuple[Finding, ...]:
    """One finding for each response that was named ahead, with their probabilities corrected."""
    good = [row for row in rows if not row.why]
    findings = [_finding(spec, name, lay_out(spec, name, good)) for name in spec.responses]
    corrected = holm([finding.tested.p for finding in findings])
    return tuple(replace(f, p_holm=p) for f, p in zip(findings, corrected, strict=True))


# ── units ───────────────────────────────────────────────────────────────────────────────────


def lay_out(spec: Spec, name: str, rows: Sequence[Row]) -> Units:
    """The units of each level: tasks, or replications where there is only one task to a level."""
    cells: dict[tuple[str, str], list[float]] = {}
    for row in sorted(rows, key=lambda row: (row.task, row.replication)):
        cells.setdefault((row.level, row.task), []).append(row.values[name])
    levels = tuple(level.name for level in spec.factor.levels)
    notes = []
    several = [values for values in cells.values() if len(values) > 1]
    if spec.replications > 1 and several and all(len(set(values)) == 1 for values in several):
        notes.append(
            "All replications of a run gave the same value: nothing is random here, and "
            "replications add nothing to the tasks."
        )
    if spec.factor.kind == "settings" and len(spec.tasks) > 1:
        whole = [t.id for t in spec.tasks if all((level, t.id) in cells for level in levels)]
        if lost := [task.id for task in spec.tasks if task.id not in whole]:
            notes.insert(0, f"Left out, since a level of them has no run: {', '.join(lost)}.")
        groups = [np.array([np.mean(cells[level, task]) for task in whole]) for level in levels]
        return Units(True, levels, tuple(groups), tuple(notes))
    by_level = [{t: v for (level, t), v in cells.items() if level == name} for name in levels]
    if all(len(tasks) == 1 for tasks in by_level):
        notes.append(
            "One task to a level: the units are replications of it, and nothing is known of other "
            "tasks."
        )
        groups = [np.array(next(iter(tasks.values()))) for tasks in by_level]
    else:
        groups = [np.array([np.mean(values) for values in tasks.values()]) for tasks in by_level]
    return Units(False, levels, tuple(groups), tuple(notes))


# ── tests ───────────────────────────────────────────────────────────────────────────────────


def _finding(spec: Spec, name: str, units: Units) -> Finding:
    groups = tuple(
        _group(*pair, spec.seed) for pair in zip(units.levels, units.groups, strict=True)
    )
    why = ""
    if min(len(values) for values in units.groups) < 2:
        why = "fewer than two units in a level: nothing to test"
    elif np.ptp(np.concatenate(units.groups)) == 0:
        why = "every value is the same: nothing to test"
    if why:
        return Finding(name, Tested("none", why), groups, (), math.nan, notes=units.notes)
    tested = _blocked(units, spec.seed) if units.blocked else _independent(units, spec)
    pairs = _pairs(units, spec.seed, by_rank=tested.effect_name == "ε²")
    return Finding(name, tested, groups, pairs, detectable(units, spec.alpha), notes=units.notes)


def _blocked(units: Units, seed: int) -> Tested:
    levels, blocks = len(units.groups), len(units.groups[0])

    def between(*samples: Values, axis: int = -1) -> Any:
        means = np.stack([sample.mean(axis=axis) for sample in samples])
        return blocks * ((means - means.mean(axis=0)) ** 2).sum(axis=0)

    table = np.column_stack(units.groups)
    within = float(((table - table.mean(axis=1, keepdims=True)) ** 2).sum())
    explained = float(between(*units.groups))
    if not within:
        return Tested(BLOCKED, "no task's values differ between levels", effect_name="partial η²")
    rest = within - explained
    freedom = (blocks - 1) * (levels - 1)
    ratio = explained / (levels - 1) / (rest / freedom) if rest > 1e-9 * within else math.inf
    beside = ""
    if levels > 2:
        ranked = stats.friedmanchisquare(*units.groups)
        agreement = ranked.statistic / (blocks * (levels - 1))
        beside = (
            f"Friedman's rank test beside it: χ² = {ranked.statistic:.2f}, "
            f"p = {ranked.pvalue:.3g}, Kendall's W = {agreement:.2f}."
        )
    return Tested(
        BLOCKED,
        "every task has every level, so each task is compared with itself; labels are dealt anew "
        "within tasks, which asks for no normal distribution and holds for few tasks too",
        ratio,
        _dealt(units.groups, between, "samples", seed, alternative="greater"),
        explained / within if within else 0.0,
        "partial η²",
        beside,
    )


def _independent(units: Units, spec: Spec) -> Tested:
    groups, count = units.groups, sum(map(len, units.groups))
    ranked = stats.kruskal(*groups)

    def statistic(*samples: Values, axis: int = -1) -> Any:
        return stats.kruskal(*samples, axis=axis).statistic

    by_rank = Tested(
        "Kruskal–Wallis",
        "",
        float(ranked.statistic),
        _dealt(groups, statistic, "independent", spec.seed, alternative="greater"),
        float(ranked.statistic) / (count - 1),
        "ε²",
    )
    smallest = min(map(len, groups))
    if smallest < ENOUGH_TO_CHECK:
        why = (
            f"levels have their own tasks, and {smallest} units are too few to check what an "
            "analysis of variance assumes; the probability is by permutation, not the limit"
        )
        return replace(by_rank, why=why)
    normal = stats.shapiro(np.concatenate([values - values.mean() for values in groups])).pvalue
    alike = stats.levene(*groups, center="median").pvalue
    checks = f"residuals normal: p = {normal:.2g}, spread alike: p = {alike:.2g}"
    if min(normal, alike) < spec.alpha:
        return replace(by_rank, why=f"levels have their own tasks; assumptions refused ({checks})")
    variance = stats.f_oneway(*groups)
    above = (len(groups) - 1) * float(variance.statistic)
    return Tested(
        "analysis of variance",
        f"levels have their own tasks; nothing speaks against its assumptions ({checks})",
        float(variance.statistic),
        float(variance.pvalue),
        above / (above + count - len(groups)),
        "η²",
        f"Kruskal–Wallis beside it: H = {ranked.statistic:.2f}, p = {ranked.pvalue:.3g}.",
    )


def _pairs(units: Units, seed: int, *, by_rank: bool) -> tuple[Pair, ...]:
    pairs = []
    for (one, first), (other, second) in itertools.combinations(
        zip(units.levels, units.groups, strict=True), 2
    ):
        if units.blocked:
            apart = first - second
            p = _dealt((apart,), np.mean, "samples", seed)
            delta = float(np.sign(apart).mean())
            difference = interval((apart,), np.mean, seed)
        else:
            ranks = np.split(stats.rankdata(np.concatenate([first, second])), [len(first)])
            p = _dealt(ranks if by_rank else (first, second), _apart, "independent", seed)
            delta = float(np.sign(first[:, None] - second[None, :]).mean())
            difference = interval((first, second), _apart, seed)
        pairs.append(Pair(one, other, difference, p, 1.0, delta))
    corrected = holm([pair.p for pair in pairs])
    return tuple(replace(pair, p_holm=p) for pair, p in zip(pairs, corrected, strict=True))


def _apart(first: Values, second: Values, axis: int = -1) -> Any:
    return np.mean(first, axis=axis) - np.mean(second, axis=axis)


def _dealt(
    samples: Sequence[Values], statistic: Any, kind: str, seed: int, alternative: str = "two-sided"
) -> float:
    """How likely the statistic is when labels are dealt anew; all deals where they are few."""
    tested = stats.permutation_test(
        tuple(samples),
        statistic,
        permutation_type=kind,
        n_resamples=DEALS,
        alternative=alternative,
        rng=np.random.default_rng(seed),
    )
    return float(tested.pvalue)


# ── intervals and power ─────────────────────────────────────────────────────────────────────


def interval(samples: Sequence[Values], figure: Any, seed: int) -> Interval:
    """A figure with its bootstrap interval of 95 %, corrected for bias and skew (BCa)."""
    value = float(figure(*samples))
    spread = max((float(np.ptp(sample)) for sample in samples), default=0.0)
    if min(map(len, samples)) < 2 or spread <= 1e-12 * max(1.0, abs(value)):
        return Interval(value, value, value)
    dice = np.random.default_rng(seed)
    found = stats.bootstrap(tuple(samples), figure, method="BCa", n_resamples=4000, rng=dice)
    return Interval(value, *map(float, found.confidence_interval))


def _group(level: str, values: Values, seed: int) -> Group:
    if not len(values):
        return Group(level, (), Interval(math.nan, math.nan, math.nan), math.nan)
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Group(level, tuple(map(float, values)), interval((values,), np.mean, seed), sd)


def detectable(units: Units, alpha: float) -> float:
    """The shift of one level that an analysis of variance would find 8 times in 10."""
    sizes = [len(values) for values in units.groups]
    levels, count = len(sizes), sum(sizes)
    freedom = (sizes[0] - 1) * (levels - 1) if units.blocked else count - levels
    critical = stats.f.isf(alpha, levels - 1, freedom)

    def lacking(shift: float) -> float:
        away = sizes[0] * (count - sizes[0]) / count * shift**2
        return float(stats.ncf.sf(critical, levels - 1, freedom, away)) - POWER

    if lacking(_LARGEST_SHIFT) < 0:
        return math.inf
    return _noise(units, freedom) * float(optimize.brentq(lacking, 1e-6, _LARGEST_SHIFT))


def _noise(units: Units, freedom: int) -> float:
    """The standard deviation of what neither levels nor tasks explain."""
    rest = [values - values.mean() for values in units.groups]
    if units.blocked:
        table = np.column_stack(rest)
        rest = [table - table.mean(axis=1, keepdims=True)]
    return math.sqrt(sum(float((values**2).sum()) for values in rest) / freedom)


def holm(chances: Sequence[float]) -> tuple[float, ...]:
    """The probabilities, raised so that among all of them an error stays as rare as in one."""
    order = np.argsort(chances, kind="stable")
    raised = np.sort(chances) * np.arange(len(chances), 0, -1)
    corrected = np.empty(len(chances))
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return tuple(map(float, corrected))
