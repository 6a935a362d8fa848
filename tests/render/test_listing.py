"""Results as people see them."""

from __future__ import annotations

import pytest

from leadline.render.listing import for_person
from leadline.types import Hit

HITS = (
    Hit("https://a.org/x", "First", "Snippet one."),
    Hit("https://b.org/y", "Second", "Snippet two."),
)


@pytest.mark.contract("S5")
def test_a_person_sees_title_address_and_snippet_with_a_rule_between() -> None:
    assert for_person(HITS) == (
        "**First**\nhttps://a.org/x\n\nSnippet one.\n\n---\n\n"
        "**Second**\nhttps://b.org/y\n\nSnippet two."
    )


@pytest.mark.contract("S5")
def test_a_title_cannot_break_out_of_its_line() -> None:
    assert for_person([Hit("u", "A\n---\n**B**", "t")]).startswith("**A --- B**\nu\n\nt")
