"""The signs that a search has what it needs, and the rules that look at them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.stop_rules import LEAST, RULES, WEAK, WEAK_AFTER, chain, complete, gain, parts
from leadline.rank.stop_signals import Signs, signs
from leadline.research.choose_sources import keep
from leadline.types import Hit, Limits, Plan, Query, Source, State
from leadline.values import replace

FILM = Hit(
    "film", "The Long Tide", "The Long Tide is a 1961 film directed by Ada Brandt.", kind="document"
)
ADA = Hit(
    "ada", "Ada Brandt", "Ada Brandt (4 May 1921 - 2 June 1990) lived in Velden.", kind="document"
)
OTHER = Hit("other", "Short Ebb", "Short Ebb is a 1970 film directed by Bo Lund.", kind="document")
NOISE = Hit("noise", "Harbours", "Harbours are dredged in spring.", kind="document")

SIGNS = Signs(
    searches=3,
    direct=False,
    named=1,
    sides=1,
    closed=False,
    lead=WEAK + 1,
    ahead=0.0,
    unchanged=0,
    changed=2,
    novelty=8.0,
    repeated=0.1,
    open_parts=1,
    confidence=0.5,
)


def after(task: str, *hits: Hit, asked: int = 2) -> Signs:
    queries = tuple(Query(f"query {number}") for number in range(asked))
    state = State(task, Plan(queries), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    sources = tuple(Source(n, hit.url, hit.title, hit.kind) for n, hit in enumerate(hits, 1))
    return signs(keep(replace(state, asked=queries, search_results=hits, sources=sources)))


@pytest.mark.contract("R5", "G9")
def test_a_described_person_who_is_not_held_leaves_the_chain_open() -> None:
    seen = after("Where was the director of the film The Long Tide born?", FILM, NOISE)
    assert (seen.named, seen.closed, seen.direct) == (1, False, False)
    assert seen.lead > 0
    assert not complete(seen)


@pytest.mark.contract("R5", "G9")
def test_the_person_beside_the_question_s_words_closes_the_chain() -> None:
    seen = after("Where was the director of the film The Long Tide born?", FILM, ADA, NOISE)
    assert seen.closed
    assert complete(seen)


@pytest.mark.contract("R5")
def test_two_compared_things_that_describe_nobody_are_complete_when_both_are_held() -> None:
    task = "Which film came out first, The Long Tide or Short Ebb?"
    assert not complete(after(task, FILM, NOISE))
    assert complete(after(task, FILM, OTHER, NOISE))


@pytest.mark.contract("R5")
def test_compared_things_whose_makers_are_asked_for_are_not_complete_by_themselves() -> None:
    task = "Which film has the director who was born first, The Long Tide or Short Ebb?"
    assert not complete(after(task, FILM, OTHER, NOISE))
    assert not complete(after(task, FILM, OTHER, ADA, NOISE))


@pytest.mark.contract("R5")
def test_a_question_in_another_language_is_never_called_direct() -> None:
    assert not after("哪部电影更早，The Long Tide 还是 Short Ebb？", FILM, OTHER).direct


@pytest.mark.contract("R5")
def test_a_weak_lead_ends_the_search_only_after_some_searches() -> None:
    weak = replace(SIGNS, lead=WEAK / 2)
    assert not chain(SIGNS)
    assert chain(weak)
    assert not chain(replace(weak, searches=WEAK_AFTER - 1))


@pytest.mark.contract("R5")
def test_open_parts_keep_the_rule_of_parts_from_stopping() -> None:
    assert not parts(SIGNS)
    assert parts(replace(SIGNS, open_parts=0))


@pytest.mark.contract("R5")
@pytest.mark.parametrize("name", sorted(RULES))
def test_no_rule_stops_before_a_second_search(name: str) -> None:
    sure = replace(SIGNS, searches=LEAST - 1, direct=True, named=2, closed=True, lead=0.0)
    assert not RULES[name](replace(sure, open_parts=0, unchanged=0))  # type: ignore[index]


@given(st.floats(0, 50), st.integers(1, 50), st.booleans(), st.booleans())
def test_a_predicted_gain_is_a_chance(
    lead: float, searches: int, closed: bool, direct: bool
) -> None:
    seen = replace(SIGNS, lead=lead, searches=searches, closed=closed, direct=direct)
    assert 0 <= gain(seen) <= 1


@pytest.mark.contract("R5")
def test_more_searches_promise_less_and_a_stronger_lead_more() -> None:
    assert (
        gain(replace(SIGNS, searches=5)) < gain(SIGNS) < gain(replace(SIGNS, lead=SIGNS.lead + 3))
    )


def test_nothing_found_is_nothing_closed() -> None:
    seen = after("Where was the director of the film The Long Tide born?")
    assert (seen.named, seen.closed, seen.lead) == (0, False, 0.0)
