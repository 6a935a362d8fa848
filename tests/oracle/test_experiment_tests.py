"""The tests an experiment chooses, held to figures worked out by hand and to scipy's own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from leadline.experiment.analysis import Units, detectable, holm, interval

pytestmark = pytest.mark.contract("Z1")


def test_probabilities_are_raised_as_holm_has_it() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5, 0.9]) == pytest.approx((1.0, 1.0))


def test_an_interval_of_values_that_are_all_alike_is_a_point() -> None:
    found = interval((np.full(5, 3.0),), np.mean, 0)
    assert (found.value, found.low, found.high) == (3.0, 3.0, 3.0)


def test_an_interval_holds_the_mean_of_where_its_values_come_from() -> None:
    dice = np.random.default_rng(1)
    inside = 0
    for seed in range(60):
        found = interval((dice.normal(2.0, 1.0, 30),), np.mean, seed)
        inside += found.low <= 2.0 <= found.high
    assert inside >= 51  # 57 expected of 60


def test_the_smallest_difference_is_found_eight_times_in_ten() -> None:
    dice = np.random.default_rng(2)
    groups = tuple(dice.normal(0, 1, 20) for _ in range(3))
    units = Units(False, ("a", "b", "c"), groups, ())
    noise = np.sqrt(np.mean([group.var(ddof=1) for group in groups]))
    shift = detectable(units, 0.05) / noise
    found = 0
    for _, _ in itertools.product(range(20), range(20)):
        one, two, three = (dice.normal(0, 1, 20) for _ in range(3))
        found += stats.f_oneway(one + shift, two, three).pvalue < 0.05
    assert 0.72 <= found / 400 <= 0.88
