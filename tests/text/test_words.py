"""Words and their folded endings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.words import content_words, stem, words


def test_words_are_lower_case_without_possessives_and_underscores() -> None:
    assert words("The Mayor's e-mail, snake_case; don't: 3.5%") == [
        *("the", "mayor", "e", "mail", "snake", "case", "don't", "3", "5")
    ]


def test_chinese_is_cut_into_overlapping_pairs() -> None:
    assert words("深度研究 AI 的") == ["深度", "度研", "研究", "ai", "的"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("studies", "study"), ("villages", "village"), ("opened", "opening"), ("cats", "cat")],
)
def test_endings_are_folded(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_content_words_leave_function_words_out() -> None:
    assert content_words("What is the depth of the river?") == ["depth", "river"]


@given(st.text(max_size=80))
def test_words_hold_no_space_and_case_does_not_matter(text: str) -> None:
    for word in words(text):
        assert word
        assert word == "".join(word.split())
    assert words(text.lower()) == words(text)


@given(st.text(max_size=80))
def test_words_are_the_same_beside_chinese(text: str) -> None:
    assert words(f"{text} 文") == [*words(text), "文"]
