"""Near copies are merged; copies with other numbers are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.near_duplicates import same_text

TEXT = (
    "The survey asked 1,200 people in four towns about their savings. In 2019 the average was "
    "$3.5 thousand, and most of those asked expected it to grow within the next two years, while "
    "one in five expected it to shrink because of higher rents and the price of food."
)


@pytest.mark.contract("S4")
@pytest.mark.parametrize(
    "copy",
    [
        TEXT,
        TEXT.upper(),
        TEXT.replace(". ", ".\n\n"),
        TEXT + " Share this article.",
        TEXT.replace("1,200", "1200"),
        TEXT.replace("food", "groceries"),
    ],
)
def test_a_copy_with_small_changes_is_the_same_text(copy: str) -> None:
    assert same_text(TEXT, copy) == "same"


@pytest.mark.contract("S4")
@pytest.mark.parametrize("change", [("2019", "2021"), ("$3.5", "$4.5"), ("1,200", "1,300")])
def test_a_copy_with_other_numbers_is_flagged(change: tuple[str, str]) -> None:
    assert same_text(TEXT, TEXT.replace(*change)) == "numbers_differ"


@pytest.mark.contract("S4")
@pytest.mark.parametrize(
    "other",
    [
        "",
        "In 2019 the average was $3.5 thousand.",
        "The survey asked farmers about the harvest, and few of them were content with the prices.",
    ],
)
def test_another_text_is_different(other: str) -> None:
    assert same_text(TEXT, other) == "different"


@pytest.mark.contract("S4")
@given(st.text(max_size=80), st.text(max_size=80))
def test_likeness_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert same_text(one, other) == same_text(other, one)
    assert same_text(one, one) == "same"
