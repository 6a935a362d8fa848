"""Code round a quotation keeps its lines; prose does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.text.excerpt import Stretch, after, before

pytestmark = pytest.mark.contract("W8")


def test_a_fenced_block_that_follows_keeps_its_lines() -> None:
    text = (
        " It doubles\neach time.\n\n```python\ndef f(x):\n    return x\n```\n\nUse it for *reads*."
    )
    assert after(text) == (
        Stretch("It doubles each time."),
        Stretch("def f(x):\n    return x", code=True),
        Stretch("Use it for reads."),
    )


def test_a_block_whose_beginning_is_cut_off_is_still_code() -> None:
    text = "call()\n    raise ValueError\n```\n\nUse it for reads. "
    assert before(text) == (
        Stretch("    raise ValueError", code=True),  # a line without its beginning is left out
        Stretch("Use it for reads."),
    )


def test_a_heading_is_told_from_what_it_stands_over() -> None:
    assert before("## Retrying ##\n\nIt is retried. ") == (Stretch("Retrying · It is retried."),)


def test_lines_that_are_set_in_are_code_and_items_of_a_list_are_not() -> None:
    assert after("An older form:\n\n    retry(a)\n    retry(b)\n")[1:] == (
        Stretch("    retry(a)\n    retry(b)", code=True),
    )
    assert after("- one thing\n    that goes on\n") == (Stretch("- one thing that goes on"),)


def test_source_code_round_a_docstring_keeps_its_lines() -> None:
    assert before('def retry(call):\n    """') == (Stretch('def retry(call):\n    """', code=True),)


@given(st.text(max_size=400))
def test_no_word_is_lost_or_made_up(text: str) -> None:
    kept = "".join("".join(one.text.split()) for one in after(text))
    assert set(kept) <= set("".join(text.split())) | {"`", "·"}
