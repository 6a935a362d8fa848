"""What a document is called, and which names a passage mentions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.names import fold, names, normal, spans


def found(text: str) -> list[str]:
    return [span.name for span in spans(text)]


@pytest.mark.contract("F1")
def test_capitalised_runs_and_quoted_words_are_names() -> None:
    text = 'The film was shot by Ada Brandt in Port Velden. It is called "the long tide" there.'
    assert found(text) == ["long tide", "ada brandt", "port velden"]


@pytest.mark.contract("F1")
def test_small_words_inside_a_name_belong_to_it() -> None:
    assert found("He joined the University of Velden in May.") == ["university of velden"]


@pytest.mark.contract("F1")
def test_dates_and_sentence_openers_are_no_names() -> None:
    assert found("She left on Monday. However, they came back in June 1950. It rained.") == []


@pytest.mark.contract("F1")
def test_an_initial_does_not_end_a_name_and_a_full_stop_does() -> None:
    assert found("It was made by Otto J. Krall. Berta Lind sang.") == ["otto j krall", "berta lind"]


@pytest.mark.contract("F1")
def test_a_name_is_found_however_its_accents_are_written() -> None:
    assert normal("Émile Łucjan Sørby") == normal("Emile Lucjan Sorby") == "emile lucjan sorby"


@pytest.mark.contract("F1")
def test_a_title_is_known_by_its_head_too() -> None:
    assert names("The Long Tide (1961 film)", "") == ("the long tide 1961 film", "the long tide")
    assert "velden" in names("Velden, Ohio", "")


@pytest.mark.contract("F1")
def test_a_document_without_a_title_is_called_by_its_opening_words() -> None:
    opening = "Ada Maria Brandt (born 4 May 1921) was a director."
    assert names("", opening) == ("ada maria brandt", "ada brandt")
    assert names("", 'The "Long Tide" is a film.') == ("long tide",)


@pytest.mark.contract("F1")
def test_a_text_that_opens_in_lower_case_has_no_name() -> None:
    assert names("", "which was later sold, and then rebuilt") == ()


@given(st.text(max_size=300))
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text(alphabet=st.sampled_from('Ab é.,"“” -\nof the'), max_size=200))
def test_a_span_stands_where_it_says(text: str) -> None:
    for span in spans(text):
        assert span.name == normal(span.written)
        assert 0 <= span.start < len(text)
