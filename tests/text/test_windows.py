"""Windows cover a text, overlap a little, end where it reads well and know their section."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.windows import chars_per_token, windows

PROSE = "The quick brown fox jumps over the lazy dog, as it does every day. "


@pytest.mark.contract("D1", "C3")
@given(st.text(max_size=3_000), st.integers(5, 60), st.integers(0, 20))
def test_every_word_of_a_text_is_in_some_window(text: str, tokens: int, overlap: int) -> None:
    found = windows(text, tokens, overlap)
    covered = {at for window in found for at in range(window.start, window.end)}
    assert all(at in covered for at, char in enumerate(text) if not char.isspace())


@pytest.mark.contract("D1", "C3")
@given(st.text(max_size=3_000), st.integers(5, 60), st.integers(0, 20))
def test_windows_move_forward_and_are_not_blank(text: str, tokens: int, overlap: int) -> None:
    found = windows(text, tokens, overlap)
    assert all(text[w.start : w.end].strip() == text[w.start : w.end] != "" for w in found)
    ends = [window.end for window in found]
    assert ends == sorted(set(ends))


@pytest.mark.contract("D1")
def test_a_long_text_is_cut_into_about_500_tokens_with_50_shared() -> None:
    text = PROSE * 300
    found = windows(text)
    sizes = [window.end - window.start for window in found]
    assert all(1_000 <= size <= 2_500 for size in sizes)
    shared = [a.end - b.start for a, b in pairwise(found)]
    assert all(50 <= size <= 260 for size in shared)


def test_a_short_text_is_one_window() -> None:
    (only,) = windows("  One line.\n")
    assert (only.start, only.end) == (2, 11)


def test_a_text_without_words_has_no_window() -> None:
    assert windows(" \n\t ") == ()


def test_a_window_ends_at_the_end_of_a_sentence_where_it_can() -> None:
    text = PROSE * 100
    assert all(text[w.start : w.end].endswith(".") for w in windows(text))


def test_a_window_knows_the_headings_above_it() -> None:
    text = f"# Intro\n\n{PROSE * 20}\n\n## Method\n\n{PROSE * 20}\n\n## End\n\n{PROSE * 20}"
    sections = [window.section for window in windows(text, tokens=200, overlap=20)]
    assert list(dict.fromkeys(sections)) == ["Intro", "Intro › Method", "Intro › End"]


def test_a_comment_in_a_code_block_is_no_heading() -> None:
    text = f"# Real\n\n```sh\n# not a heading\n```\n\n{PROSE * 60}"
    assert {window.section for window in windows(text)} == {"Real"}


def test_chinese_text_counts_a_character_as_a_token() -> None:
    assert chars_per_token("深度研究" * 10) == pytest.approx(1.0)
    assert chars_per_token("plain words") == 4.0
    assert all(w.end - w.start <= 650 for w in windows("深度研究需要证据。" * 400))
