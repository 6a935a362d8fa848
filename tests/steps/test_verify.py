"""No sentence ships unless its words stand in a passage that it cites."""

from __future__ import annotations

import asyncio

import pytest

from leadline.embed.static import StaticEmbedder
from leadline.steps.verify import verify
from leadline.types import Checked, Draft, Passage, Verdict

PAGE = "Basalt is a volcanic rock. It forms when **lava** cools\nquickly. Granite is plutonic."
PASSAGES = (
    Passage(1, PAGE, page="a" * 16, start=100, end=100 + len(PAGE)),
    Passage(2, "Marble is metamorphic.", page="b" * 16, start=0, end=22),
)


def check(answer: str, found: bool = True) -> Checked:
    return asyncio.run(verify(Draft(answer, found=found), PASSAGES, StaticEmbedder()))


@pytest.mark.contract("W2", "W3")
def test_a_quoted_sentence_ships_with_the_offsets_that_prove_it() -> None:
    checked = check("Basalt is a volcanic rock. [1]")
    (claim,) = checked.claims
    assert claim.verdict is Verdict.SUPPORTED
    assert claim.quote is not None
    assert (claim.quote.start, claim.quote.end) == (100, 126)
    assert claim.quote.page == "a" * 16
    assert checked.answer == "Basalt is a volcanic rock. [1]"


@pytest.mark.contract("W2")
def test_an_unknown_id_never_ships() -> None:
    checked = check("Basalt is a volcanic rock. [7]")
    assert checked.answer == ""
    assert not checked.claims
    assert [claim.verdict for claim in checked.dropped] == [Verdict.UNSUPPORTED]
    assert not checked.found


@pytest.mark.contract("W2", "W4")
def test_words_that_the_cited_source_does_not_hold_are_dropped_and_listed() -> None:
    checked = check("Basalt is a volcanic rock. [1] Basalt is a soft rock. [1]")
    assert checked.answer == "Basalt is a volcanic rock. [1]"
    assert [claim.text for claim in checked.dropped] == ["Basalt is a soft rock."]


@pytest.mark.contract("W2")
def test_a_true_sentence_citing_the_wrong_source_is_dropped() -> None:
    assert check("Marble is metamorphic. [1]").dropped


@pytest.mark.contract("W2")
def test_an_uncited_claim_is_given_the_source_that_proves_it_or_dropped() -> None:
    checked = check("Marble is metamorphic. Marble is rare.")
    assert checked.answer == "Marble is metamorphic. [2]"
    assert [claim.text for claim in checked.dropped] == ["Marble is rare."]


@pytest.mark.contract("W6")
def test_a_claim_is_placed_once() -> None:
    checked = check("## A\n\n- Marble is metamorphic. [2]\n\n## B\n\n- Marble is metamorphic. [2]")
    assert checked.answer == "## A\n\n- Marble is metamorphic. [2]"


def test_markup_and_line_breaks_of_the_page_do_not_hide_a_quote() -> None:
    assert check("It forms when lava cools quickly. [1]").claims


def test_a_heading_whose_claims_were_dropped_goes_too() -> None:
    checked = check("## Hardness\n\nDiamonds are costly. [1]\n\n## Origin\n\nGranite is plutonic. [1]")
    assert checked.answer == "## Origin\n\nGranite is plutonic. [1]"


@pytest.mark.contract("W5")
def test_what_was_not_found_is_said_and_is_no_claim() -> None:
    checked = check("Marble is metamorphic. [2]\n\nNot found in the sources: its price.")
    assert "Not found in the sources: its price." in checked.answer
    assert not checked.dropped
