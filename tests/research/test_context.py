"""A quotation with the words round it: whole words, exactly as they stand in the passage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.prover import in_context
from leadline.text.quotes import around
from leadline.types import Claim, Passage, Quote, Verdict

PAGE = "Pilots feared shoals. The lead found them. Tallow held the sand."
START = PAGE.index("The lead")
END = START + len("The lead found them.")


@pytest.mark.contract("W8")
def test_a_quote_is_shown_with_what_stands_before_and_after_it() -> None:
    passage = Passage(1, PAGE, "page", 100, 100 + len(PAGE))
    quote = Quote(1, "The lead found them.", "page", 100 + START, 100 + END)
    (claim,) = in_context([Claim("x", (1,), Verdict.QUOTED, 1.0, quote)], [passage])
    assert claim.quote
    assert claim.quote.before == "Pilots feared shoals. "
    assert claim.quote.after == " Tallow held the sand."


def test_a_quote_whose_passage_is_not_there_stays_bare() -> None:
    quote = Quote(1, "The lead found them.", "other", 0, 20)
    (claim,) = in_context(
        [Claim("x", (1,), Verdict.QUOTED, 1.0, quote)], [Passage(1, PAGE, "page", 0, len(PAGE))]
    )
    assert claim.quote == quote


def test_no_word_is_cut_in_two() -> None:
    text = "alpha bravo charlie QUOTE delta echo foxtrot"
    start = text.index("QUOTE")
    before, after = around(text, start, start + 5, room=9)
    assert before.strip() == "charlie"
    assert after.strip() == "delta"


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 50), st.integers(1, 60))
def test_the_words_round_a_quote_are_those_of_the_passage(
    text: str, start: int, length: int, room: int
) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    before, after = around(text, start, end, room)
    assert text[:start].endswith(before)
    assert text[end:].startswith(after)
    assert max(len(before), len(after)) <= room
