"""Our measures of agreement against scikit-learn and scipy."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import roc_auc_score

from leadline.bench.agreement import auc, mean_error, ranks, spearman

NUMBERS = st.lists(st.integers(0, 9).map(float), min_size=2, max_size=40)
PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=40)


@given(NUMBERS)
def test_ranks_are_those_of_scipy(values: list[float]) -> None:
    assert list(ranks(values)) == list(rankdata(values))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=40))
def test_auc_is_that_of_scikit_learn(rows: list[tuple[bool, int]]) -> None:
    truth, scores = [row[0] for row in rows], [float(row[1]) for row in rows]
    assume(len(set(truth)) == 2)
    assert auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores))


@given(PAIRS)
def test_spearman_is_that_of_scipy(rows: list[tuple[int, int]]) -> None:
    first, second = [float(row[0]) for row in rows], [float(row[1]) for row in rows]
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    assert spearman(first, second) == pytest.approx(spearmanr(first, second).statistic, abs=1e-9)


def test_what_cannot_be_told_is_not_a_number() -> None:
    assert math.isnan(auc([True, True], [1.0, 2.0]))
    assert math.isnan(spearman([1.0, 1.0], [1.0, 2.0]))
    assert mean_error([1.0, 3.0], [2.0, 1.0]) == 1.5
