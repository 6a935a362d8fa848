"""What the curve of scores means, in plain words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.novelty_summary import diagnosis
from leadline.types import GateVerdict


def verdicts(*scores: float) -> list[GateVerdict]:
    return [
        GateVerdict(f"query {n}", score, 3.0, score >= 3 or n < 2, "novel", repeated=1 - score / 10)
        for n, score in enumerate(scores)
    ]


@pytest.mark.contract("G8")
def test_scores_all_above_seven_mean_diverse_queries() -> None:
    assert "queries are diverse" in diagnosis(verdicts(10, 8.5, 7.1))
    assert "diverse" not in diagnosis(verdicts(10, 8.5, 7.0))


@pytest.mark.contract("G8")
def test_rounds_two_to_five_all_low_mean_a_narrow_topic_or_a_planner_that_repeats_itself() -> None:
    for scores in ((10, 3.4, 2, 1, 0), (10, 3, 3, 3, 3, 9), (10, 2, 1)):
        told = diagnosis(verdicts(*scores))
        assert "narrow topic" in told
        assert "planner that repeats itself" in told
    assert "narrow" not in diagnosis(verdicts(10, 3.5, 2, 1, 0))


@pytest.mark.contract("G8")
def test_any_other_curve_is_described_as_it_is() -> None:
    assert "fell from" in diagnosis(verdicts(10, 8, 4, 2))
    assert "rose from" in diagnosis(verdicts(4, 5, 8, 9))
    assert "mixed" in diagnosis(verdicts(6, 5, 6, 5))


@pytest.mark.contract("G8")
def test_discarded_batches_are_counted() -> None:
    assert "1 of 4 batches" in diagnosis(verdicts(10, 8, 5, 2))


@pytest.mark.contract("G8")
def test_failed_searches_do_not_bend_the_curve() -> None:
    failed = GateVerdict("q", 0.0, 3.0, False, "failed")
    assert diagnosis([*verdicts(10, 9, 8), failed]) == diagnosis(verdicts(10, 9, 8))
    assert "could be judged" in diagnosis([failed])


@pytest.mark.contract("G8")
def test_a_run_that_memory_answered_is_not_said_to_have_searched() -> None:
    assert diagnosis([]) == "Nothing was searched."


@pytest.mark.contract("G9")
@given(st.lists(st.floats(0, 10), max_size=8))
def test_repetition_is_never_called_coverage(scores: list[float]) -> None:
    assert "cover" not in diagnosis(verdicts(*scores)).lower()
