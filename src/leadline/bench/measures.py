"""Measures of a ranking, and baselines that only a development install has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from leadline.errors import BadInput


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
