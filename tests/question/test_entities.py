"""Names in a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.question.entities import entities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Are Christopher Nolan and Sathish Kalathil both directors?", 2),
        ("Who directed the film shot in Leland, North Carolina?", 2),
        ("what is a closure", 0),
        ("Summarize the report.", 0),
    ],
)
def test_capitalised_spans_are_names_and_openers_are_not(text: str, found: int) -> None:
    assert len(entities(text)) == found


def test_small_words_join_a_name_and_do_not_end_it() -> None:
    assert entities("the era of Haymo of Faversham and after") == ("Haymo of Faversham",)


def test_quoted_words_and_code_are_names_as_they_stand() -> None:
    assert entities('What does "lead line" mean in `read_doc`?') == ("lead line", "read_doc")
    assert entities("how does fetch() differ from AbortController") == (
        "fetch()",
        "AbortController",
    )


def test_a_possessive_is_not_part_of_the_name() -> None:
    assert entities("Grace Krilanovich's first novel") == ("Grace Krilanovich",)


def test_latin_names_are_found_in_chinese_text() -> None:
    assert entities("为我调研AI算法") == ("AI",)


@given(st.text(max_size=200))
def test_every_name_stands_in_the_text(text: str) -> None:
    assert all(name in text for name in entities(text))
