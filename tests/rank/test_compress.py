"""The knowledge state: whole sentences, five to eight points, never too long."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.fakes.embedder import FakeEmbedder
from leadline.rank.knowledge_summary import first, merge
from leadline.reader.static import StaticEmbedder
from leadline.text.sentences import flat, sentences

FAKE = FakeEmbedder()
FACTS = tuple(
    f"The {thing} was built in {year} by the town council near the {place}."
    for thing, year, place in zip(
        ("harbour", "bridge", "school", "market", "station", "library", "theatre", "museum", "mill",
         "church", "hospital", "quay"),
        range(1901, 1913),
        ("river", "hill", "park", "road", "wall", "gate", "sea", "lake", "wood", "field", "bank",
         "dune"),
        strict=True,
    )
)  # fmt: skip
BODIES = st.lists(
    st.lists(st.sampled_from([*FACTS, "Rain fell.", "# Title\n", "\n\n"]), max_size=20).map(
        " ".join
    ),
    max_size=5,
)


@pytest.mark.contract("G7")
@settings(max_examples=60)
@given(BODIES, st.integers(0, 1500))
def test_the_first_state_is_whole_sentences_within_its_limit(bodies: list[str], limit: int) -> None:
    state = first(bodies, limit)
    assert len(state) <= limit
    told = {span.text for body in bodies for span in sentences(body)}
    assert all(span.text in told for span in sentences(state))


@pytest.mark.contract("G7")
def test_the_first_state_begins_with_the_first_body_and_fills_1200_characters() -> None:
    state = first([" ".join(FACTS), " ".join(FACTS[::-1])])
    assert state.startswith(FACTS[0])
    assert 1200 - len(FACTS[0]) - 10 <= len(state) <= 1200


@pytest.mark.contract("G7")
def test_a_merged_state_has_five_to_eight_points_under_its_limit() -> None:
    state = merge(first([" ".join(FACTS[:6])]), FACTS[6:], "Who built the museum?", FAKE)
    points = state.splitlines()
    assert 5 <= len(points) <= 8
    assert len(state) <= 1500
    assert {point.removeprefix("- ") for point in points} <= set(FACTS)


@pytest.mark.contract("G7")
def test_long_sentences_leave_room_for_five_points() -> None:
    long = [f"{fact[:-1]}, " + "which many people still remember well " * 9 + "." for fact in FACTS]
    points = merge("", [*long, *FACTS[:6]], "museum", FAKE).splitlines()
    assert len(points) >= 5


@pytest.mark.contract("G7")
@settings(max_examples=40)
@given(BODIES, st.lists(st.sampled_from(FACTS), max_size=12), st.integers(0, 1500))
def test_merging_never_cuts_a_sentence_and_never_passes_the_limit(
    bodies: list[str], new: list[str], limit: int
) -> None:
    knowledge = first(bodies)
    state = merge(knowledge, new, "harbour", FAKE, limit)
    assert len(state) <= limit
    told = {flat(span.text) for span in sentences(knowledge)} | set(new)
    assert all(point.removeprefix("- ") in told for point in state.splitlines())


@pytest.mark.contract("G7")
def test_a_merged_state_can_be_merged_again() -> None:
    once = merge("", FACTS[:8], "harbour", FAKE)
    twice = merge(once, FACTS[8:], "harbour", FAKE)
    assert {point.removeprefix("- ") for point in twice.splitlines()} <= set(FACTS)


@pytest.mark.contract("G7")
def test_what_bears_on_the_task_is_kept_and_said_once() -> None:
    answer = "The museum holds the oldest printed map of the coast."
    twin = "The oldest printed map of the coast is held by the museum."
    state = merge(
        "", [*FACTS, answer, twin], "Where is the oldest map of the coast?", StaticEmbedder()
    )
    assert state.count("oldest printed map") == 1
