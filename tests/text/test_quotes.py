"""A quote as printed is found again in the page it came from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.quotes import locate, plain
from leadline.text.sentences import sentences

PAGE = """# Fetch

The **[`fetch()`](/docs/fetch_(x))** method of {{domxref("Window")}} starts a
*request*[3] and returns a [promise](https://example.org/p "Promise").

> To cancel it, call {{domxref("AbortController.abort()", "abort()")}} — see
> <b>signals</b> and `arr<p>`.
"""


@pytest.mark.contract("W3")
def test_what_a_reader_sees_has_no_markup() -> None:
    shown = plain(PAGE.split("\n\n")[1])
    assert shown == "The `fetch()` method of Window starts a request and returns a promise."


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "quote",
    [
        "The `fetch()` method of Window starts a request and returns a promise.",
        "To cancel it, call abort() — see signals and `arr<p>`.",
    ],
)
def test_a_printed_quote_is_located_past_markup(quote: str) -> None:
    found = locate(quote, PAGE)
    assert found is not None
    start, end = found
    assert plain(PAGE[start:end]).startswith(quote[:3].strip("`"))
    assert PAGE[start:end].rstrip().endswith(".")


@pytest.mark.contract("W2")
@pytest.mark.parametrize(
    "quote",
    ["The fetch() method starts a request.", "To cancel it, call stop().", "", "  \n "],
)
def test_words_that_are_not_there_are_not_located(quote: str) -> None:
    assert locate(quote, PAGE) is None


def test_numbers_must_match_to_the_digit() -> None:
    assert locate("It holds 15 items.", "It holds 1.5 items.") is None


def test_typesetters_quotes_are_not_code() -> None:
    text = "It is Latin for `` parent of the nation '' ( lit. , `` fatherland '' ) ."
    assert plain(text) == text


@given(st.lists(st.text(alphabet="abc XY.*_`[]()<>{}#>\n1", max_size=60), max_size=6))
def test_every_sentence_of_a_page_that_shows_words_is_located_as_it_stands(
    pieces: list[str],
) -> None:
    page = "\n\n".join(pieces)
    for span in sentences(page):
        found = locate(span.text, page)
        shown = [char for char in plain(span.text) if char.isalpha()]
        # Marks that open before the sentence may swallow it: then nothing is claimed.
        if found is not None and shown:
            start, end = found
            assert 0 <= start < end <= len(page)
            assert set(shown) <= set(page[start:end])


@given(st.text(max_size=300))
def test_plain_text_is_already_plain_the_second_time(text: str) -> None:
    assert "\n" not in plain(text)
    assert locate("not in any page: ∎∎∎", text) is None


def test_a_page_of_brackets_takes_no_time() -> None:
    assert locate("nothing", "[" * 200_000) is None
    assert locate("nothing", "`" * 200_000 + "{{" * 50_000 + "<a " * 50_000) is None
