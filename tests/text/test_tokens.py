"""Tokens by characters."""

from __future__ import annotations

import pytest

from leadline.text.tokens import count_tokens


def test_tokens_are_characters_over_their_ratio_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert count_tokens("abcdef", chars_per_token=2.0) == 3


def test_a_ratio_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="chars_per_token"):
        count_tokens("abc", chars_per_token=0)
