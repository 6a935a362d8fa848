"""Support: what a page says of a claim, without a model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.check.alignment import align, lay_out
from leadline.check.prover import Prover
from leadline.check.support import support, support_on
from leadline.fakes.embedder import FakeEmbedder
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage, Verdict

EMBEDDER = StaticEmbedder()
PAGE = (
    "The Carrow Bridge was opened to traffic on 14 June 1931 after four years of construction.",
    "It spans 512 metres and was designed by the engineer Ida Lindqvist.",
    "Owen Pryce opposed the bridge because tall ships could not pass beneath it.",
    "The ferry stopped running in the same summer.",
)


def verdict(claim: str, page: Sequence[str] = PAGE) -> Verdict:
    return support(claim, page, EMBEDDER).verdict


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "claim",
    [
        PAGE[0],
        "It spans 512 metres",
        "The engineer Ida Lindqvist designed the bridge, which spans 512 metres.",
        "On June 14, 1931 the Carrow Bridge was opened to traffic.",
        "Owen Pryce opposed the bridge.",
    ],
)
def test_what_the_page_says_may_ship(claim: str) -> None:
    assert verdict(claim).may_ship


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "claim",
    [
        "The Carrow Bridge was opened to traffic on 14 June 1932.",
        "It spans 521 metres and was designed by the engineer Ida Lindqvist.",
        "It spans 512 metres and was designed by the engineer Nora Lindqvist.",
        "Owen Pryce did not oppose the bridge.",
    ],
)
def test_a_changed_fact_is_caught(claim: str) -> None:
    found = support(claim, PAGE, EMBEDDER)
    assert found.verdict in (Verdict.CONTRADICTED, Verdict.NOT_FOUND)
    assert found.reasons


@pytest.mark.contract("W3")
def test_what_the_page_does_not_speak_of_is_not_found() -> None:
    found = support("Salmon prices doubled in the harbour markets of Chile.", PAGE, EMBEDDER)
    assert found.verdict is Verdict.NOT_FOUND
    assert found.bearing < 0.2


@pytest.mark.contract("W3")
def test_a_claim_that_is_denied_word_for_word_does_not_ship() -> None:
    page = ("No evidence shows that the drug works.",)
    assert not verdict("the drug works.", page).may_ship


def test_two_turns_make_no_mismatch() -> None:
    assert verdict("The border was left unsettled.", ("The border was not settled.",)) in (
        Verdict.QUOTED,
        Verdict.SOURCED,
    )
    assert verdict("Oslo is smaller than Rome.", ("Rome is larger than Oslo.",)) is not (
        Verdict.CONTRADICTED
    )
    assert (
        verdict("Rome is smaller than Oslo.", ("Rome is larger than Oslo.",))
        is Verdict.CONTRADICTED
    )


def test_a_passive_is_not_a_swap() -> None:
    page = ("Nordwind acquired Solaris in May.",)
    assert verdict("Solaris was acquired by Nordwind in May.", page) is Verdict.SOURCED
    assert verdict("Solaris acquired Nordwind in May.", page) is Verdict.CONTRADICTED


def test_the_best_sentences_come_first() -> None:
    found = support("Ida Lindqvist designed the bridge.", PAGE, EMBEDDER)
    assert found.best[0][0] == 1
    assert [score for _, score in found.best] == sorted((s for _, s in found.best), reverse=True)


def test_nothing_supports_nothing() -> None:
    assert verdict("Anything at all.", ()) is Verdict.NOT_FOUND
    assert verdict("  ") is Verdict.NOT_FOUND
    assert verdict("...", ("", "—")) is not Verdict.CONTRADICTED


@settings(max_examples=60)
@given(st.text(max_size=120), st.lists(st.text(max_size=120), min_size=1, max_size=6))
def test_any_text_gets_a_score_between_none_and_all(claim: str, page: list[str]) -> None:
    found = support(claim, page, FakeEmbedder())
    assert 0.0 <= found.score <= 1.0
    assert 0.0 <= found.bearing <= 1.0
    assert found.verdict is not Verdict.CONTRADICTED
    assert {at for at, _ in found.best} <= set(range(len(page)))


@given(st.lists(st.sampled_from(PAGE), min_size=1, max_size=8), st.randoms())
def test_the_order_of_other_sentences_does_not_matter_to_a_quotation(
    page: list[str], dice: object
) -> None:
    assert support(page[0], page, FakeEmbedder()).score == 1.0


def test_a_page_laid_out_once_gives_what_it_gives_anew() -> None:
    page = lay_out(PAGE, EMBEDDER)
    for claim in ("Owen Pryce opposed the bridge.", "The ferry stopped running.", "It rained."):
        assert support_on(claim, page) == support(claim, PAGE, EMBEDDER)


def test_words_are_aligned_by_spelling_and_by_meaning() -> None:
    aligned = align("The ship sank.", lay_out(["The boat sank.", "The judge slept."], EMBEDDER))
    assert aligned.stems == ("ship", "sank")
    assert aligned.exact.tolist() == [[0.0, 1.0], [0.0, 0.0]]
    assert aligned.near[0, 0] > 0.4 > aligned.near[1, 0]


TEXT = "# Bridges\n\nThe **Carrow Bridge** opened in 1931. It was designed by [Ida](x) Lindqvist.\n"


@pytest.mark.contract("W3")
def test_the_quote_stands_at_its_offsets_in_the_page() -> None:
    page = "Intro.\n" + TEXT
    passage = Passage(3, TEXT, page="hash", start=7, end=7 + len(TEXT))
    claim = (
        Prover([passage], EMBEDDER)
        .prove("The bridge was designed by Ida Lindqvist.", (passage.source,))
        .claim
    )
    assert claim.verdict is Verdict.QUOTED
    assert claim.sources == (3,)
    assert claim.quote is not None
    assert claim.quote.text == page[claim.quote.start : claim.quote.end]
    assert claim.quote.text == "It was designed by [Ida](x) Lindqvist."
    assert (claim.quote.source, claim.quote.page) == (3, "hash")


@pytest.mark.contract("W3")
def test_a_quotation_is_found_exactly_where_it_stands() -> None:
    passage = Passage(1, TEXT, page="hash", start=100, end=100 + len(TEXT))
    claim = Prover([passage], EMBEDDER).prove("Carrow Bridge opened in 1931.").claim
    assert claim.score == 1.0
    assert claim.quote is not None
    assert (
        TEXT[claim.quote.start - 100 : claim.quote.end - 100] == "Carrow Bridge** opened in 1931."
    )


def test_a_title_names_the_subject_but_is_never_quoted() -> None:
    passage = Passage(1, "She won the prize in 1903 and again in 1911.", page="p")
    claim = "Marie Curie won the prize in 1903."
    named = Prover([passage], EMBEDDER, {1: "Marie Curie"}).prove(claim, (1,)).claim
    assert named.verdict is Verdict.QUOTED
    assert named.quote is not None
    assert named.quote.text == passage.text
