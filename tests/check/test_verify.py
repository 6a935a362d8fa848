"""No sentence ships unless its words stand in a passage that it cites."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import settings as pace
from hypothesis import strategies as st

from leadline.check.verify import Asked, verify
from leadline.reader.static import StaticEmbedder
from leadline.types import Checked, Draft, Passage, Verdict

EMBEDDER = StaticEmbedder()
PAGE = "Basalt is a volcanic rock. It forms when **lava** cools\nquickly. Granite is plutonic."
PASSAGES = (
    Passage(1, PAGE, page="a" * 16, start=100, end=100 + len(PAGE)),
    Passage(2, "Marble is metamorphic.", page="b" * 16, start=0, end=22),
)


def check(answer: str, found: bool = True) -> Checked:
    return asyncio.run(verify(Draft(answer, found=found), PASSAGES, EMBEDDER))


@pytest.mark.contract("W2", "W3")
def test_a_quoted_sentence_ships_with_the_offsets_that_prove_it() -> None:
    checked = check("Basalt is a volcanic rock. [1]")
    (claim,) = checked.claims
    assert claim.verdict is Verdict.QUOTED
    assert claim.quote is not None
    assert (claim.quote.start, claim.quote.end) == (100, 126)
    assert claim.quote.page == "a" * 16
    assert checked.answer == "Basalt is a volcanic rock. [1]"


@pytest.mark.contract("W2")
def test_an_unknown_id_never_ships() -> None:
    checked = check("Basalt is a volcanic rock. [7]")
    assert checked.answer == ""
    assert not checked.claims
    assert [claim.verdict for claim in checked.dropped] == [Verdict.NOT_FOUND]
    assert not checked.found


@pytest.mark.contract("W2", "W4")
def test_words_that_the_cited_source_does_not_hold_are_dropped_and_listed() -> None:
    checked = check("Basalt is a volcanic rock. [1] Basalt is a soft rock. [1]")
    assert checked.answer == "Basalt is a volcanic rock. [1]"
    assert [claim.text for claim in checked.dropped] == ["Basalt is a soft rock."]


@pytest.mark.contract("W3")
def test_a_question_that_cites_a_source_is_no_claim() -> None:
    checked = check("Is basalt a volcanic rock that forms when lava cools quickly? [1]")
    assert checked.answer == ""
    assert [claim.why for claim in checked.dropped] == ["it asks, and says nothing"]


@pytest.mark.contract("W2")
def test_a_true_sentence_citing_the_wrong_source_is_given_the_right_one_and_that_is_told() -> None:
    checked = check("Marble is metamorphic. [1]")
    assert checked.answer == "Marble is metamorphic. [2]"
    assert [note.what for note in checked.notes] == ["[1]"]


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
    checked = check(
        "## Hardness\n\nDiamonds are costly. [1]\n\n## Origin\n\nGranite is plutonic. [1]"
    )
    assert checked.answer == "## Origin\n\nGranite is plutonic. [1]"


@pytest.mark.contract("W5")
def test_what_was_not_found_is_said_and_is_no_claim() -> None:
    checked = check("Marble is metamorphic. [2]\n\nNot found in the sources: its price.")
    assert "Not found in the sources: its price." in checked.answer
    assert not checked.dropped


@pytest.mark.contract("W2")
def test_an_unknown_id_is_recorded() -> None:
    checked = check("Basalt is a volcanic rock. [1][7]")
    assert checked.answer == "Basalt is a volcanic rock. [1]"
    assert [(note.stage, note.what) for note in checked.notes] == [("verify", "[7]")]


@pytest.mark.contract("W3")
def test_a_paraphrase_ships_as_sourced_with_the_sentence_it_rests_on() -> None:
    checked = check("Basalt is formed when lava cools quickly [1].")
    (claim,) = checked.claims
    assert claim.verdict is Verdict.SOURCED
    assert 0.5 <= claim.score < 1
    assert claim.quote is not None
    assert PAGE[claim.quote.start - 100 : claim.quote.end - 100] == claim.quote.text
    assert "cools" in claim.quote.text


@pytest.mark.contract("W4")
def test_a_wrong_number_is_replaced_by_what_the_source_says_and_listed() -> None:
    page = "The quarry of Selm sold 400 tonnes of basalt in 1921."
    passages = (Passage(1, page, "c" * 16, 0, len(page)),)
    draft = Draft("The quarry of Selm sold 900 tonnes of basalt in 1921. [1]")
    checked = asyncio.run(verify(draft, passages, EMBEDDER))
    assert checked.answer == f"{page} [1]"
    (dropped,) = checked.dropped
    assert dropped.verdict is Verdict.CONTRADICTED
    assert "'900 tonnes'" in dropped.why


@pytest.mark.contract("W4")
def test_what_is_only_sourced_is_marked_in_the_language_of_the_report() -> None:
    page = "The mill of Orsa was built by Anna Lind for the bakers of the old town."
    passages = (Passage(1, page, "c" * 16, 0, len(page)),)
    text = "For the bakers of the old town Anna Lind built the mill of Orsa."
    for language, mark in (("en", "(sourced)"), ("de", "(nur mit Fundstelle)")):
        asked = Asked(language=language)
        checked = asyncio.run(verify(Draft(f"{text} [1]"), passages, EMBEDDER, (), asked))
        assert [claim.verdict for claim in checked.claims] == [Verdict.SOURCED]
        assert checked.answer == f"{text} [1] {mark}"


@pytest.mark.contract("W2")
def test_an_invented_address_never_ships() -> None:
    checked = check("Basalt is a volcanic rock, see [here](https://made.up/rock). [1]")
    assert "made.up" not in checked.answer
    assert (
        "made.up" not in check("Basalt is a volcanic rock, says https://made.up/rock. [1]").answer
    )


@pytest.mark.contract("W3")
def test_a_block_quote_is_word_for_word_or_nothing() -> None:
    assert check("> Basalt is a volcanic rock.\n> [1]").answer
    assert check("> Basalt is volcanic rock of a kind.\n> [1]").answer == ""


@pytest.mark.contract("W3")
def test_code_that_no_source_has_is_dropped_and_code_that_one_has_is_cited() -> None:
    page = "Run this:\n\n```sh\nleadline index docs\n```\n\nThen ask."
    passages = (Passage(3, page, "c" * 16, 0, len(page)),)
    good, bad = "```sh\nleadline index docs\n```", "```sh\nrm -rf docs\n```"
    checked = asyncio.run(verify(Draft(f"{good}\n\n{bad}"), passages, EMBEDDER))
    assert checked.answer == f"{good}\n\n[3]"
    assert len(checked.dropped) == 1


@pytest.mark.contract("W3")
def test_rows_of_a_table_are_claims_and_a_table_without_rows_goes() -> None:
    head = "| Rock | Kind |\n|---|---|"
    checked = check(f"{head}\n| Basalt | volcanic rock [1] |\n| Marble | 900 euros [2] |")
    assert checked.answer == f"{head}\n| Basalt | volcanic rock [1] (sourced) |"
    assert check(f"{head}\n| Marble | 900 euros [2] |").answer == ""


@pytest.mark.contract("W3")
@pytest.mark.parametrize("heading", ["## Sold for 900 million euros", "**Sold in 1877:** "])
def test_a_heading_or_label_with_a_figure_that_no_source_has_goes(heading: str) -> None:
    checked = check(f"{heading}\n\nMarble is metamorphic. [2]")
    assert "Marble is metamorphic. [2]" in checked.answer
    assert "900" not in checked.answer
    assert "1877" not in checked.answer


@pytest.mark.contract("W6")
def test_a_list_has_as_many_items_as_were_asked_for_or_says_how_many() -> None:
    asked = Asked(wanted=3)
    said = "Basalt is a volcanic rock", "Basalt is 40 years old", "Granite is plutonic"
    text = "\n".join(f"{number}. {one}. [1]" for number, one in enumerate(said, 1))
    short = asyncio.run(verify(Draft(text), PASSAGES, EMBEDDER, (), asked))
    assert "1. Basalt is a volcanic rock. [1]\n2. Granite is plutonic. [1]" in short.answer
    assert "more than 2 of the 3 items" in short.answer
    assert short.lacking == 1
    long = asyncio.run(verify(Draft(text), PASSAGES, EMBEDDER, (), Asked(wanted=1)))
    assert long.answer == "1. Basalt is a volcanic rock. [1]"
    assert any("more items than" in claim.why for claim in long.dropped)


@pytest.mark.contract("W5")
def test_sources_that_disagree_are_shown_side_by_side_and_proven() -> None:
    texts = [f"The Eiffel Tower is {high} metres tall and stands in Paris." for high in (330, 324)]
    passages = tuple(Passage(n, t, f"{n}" * 16, 0, len(t)) for n, t in enumerate(texts, 1))
    checked = asyncio.run(verify(Draft(f"{texts[0]} [1]"), passages, EMBEDDER))
    assert checked.answer.endswith(f"## Sources disagree\n\n- “{texts[0]}” [1] — “{texts[1]}” [2]")
    assert [claim.sources for claim in checked.claims] == [(1,), (2,)]
    assert len(checked.disputes) == 1


SENTENCES = st.sampled_from(
    [
        "Basalt is a volcanic rock. [1]",
        "Basalt is formed when lava cools quickly [1].",
        "Basalt is 900 years old. [1]",
        "Marble is metamorphic.",
        "Diamonds are costly. [7]",
        "Granite, which is plutonic, is sold by the northern quarry to builders every week. [1]",
        "## Rocks",
        "- **Kind:** Granite is plutonic. [1]",
        "1. It forms when lava cools quickly. [1]",
        "> Marble is metamorphic.\n> [2]",
        "Not found in the sources: its price",
        "",
    ]
)


@pytest.mark.contract("W2", "W3", "W6")
@given(st.lists(SENTENCES, max_size=8), st.integers(0, 3))
@pace(max_examples=40, deadline=None)
def test_checking_what_was_checked_changes_nothing(lines: list[str], wanted: int) -> None:
    asked = Asked(wanted=wanted)
    first = asyncio.run(verify(Draft("\n\n".join(lines)), PASSAGES, EMBEDDER, (), asked))
    again = asyncio.run(verify(Draft(first.answer), PASSAGES, EMBEDDER, (), asked))
    assert again.answer == first.answer
    assert again.claims == first.claims
    assert not again.dropped


@pytest.mark.contract("W5")
def test_what_was_searched_for_is_told_with_the_figures_of_the_question_and_no_others() -> None:
    said = "_Searched for: TLS 1.3 resume session_"
    asked = Asked("How does TLS 1.3 resume a session?")

    def told(answer: str) -> Checked:
        return asyncio.run(verify(Draft(answer, found=False), (), EMBEDDER, asked=asked))

    assert (told(said).answer, told(said).dropped) == (said, ())
    assert told("_Searched for: the 4,711 sessions of 1987_").dropped
    assert told("## TLS 1.3 resumes 4,711 sessions").dropped
