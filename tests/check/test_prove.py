"""Claims are proven by whole sentences of their sources; anyone gets the same verdict."""

from __future__ import annotations

import pytest

from leadline.check.prover import Prover, agrees
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage, Verdict

EMBEDDER = StaticEmbedder()
ONE = "Nobody believes that basalt is a soft rock. Basalt is a volcanic rock, and it is dark."
TWO = "Marble is metamorphic. The marble of Selm was sold for 40 crowns a block in 1880."
PASSAGES = (Passage(1, ONE, "a" * 16, 0, len(ONE)), Passage(2, TWO, "b" * 16, 5, 5 + len(TWO)))
PROVER = Prover(PASSAGES, EMBEDDER)


@pytest.mark.contract("W3")
def test_half_a_sentence_is_not_the_exact_path() -> None:
    assert PROVER.exact("basalt is a soft rock.", (1,)) is None
    assert PROVER.exact("Marble is metamorphic.", (2,)) is not None


@pytest.mark.contract("W3")
def test_a_quotation_has_the_offsets_of_the_page() -> None:
    claim = PROVER.prove("Marble is metamorphic.", (2,)).claim
    assert claim.quote is not None
    assert (claim.score, claim.quote.start, claim.quote.end) == (1.0, 5, 27)


@pytest.mark.contract("W2")
def test_a_source_that_says_nothing_of_it_is_no_citation() -> None:
    assert PROVER.prove("Marble is metamorphic.", (1, 2)).claim.sources == (2,)


@pytest.mark.contract("W2")
def test_a_claim_that_cites_only_unknown_sources_is_unsupported() -> None:
    claim = PROVER.prove("Marble is metamorphic.", (9,)).claim
    assert (claim.verdict, claim.sources) == (Verdict.NOT_FOUND, ())
    assert "[9]" in claim.why


@pytest.mark.contract("W3")
def test_a_claim_that_needs_two_sources_is_checked_on_both() -> None:
    claim = PROVER.prove("Basalt is a volcanic rock and marble is metamorphic.", (1, 2)).claim
    assert claim.verdict is Verdict.SOURCED


@pytest.mark.contract("W7")
@pytest.mark.parametrize(
    "text", ["Marble is metamorphic.", "Blocks of Selm marble were sold for 40 crowns in 1880."]
)
def test_the_same_claim_gets_the_same_verdict_again(text: str) -> None:
    first = PROVER.prove(text, (2,)).claim
    again = PROVER.prove(first.text, first.sources).claim
    assert first.verdict.may_ship
    assert agrees(first, again)


@pytest.mark.contract("W7")
def test_a_changed_claim_or_page_does_not_agree() -> None:
    first = PROVER.prove("Marble is metamorphic.", (2,)).claim
    other = TWO.replace("metamorphic", "plutonic")
    for passages in ((Passage(2, other, "b" * 16, 5),), ()):
        again = Prover(passages, EMBEDDER).prove(first.text, first.sources).claim
        assert not agrees(first, again)


@pytest.mark.contract("W3")
def test_one_describing_word_for_another_does_not_ship() -> None:
    page = "Basalt is a volcanic rock. It forms when lava cools quickly."
    claim = Prover([Passage(1, page)], EMBEDDER).prove("Basalt is a soft rock.", (1,)).claim
    assert claim.verdict is Verdict.NOT_FOUND
    assert "'soft'" in claim.why


NATO = (
    "NATO has added new members seven times since its founding in 1949, and since 2017 NATO has "
    "had 29 members. In 1952, Greece and Turkey became members. It spent 90.4 billion on ships."
)


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (
            "NATO has added new members seven times since its founding in 1952, and since 2017 "
            "NATO has had 29 members.",
            Verdict.CONTRADICTED,
        ),
        (
            "NATO has added new members seven times since its founding in 2017, and since 2017 "
            "NATO has had 29 members.",
            Verdict.CONTRADICTED,
        ),
        (
            "NATO has added new members seven times since its founding in 1949 and since 2017 NATO "
            "has had 29 members.",
            Verdict.QUOTED,
        ),
        ("It spent about 90 billion on ships.", Verdict.SOURCED),
    ],
)
def test_a_figure_of_another_sentence_does_not_bear_out_this_one(
    claim: str, verdict: Verdict
) -> None:
    prover = Prover([Passage(1, NATO, "c" * 16, 0, len(NATO))], EMBEDDER)
    assert prover.prove(claim, (1,)).claim.verdict is verdict
