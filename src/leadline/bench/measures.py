"""Measures of a ranking, and baselines that only a development install has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from leadline.errors import BadInput


class Interval(NamedTuple):
    """The ends between which a figure lies, 95 times in 100."""

    low: float
    high: float


class Measured(float):
    """A figure that can say how sure it is: `interval` draws what it was made of anew."""

    interval: Callable[[int], Interval]

    @classmethod
    def of(cls, value: float, interval: Callable[[int], Interval]) -> Measured:
        """`value` with how its interval is found, given a seed."""
        made = cls(value)
        made.interval = interval
        return made


def mean(values: Sequence[float]) -> Measured:
    """The mean to four digits; zero where there is nothing."""

    def interval(seed: int) -> Interval:
        return bootstrap_mean([float(value) for value in values], seed)

    return Measured.of(round(sum(values) / (len(values) or 1), 4), interval)


def bootstrap_mean(values: Sequence[float], seed: int) -> Interval:
    """The ends of the mean by the bootstrap (BCa); both the mean where nothing varies."""
    middle = sum(values) / (len(values) or 1)
    if not values or max(values) - min(values) <= 1e-12 * max(1.0, abs(middle)):
        return Interval(middle, middle)
    drawn = baseline("scipy.stats").bootstrap((values,), np.mean, n_resamples=4000, rng=seed)
    return Interval(*map(float, drawn.confidence_interval))


def with_intervals(figures: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The figures, each that can tell followed by `.low` and `.high`."""
    found: dict[str, Any] = {}
    for key, value in figures.items():
        found[key] = value
        if isinstance(value, Measured) and math.isfinite(value):
            known = value.interval(seed)
            found |= {f"{key}.low": round(known.low, 4), f"{key}.high": round(known.high, 4)}
    return found


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first `k`, gains being the grades."""
    gained = sum(grades.get(name, 0) / math.log2(at + 2) for at, name in enumerate(ranked[:k]))
    best = sorted(grades.values(), reverse=True)[:k]
    ideal = sum(grade / math.log2(at + 2) for at, grade in enumerate(best))
    return gained / ideal if ideal else 0.0


def recall(ranked: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """The share of the relevant documents that are among the first `k`."""
    return len(set(ranked[:k]) & grades.keys()) / len(grades) if grades else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie; zero when there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def baseline(module: str) -> Any:
    """A package that is only there to be compared with. Raises `BadInput` when it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.replace("_", "-")
        raise BadInput(f"this bench compares with {name}: install it, or run make setup") from error
