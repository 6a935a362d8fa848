"""Bridge queries follow names out of the evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.follow_names import bridges, is_name
from leadline.rank.name_links import Held, rank_sources

QUESTION = "Where was the director of The Long Tide born?"
FILM = Held(
    "film",
    "The Long Tide",
    "The Long Tide is a 1961 film directed by Ada Brandt. The music is by Karl Ohm. "
    "Long after, a copy was found by sailors in a chest below the deck of the Grey Gull.",
)
OTHER = Held("pier", "Long Pier", "The Long Pier was opened by Nils Holt.")


def follow(question: str, *found: Held, asked: tuple[str, ...] = (), n: int = 1) -> tuple[str, ...]:
    return bridges(question, rank_sources(question, found), asked, n)


@pytest.mark.contract("F1", "P4")
def test_the_name_beside_the_word_asked_for_comes_first() -> None:
    (query,) = follow(QUESTION, OTHER, FILM)
    assert query.startswith("Ada Brandt")


@pytest.mark.contract("F1", "P4")
def test_a_query_adds_only_the_question_words_that_the_passage_lacks() -> None:
    (query,) = follow(QUESTION, FILM)
    assert "born" in query.split()
    assert "Tide" not in query.split()


@pytest.mark.contract("F1", "P4")
def test_a_name_whose_document_is_held_is_not_followed() -> None:
    ada = Held("ada", "Ada Brandt", "She sang.")
    assert not any("Ada Brandt" in query for query in follow(QUESTION, FILM, ada, n=5))


@pytest.mark.contract("F1", "P4")
def test_a_word_that_only_opens_a_sentence_is_no_name_to_follow() -> None:
    film = Held("film", "The Long Tide", "Directed by Ada Brandt. Specifies the tide of Ohm.")
    queries = " ".join(follow(QUESTION, film, n=5)).split()
    assert "Ohm" in queries
    assert "Specifies" not in queries


@pytest.mark.contract("F1", "P4")
def test_the_menu_of_a_page_is_no_name_to_follow() -> None:
    menu = "Home Menu About Documentation Download License Support Purchase Search Changelog"
    film = Held("film", "The Long Tide", f"{menu} The Long Tide was directed by Ada Brandt.")
    queries = follow(QUESTION, film, n=5)
    assert any("Ada Brandt" in query for query in queries)
    assert not any("Purchase" in query for query in queries)


@pytest.mark.contract("F3", "P4")
def test_a_name_already_asked_for_is_not_asked_again() -> None:
    (first,) = follow(QUESTION, FILM)
    later = follow(QUESTION, FILM, asked=(first,), n=5)
    assert later
    assert not any("Ada Brandt" in query for query in later)


@pytest.mark.contract("F1")
def test_two_things_compared_are_both_followed() -> None:
    question = "Which film has the older director, The Long Tide or Grey Harbour?"
    grey = Held("grey", "Grey Harbour", "Grey Harbour is a film directed by Odd Lunde.")
    ada = Held("ada", "Ada Brandt", "Ada Brandt studied in Port Velden with Sten Ek.")
    (query,) = follow(question, FILM, grey, ada)
    assert "Odd Lunde" in query


@pytest.mark.contract("F1")
def test_names_in_the_question_lead_nowhere() -> None:
    only = Held("x", "", "a note on the Long Tide")
    assert follow(QUESTION, only, n=3) == ()


@pytest.mark.contract("F1", "P4")
@pytest.mark.parametrize(
    "text",
    [
        "FULL FREEZE\n\nA director may order a full freeze. So says Ada Brandt.",
        "The director halted it (see FREEZE HARNESSES below), says Ada Brandt.",
    ],
)
def test_words_that_are_shouted_are_no_name(text: str) -> None:
    queries = follow(QUESTION, Held("x", "Notes", text), n=5)
    assert any("Ada Brandt" in query for query in queries)
    assert not any("FREEZE" in query for query in queries)


@pytest.mark.contract("F1")
@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("FREEZE", False),  # the passages write it small too
        ("NASA", True),
        ("Ada Brandt", True),
        ("Freeze", True),
        ("'$.a') → '[null,2]' json_extract('{", False),
        (":7}]}','$.c[#-1]", False),
        ("O’Neill & Sons", True),
        ("Yahoo!", True),
        ("C++", True),
    ],
)
def test_neither_a_shouted_word_nor_a_piece_of_code_is_a_name(written: str, named: bool) -> None:
    assert is_name(written, frozenset({"freeze", "lock"})) is named


@pytest.mark.contract("F1")
def test_letters_that_stand_for_something_are_followed() -> None:
    only = Held("x", "Notes", "The director was born in the year in which NASA hired Odd Lunde.")
    assert any("NASA" in query for query in follow(QUESTION, only, n=5))


def test_no_evidence_gives_no_query() -> None:
    assert follow(QUESTION) == ()


texts = st.text(alphabet=st.sampled_from('Ada Brandt Ohm "tide". of é語\n'), max_size=80)


@given(texts, st.lists(texts, max_size=4), st.integers(0, 4))
def test_queries_are_few_distinct_and_never_one_already_asked(
    question: str, found: list[str], n: int
) -> None:
    held = [Held(str(i), "", text) for i, text in enumerate(found)]
    first = follow(question, *held, n=n)
    assert len(first) == len(set(first)) <= n
    assert not set(first) & set(follow(question, *held, asked=first, n=n))
