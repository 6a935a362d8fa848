"""How much of a question a text has the words for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.word_coverage import coverage, held, rarity, share
from leadline.text.words import content_words

WORDS = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=9), max_size=12)


def test_a_rare_word_weighs_more_than_one_that_all_texts_have() -> None:
    texts = [content_words(text) for text in ("the film ran", "a film of 1929", "film Devotion")]
    rare = rarity(texts)
    assert rare["film"] < rare["devotion"]
    wanted = ("film", "devotion")
    assert coverage(wanted, {"devotion"}, rare) > coverage(wanted, {"film"}, rare)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("birth", "born"),
        ("director", "directed"),
        ("cancel", "abort"),
        ("composer", "composed"),
        ("sink", "sank"),
        ("depth", "deep"),
        ("stop", "stopped"),
    ],
)
def test_a_word_is_met_by_its_relatives(wanted: str, said: str) -> None:
    (word,), has = content_words(wanted), set(content_words(said))
    (value,) = held([word], has)
    assert 0 < value < 1


def test_unlike_words_do_not_meet() -> None:
    has = set(content_words("a harbour that freezes"))
    assert held(["harb", "lighthous"], has) == [0.0, 0.0]


@given(WORDS, WORDS)
def test_coverage_is_a_share_and_grows_with_what_is_there(
    wanted: list[str], more: list[str]
) -> None:
    rare = rarity([wanted, more])
    some, all_of_it = set(more), {*more, *wanted}
    less, most = coverage(wanted, some, rare), coverage(wanted, all_of_it, rare)
    assert 0.0 <= less <= most <= 1.0 + 1e-9
    assert not wanted or most == pytest.approx(1.0)


def test_nothing_wanted_is_nothing_found() -> None:
    assert share([], []) == 0.0
