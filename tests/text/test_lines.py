"""Windows of lines around a span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.lines import numbered, window

PAGE = "\n".join(f"line {n}" for n in range(1, 101))


@pytest.mark.contract("D4")
def test_a_window_has_the_lines_around_a_span() -> None:
    at = PAGE.index("line 50")
    found = window(PAGE, at, at + 7, 2, 3)
    assert (found.first, found.last, found.count) == (48, 53, 100)
    assert PAGE[found.start : found.end] == "line 48\nline 49\nline 50\nline 51\nline 52\nline 53"
    assert numbered(PAGE, found).startswith("48  line 48\n")


@pytest.mark.contract("D4")
@given(
    st.text(alphabet="ab \n", min_size=1, max_size=300),
    st.integers(0, 299),
    st.integers(1, 60),
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(20, 200),
)
def test_a_window_is_whole_lines_within_its_size_and_holds_the_start_of_the_span(
    page: str, start: int, length: int, before: int, after: int, most: int
) -> None:
    start = min(start, len(page) - 1)
    end = min(len(page), start + length)
    found = window(page, start, end, before, after, most)
    assert 0 <= found.start <= start
    assert start <= found.end <= len(page)
    text = page[found.start : found.end]
    assert len(text.replace("\n", "")) <= max(most, 0)
    assert 1 <= found.first <= found.last <= found.count
    assert numbered(page, found)
