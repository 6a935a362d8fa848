"""The signs that a search has what it needs, and the rules that look at them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leadline.rank.stop_rules import WEAK, WEAK_AFTER, Signs, ends_search, is_complete, signs
from leadline.research.search import choose_sources as keep
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

SIGNS = Signs(direct=False, named=1, sides=1, closed=False, lead=WEAK + 1)


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
    assert not is_complete(seen)


@pytest.mark.contract("R5", "G9")
def test_the_person_beside_the_question_s_words_closes_the_chain() -> None:
    seen = after("Where was the director of the film The Long Tide born?", FILM, ADA, NOISE)
    assert seen.closed
    assert is_complete(seen)


@pytest.mark.contract("R5")
def test_two_compared_things_that_describe_nobody_are_complete_when_both_are_held() -> None:
    task = "Which film came out first, The Long Tide or Short Ebb?"
    assert not is_complete(after(task, FILM, NOISE))
    assert is_complete(after(task, FILM, OTHER, NOISE))


@pytest.mark.contract("R5")
def test_compared_things_whose_makers_are_asked_for_are_not_complete_by_themselves() -> None:
    task = "Which film has the director who was born first, The Long Tide or Short Ebb?"
    assert not is_complete(after(task, FILM, OTHER, NOISE))
    assert not is_complete(after(task, FILM, OTHER, ADA, NOISE))


@pytest.mark.contract("R5")
def test_a_question_in_another_language_is_never_called_direct() -> None:
    assert not after("哪部电影更早，The Long Tide 还是 Short Ebb？", FILM, OTHER).direct


@pytest.mark.contract("R5")
def test_a_weak_lead_ends_the_search_only_after_some_searches() -> None:
    weak = replace(SIGNS, lead=WEAK / 2)
    assert not ends_search(SIGNS, WEAK_AFTER)
    assert ends_search(weak, WEAK_AFTER)
    assert not ends_search(weak, WEAK_AFTER - 1)


@pytest.mark.contract("R5")
def test_the_rule_does_not_stop_before_a_second_search() -> None:
    assert not ends_search(replace(SIGNS, direct=True, named=2, closed=True, lead=0.0), 1)


def test_nothing_found_is_nothing_closed() -> None:
    seen = after("Where was the director of the film The Long Tide born?")
    assert (seen.named, seen.closed, seen.lead) == (0, False, 0.0)
