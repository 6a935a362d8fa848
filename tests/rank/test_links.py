"""The second hop stays: a passage is lent the score of the passage that leads to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.name_links import Held, rank_sources

QUESTION = "Where was the director of The Long Tide born?"
FILM = Held("film", "The Long Tide", "The Long Tide is a 1961 film directed by Ada Brandt.")
DIRECTOR = Held("ada", "Ada Brandt", "Ada Brandt, who sang, grew up in Port Velden.")
NOISE = tuple(
    Held(f"n{i}", f"Tide table {i}", f"The director of the long pier was born at mark {i}.")
    for i in range(12)
)


def order(question: str, *found: Held) -> list[str]:
    return [one.held.key for one in rank_sources(question, found)]


@pytest.mark.contract("F1", "Z2")
def test_a_document_named_in_a_good_passage_outranks_those_with_more_words() -> None:
    assert order(QUESTION, *NOISE, DIRECTOR, FILM)[:2] == ["film", "ada"]


@pytest.mark.contract("F1", "Z2")
def test_without_the_passage_that_names_it_the_same_document_is_last() -> None:
    assert order(QUESTION, *NOISE, DIRECTOR)[-1] == "ada"


@pytest.mark.contract("F1", "Z2")
def test_it_works_without_titles() -> None:
    bare = [Held(one.key, "", one.text) for one in (*NOISE, DIRECTOR, FILM)]
    assert set(order(QUESTION, *bare)[:2]) == {"film", "ada"}


@pytest.mark.contract("F1", "Z2")
def test_a_shared_name_links_where_it_completes_the_question() -> None:
    question = "What is the highest waterfall in the country of the Bru River?"
    river = Held("river", "Bru River", "The Bru River rises in Tarland and flows to the sea.")
    falls = Held("falls", "Mist Falls", "Mist Falls is the highest waterfall of Tarland.")
    others = [
        Held(f"o{i}", f"Foss {i}", f"Foss {i} is the highest waterfall in the country of Norland.")
        for i in range(6)
    ]
    assert order(question, *others, falls, river)[:2] == ["river", "falls"]


@pytest.mark.contract("F1", "Z2")
def test_a_chain_of_two_links_is_followed() -> None:
    port = Held("port", "Port Velden", "Port Velden lies on the western shore.")
    lone = Held("lone", "Lone Cove", "Lone Cove lies on the western shore.")
    found = [lone, *NOISE[:2], port, DIRECTOR, FILM]
    scores = {one.held.key: one.score for one in rank_sources(QUESTION, found)}
    assert scores["lone"] == 0
    assert scores["ada"] > scores["port"] > 0.4 * scores["film"]


@pytest.mark.contract("F1")
def test_passages_of_one_document_lend_each_other_nothing() -> None:
    first = Held("doc", "Ada Brandt", "The Long Tide was directed by her.")
    second = Held("doc", "Ada Brandt", "A page about Ada Brandt and nothing else.")
    scores = {one.held.text: one for one in rank_sources(QUESTION, [first, second])}
    assert scores[second.text].score == scores[second.text].own


@pytest.mark.contract("F1")
def test_an_accent_does_not_break_a_link() -> None:
    film = Held("film", "The Long Tide", "The Long Tide is a film directed by Emile Sorby.")
    emile = Held("emile", "Émile Sørby", "Émile Sørby grew up by the sea.")
    assert order(QUESTION, *NOISE, emile, film)[:2] == ["film", "emile"]


def test_nothing_found_is_nothing_ranked() -> None:
    assert rank_sources(QUESTION, ()) == []


texts = st.text(alphabet=st.sampled_from("Ada Brandt tide. of é語\n"), max_size=60)


@given(st.text(max_size=40), st.lists(st.tuples(texts, texts), max_size=6))
def test_every_passage_is_ranked_once_and_links_only_add(
    question: str, found: list[tuple[str, str]]
) -> None:
    held = [Held(str(i), title, text) for i, (title, text) in enumerate(found)]
    ranked = rank_sources(question, held)
    assert sorted(one.held.key for one in ranked) == sorted(one.key for one in held)
    assert all(one.score >= one.own >= 0 for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
