"""Our statistics against scipy, on drawn data with and without ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from leadline.stats.differ import anova, friedman, kruskal, normality, spread
from leadline.stats.intervals import bootstrap_apart, bootstrap_mean, exponent, holm
from leadline.stats.power import detectable
from leadline.stats.ranks import ranks
from leadline.stats.shuffle import cliff, groups_by_rank, signs, two_groups, within_blocks
from leadline.stats.tails import chi2_tail, f_tail, t_bound, t_tails

pytestmark = pytest.mark.contract("Z1")
DICE = np.random.default_rng(5)
GROUPS = [DICE.normal(shift, 1, count) for shift, count in ((0, 12), (0.8, 9), (0.3, 15))]
TIED = [np.round(group) for group in GROUPS]
TABLE = DICE.normal(0, 1, (14, 4)) + np.array([0, 0.5, 1, 0])
SMALL = DICE.normal(0, 1, (4, 3)) + np.array([0, 1.5, 3])

positive = st.floats(0.01, 200)
freedoms = st.floats(0.5, 300)


@given(positive, freedoms)
def test_the_tail_of_chi_squared_is_that_of_scipy(value: float, freedom: float) -> None:
    wanted = stats.chi2.sf(value, freedom)
    assert chi2_tail(value, freedom) == pytest.approx(wanted, rel=1e-8, abs=1e-13)


@given(positive, freedoms, freedoms)
def test_the_tail_of_f_is_that_of_scipy(value: float, above: float, below: float) -> None:
    wanted = stats.f.sf(value, above, below)
    assert f_tail(value, above, below) == pytest.approx(wanted, rel=1e-7, abs=1e-13)


@given(st.floats(-30, 30), freedoms)
def test_the_tails_of_t_are_those_of_scipy(value: float, freedom: float) -> None:
    wanted = 2 * stats.t.sf(abs(value), freedom)
    assert t_tails(value, freedom) == pytest.approx(wanted, rel=1e-7, abs=1e-13)


@pytest.mark.parametrize("freedom", [1, 2, 7, 100])
def test_the_bound_of_t_is_that_of_scipy(freedom: int) -> None:
    assert t_bound(0.95, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-8)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_ranks_with_ties_are_those_of_scipy(values: list[int]) -> None:
    assert list(ranks([float(v) for v in values])) == list(stats.rankdata(values))


@pytest.mark.parametrize("groups", [GROUPS, TIED, GROUPS[:2]])
def test_group_tests_are_those_of_scipy(groups: list[Any]) -> None:
    for ours, theirs in (
        (anova(groups), stats.f_oneway(*groups)),
        (kruskal(groups), stats.kruskal(*groups)),
        (spread(groups), stats.levene(*groups, center="median")),
    ):
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-7)


@pytest.mark.parametrize("table", [TABLE, np.round(TABLE)])
def test_friedmans_test_is_that_of_scipy(table: Any) -> None:
    theirs = stats.friedmanchisquare(*table.T)
    ours = friedman(table)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-7)


def test_a_permutation_of_two_groups_is_exact_where_scipy_is() -> None:
    one, two = GROUPS[0][:5], GROUPS[1][:6]
    ours = two_groups(one, two, 0, by_rank=True)
    theirs = stats.mannwhitneyu(one, two, method="exact")
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ours.effect == pytest.approx(2 * theirs.statistic / 30 - 1)


def test_signs_dealt_anew_are_exact_where_scipy_is() -> None:
    differences = TABLE[:10, 1] - TABLE[:10, 0]

    def mean(x: Any, axis: int) -> Any:
        return np.mean(x, axis=axis)

    theirs = stats.permutation_test(
        (differences,), mean, permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    assert signs(differences, 0).p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_sampled_deals_are_near_the_exact_ones_within_blocks() -> None:
    def between(*levels: Any, axis: int = -1) -> Any:
        return sum(np.mean(level, axis=axis) ** 2 for level in levels)

    centred = SMALL - SMALL.mean(axis=1, keepdims=True)
    theirs = stats.permutation_test(
        tuple(centred.T), between, permutation_type="samples", alternative="greater",
        vectorized=True, n_resamples=np.inf,
    )  # fmt: skip
    assert within_blocks(SMALL, 0).p == pytest.approx(theirs.pvalue, rel=1e-9)
    large = within_blocks(TABLE, 0)
    ratio = stats.f.sf(large.statistic, 3, 39)  # the limit of the same statistic
    assert large.p == pytest.approx(ratio, abs=0.01)


def test_ranks_dealt_anew_agree_with_the_limit_for_many_units() -> None:
    assert groups_by_rank(GROUPS, 0) == pytest.approx(stats.kruskal(*GROUPS).pvalue, abs=0.02)


def test_the_straightness_of_the_normal_plot_is_that_of_scipy() -> None:
    values = np.exp(2 * GROUPS[2])
    wanted = stats.pearsonr(
        np.sort(values), stats.norm.ppf((np.arange(1, 16) - 0.375) / 15.25)
    ).statistic
    found = normality(values, 0)
    assert found.statistic == pytest.approx(wanted**2, rel=1e-9)
    assert found.p < 0.05
    assert normality(GROUPS[2], 0).p > 0.05


def test_normal_residuals_are_refused_as_often_as_stated() -> None:
    dice = np.random.default_rng(11)
    refused = [normality(dice.normal(0, 2, 20), at).p < 0.05 for at in range(200)]
    assert 0.01 <= np.mean(refused) <= 0.10


@pytest.mark.parametrize("values", [GROUPS[0], np.exp(GROUPS[2])])
def test_bootstrap_intervals_are_near_those_of_scipy(values: Any) -> None:
    theirs = stats.bootstrap((values,), np.mean, method="BCa", n_resamples=9999, rng=1)
    ours = bootstrap_mean(values, 1)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.06 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.06 * width)


def test_the_interval_of_a_difference_is_near_that_of_scipy() -> None:
    one, two = GROUPS[0], np.exp(GROUPS[1])

    def apart(x: Any, y: Any, axis: int = -1) -> Any:
        return np.mean(x, axis=axis) - np.mean(y, axis=axis)

    theirs = stats.bootstrap((one, two), apart, method="BCa", n_resamples=9999, rng=1)
    ours = bootstrap_apart(one, two, 1)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.08 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.08 * width)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_correction_never_lowers_and_keeps_the_order(chances: list[float]) -> None:
    found = holm(chances)
    assert all(after >= before for after, before in zip(found, chances, strict=True))
    for a in range(len(chances)):
        for b in range(len(chances)):
            assert not (chances[a] < chances[b] and found[a] > found[b])


def test_holms_correction_is_that_of_its_paper() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_the_exponent_and_its_interval_are_those_of_scipy() -> None:
    sizes = np.array([10.0, 100, 1000, 10_000])
    costs = 3 * sizes**1.2 * np.array([1.1, 0.9, 1.05, 1.0])
    fitted = stats.linregress(np.log(sizes), np.log(costs))
    found = exponent(list(sizes), list(costs))
    reach = stats.t.ppf(0.975, 2) * fitted.stderr
    assert found.value == pytest.approx(fitted.slope)
    assert found.high - found.value == pytest.approx(reach, rel=1e-6)


def test_the_detectable_shift_is_that_of_the_formula_for_two_groups() -> None:
    # Student's t with 20 in each group finds .909 standard deviations 8 times in 10.
    found = detectable([20, 20], 3, blocked=False, by_rank=False)
    assert found == pytest.approx(0.909, abs=0.07)
    assert detectable([40, 40], 3, blocked=False, by_rank=False) < found
    assert math.isinf(detectable([2, 2], 3, blocked=False, by_rank=True))


def test_cliffs_delta_counts_pairs() -> None:
    assert cliff(np.array([2.0, 3.0]), np.array([1.0, 2.0])) == pytest.approx(0.75)
