"""Quoted: a claim's own words stand in a source, exactly or nearly, and nothing is exchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.prover import Prover
from leadline.check.quoted import is_quoted, opening_name
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage, Verdict

SENTENCE = (
    "In 1931 the Carrow Bridge, designed by Ida Lindqvist, was opened by the king and closed "
    "again on 5 March 1999 after 1,200 ships had hit it."
)


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        (SENTENCE, SENTENCE),
        ("The bridge was opened in 1931.", "In 1931 the bridge was opened."),
        ("The Carrow Bridge, designed by Ida Lindqvist, was opened by the king.", SENTENCE),
        ("The Carrow Bridge is opened by the king.", SENTENCE),
        ("Basalt forms when lava cools.", "Basalt formed when lava cooled, and it is dark."),
        ("The key was lost on March 5, 1999.", "The key was lost on 5 March 1999."),
        ("It has twelve doors and 1200 windows.", "It has 12 doors and 1,200 windows."),
        ("Ida Lindqvist died in Cusco.", "Ida Lindqvist was born in Lima and died in Cusco."),
        ("It is stored as UTC.", "It is stored as UTC, not as local time."),
        ("The bridge isn't safe.", "The bridge is not safe."),
    ],
)
def test_words_that_stand_in_the_sentence_nearly_are_quoted(claim: str, sentence: str) -> None:
    assert is_quoted(claim, [sentence])


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The Carrow Bridge was opened by the king in 1999.", SENTENCE),
        ("Ida Lindqvist was opened by the king.", SENTENCE),
        ("The Carrow Bridge was not opened by the king in 1931.", SENTENCE),
        ("Ida Lindqvist was born in Cusco.", "Ida Lindqvist was born in Lima and died in Cusco."),
        ("Basalt is a soft rock.", "Nobody believes that basalt is a soft rock."),
        ("Basalt is a soft rock.", "If it is wet, basalt is a soft rock."),
        ("The bridge is safe.", "The bridge is not safe."),
        ("The bridge is safe.", "The bridge is safe only when it is dry."),
        ("He was president of the US.", "He was president of the US Chess Federation."),
        ("Nordwind was acquired by Solaris.", "Solaris was acquired by Nordwind."),
        ("The Greens won 18 seats.", "The Greens won 12 seats and the Liberals won 18 seats."),
        ("Prices rose by 5 miles.", "Prices rose by 5 percent."),
        ("no", "no"),
    ],
)
def test_what_exchanges_denies_or_makes_certain_is_not_quoted(claim: str, sentence: str) -> None:
    assert is_quoted(claim, [sentence]) is None


@pytest.mark.contract("W3")
def test_a_pronoun_may_stand_for_the_name_its_page_is_about_and_for_no_other() -> None:
    sentence = ["She won the prize in 1903."]
    names = [("Marie Curie",)]
    assert is_quoted("Marie Curie won the prize in 1903.", sentence, names)
    assert is_quoted("Curie won the prize in 1903.", sentence, names)
    assert is_quoted("Irène Joliot won the prize in 1903.", sentence, names) is None
    assert is_quoted("She won the prize in 1903.", ["Marie Curie won the prize in 1903."])


@pytest.mark.contract("W3")
def test_the_match_points_at_the_words() -> None:
    sentences = ["It is old.", SENTENCE]
    found = is_quoted("The Carrow Bridge was opened by the king.", sentences)
    assert found is not None
    assert found.at == 1
    assert sentences[1][found.start : found.end].startswith("the Carrow Bridge")
    assert sentences[1][found.start : found.end].endswith("the king")


def test_a_sentence_opens_with_a_name_or_not() -> None:
    assert opening_name("Marie Curie won the prize.") == "Marie Curie"
    assert opening_name("The prize was won.") == ""


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3))
def test_any_texts_can_be_compared(claim: str, sentences: list[str]) -> None:
    found = is_quoted(claim, sentences, [(claim,)] * len(sentences))
    assert found is None or 0 <= found.start <= found.end <= len(sentences[found.at])


ONE = "Alekos Sakellarios (13 November 1913 in Athens – 28 August 1991) was a Greek director."
TWO = "The Lady is a 1954 comedy film directed by Alekos Sakellarios and starring Ilya Livykou."
THREE = "Athens is the capital of Greece, and its theatres are old."
PROVER = Prover(
    [Passage(n, text, f"{n}", 0, len(text)) for n, text in enumerate((ONE, TWO, THREE), 1)],
    StaticEmbedder(),
    {1: "Alekos Sakellarios", 2: "The Lady", 3: "Athens"},
)
JOINED = "Alekos Sakellarios, who directed the 1954 film The Lady, died on 28 August 1991."


@pytest.mark.contract("W11", "W3")
@pytest.mark.parametrize("ids", [(), (1,), (2,), (1, 2)])
def test_a_claim_with_too_few_ids_gets_those_that_serve_it(ids: tuple[int, ...]) -> None:
    found = PROVER.prove(JOINED, ids)
    assert found.claim.verdict is Verdict.SOURCED
    assert sorted(found.claim.sources) == [1, 2]


@pytest.mark.contract("W3")
def test_code_alone_says_quoted_sourced_contradicted_or_not_found() -> None:
    assert PROVER.prove("The Lady is a 1954 comedy film.", (2,)).claim.verdict == "quoted"
    assert PROVER.prove("The film The Lady was made in 1954.", (2,)).claim.verdict == "sourced"
    assert PROVER.prove("The Lady is not a 1954 comedy film.", (2,)).claim.verdict == "contradicted"
    assert PROVER.prove("The Lady is a 1957 comedy film.", (2,)).claim.verdict == "not_found"
