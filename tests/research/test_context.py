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
