"""Boxes of text become lines as a person would read them (V1)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.sight.reading_order import in_reading_order

Corners = list[tuple[float, float]]


def box(x: float, y: float, width: float = 60, height: float = 20) -> Corners:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def turned(corners: Corners, degrees: float) -> Corners:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(x * cos - y * sin, x * sin + y * cos) for x, y in corners]


TABLE = [
    ("Total", box(10, 200)),
    ("12.40", box(300, 203)),
    ("Item", box(10, 100)),
    ("Price", box(300, 97)),
    ("Corner Shop", box(100, 20, 140)),
    ("Tea", box(10, 150)),
    ("12.40", box(300, 152)),
]
READ = "Corner Shop\nItem | Price\nTea | 12.40\nTotal | 12.40"


@pytest.mark.contract("V1")
@pytest.mark.parametrize("degrees", [0.0, 4.0, -4.0])
def test_a_table_is_read_row_by_row_also_when_the_page_is_tilted(degrees: float) -> None:
    assert in_reading_order([(text, turned(at, degrees)) for text, at in TABLE]) == READ


@pytest.mark.contract("V1")
def test_words_close_to_each_other_are_one_phrase_and_far_ones_are_columns() -> None:
    found = [("Net", box(0, 0, 40)), ("Amount", box(48, 1, 80)), ("53.55", box(400, 2, 60))]
    assert in_reading_order(found) == "Net Amount | 53.55"


def test_nothing_read_is_an_empty_text() -> None:
    assert in_reading_order([]) == ""
    assert in_reading_order([("  ", box(0, 0))]) == ""


PLACES = st.tuples(
    st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 300), st.integers(1, 90)
)


@given(st.lists(PLACES, max_size=30))
def test_every_text_is_read_exactly_once(places: list[tuple[int, int, int, int]]) -> None:
    found = [(f"w{at}", box(*map(float, place))) for at, place in enumerate(places)]
    words = in_reading_order(found).replace("|", " ").split()
    assert sorted(words) == sorted(f"w{at}" for at in range(len(places)))
