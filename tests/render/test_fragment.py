"""Links to the quoted words: the fragment says exactly them, whatever they hold."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.render.fragment import to_words

URL = "https://sea.example/page"


@pytest.mark.contract("W8")
def test_a_short_quote_is_sought_whole_with_its_marks_encoded() -> None:
    assert to_words(URL, "salt-water, fish & chips") == (
        f"{URL}#:~:text=salt%2Dwater%2C%20fish%20%26%20chips"
    )


@pytest.mark.contract("W8")
def test_a_long_quote_is_sought_by_its_two_ends() -> None:
    quote = "The lead was swung forward " + "and again " * 20 + "until it touched the ground."
    text = to_words(URL, quote).partition(":~:text=")[2]
    first, last = text.split(",")
    assert unquote(first) == "The lead was swung forward"
    assert unquote(last) == "until it touched the ground."


def test_a_long_quote_without_spaces_is_sought_by_its_ends_too() -> None:
    text = to_words(URL, "深" * 60 + "度" * 60).partition(":~:text=")[2]
    assert [unquote(part) for part in text.split(",")] == ["深" * 16, "度" * 16]


def test_markup_of_the_page_is_not_sought() -> None:
    found = to_words(URL, "A **weighted** [rope](https://x.example) is used.")
    assert unquote(found.partition("text=")[2]) == "A weighted rope is used."


def test_cells_of_a_table_are_sought_by_the_first_and_the_last() -> None:
    text = to_words(URL, "| Mark | Depth |\n| red rag | seven |").partition("text=")[2]
    assert text == "Mark,seven"


def test_a_page_that_is_quoted_at_a_place_keeps_the_place() -> None:
    assert to_words(f"{URL}#use", "a rope") == f"{URL}#use:~:text=a%20rope"
    assert to_words(f"{URL}#:~:text=old", "a rope") == f"{URL}#:~:text=a%20rope"


@pytest.mark.parametrize("place", ["notes/a.md", "javascript:alert(1)", "file:///etc/passwd", ""])
def test_what_is_no_web_address_stays_as_it_is(place: str) -> None:
    assert to_words(place, "a rope") == place


@given(st.text(max_size=80))
def test_the_fragment_holds_nothing_but_safe_characters(quote: str) -> None:
    found = to_words(URL, quote)
    assert found.isascii()
    assert urlsplit(found)[:4] == urlsplit(URL)[:4]
    directive = found.partition(":~:text=")[2]
    assert not set(directive) & set(" -&#<>\"'")
    assert directive.count(",") <= 1
