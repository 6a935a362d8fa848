"""How remembered observations are ranked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.recall import fused, serves, within

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-1, 1), max_size=8)
FACT = "The Lantern Tower was opened by Mira Holt in 1911."


@pytest.mark.contract("M2")
def test_a_score_is_similarity_and_a_part_of_the_keyword_share() -> None:
    found = fused({"a": 0.5, "b": 0.6}, {"a": 8.0, "c": 4.0}, 0.4)
    assert [(one.key, round(one.score, 3)) for one in found] == [("a", 0.9), ("b", 0.6), ("c", 0.2)]


@pytest.mark.contract("M2")
@given(SCORES, SCORES)
def test_every_candidate_is_ranked_once_best_first(
    near: dict[str, float], said: dict[str, float]
) -> None:
    found = fused(near, said)
    assert sorted(one.key for one in found) == sorted({**near, **said})
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@pytest.mark.contract("M2")
@given(st.lists(st.text(max_size=400), max_size=20), st.integers(0, 3000))
def test_facts_fit_and_none_is_cut(texts: list[str], room: int) -> None:
    kept = within(texts, room)
    assert sum(len(text) + 1 for text in kept) <= room
    assert set(kept) <= set(texts)


@pytest.mark.contract("M5")
def test_a_finding_about_something_else_does_not_serve() -> None:
    assert serves("When was the Lantern Tower opened?", FACT, "Lantern Tower", "who opened it?")
    assert not serves("How do tides work?", FACT, "Lantern Tower", "who opened it?")
