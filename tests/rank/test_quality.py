"""Scores without a model: parts answered, nothing twice, nothing hollow, groundedness measured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.quality import (
    WEIGHTS,
    Shown,
    groundedness,
    less_verified,
    quality,
    repeats,
    substance,
    total,
)
from leadline.types import Claim, Grade, Issue, Quality, Quote, Scores, Sentence, Verdict
from leadline.values import replace

TASK = "How deep is the harbour of Selm and who keeps its lighthouse?"
DEEP = "The harbour of Selm is 12 fathoms deep at low tide."
KEEPER = "The lighthouse of Selm is kept by Ada Moor because the council chose her."


def claim(text: str, score: float = 1.0, verdict: Verdict = Verdict.QUOTED) -> Claim:
    return Claim(text, (1,), verdict, score, Quote(1, text, "p", 0, len(text)))


def shown(*texts: str, notes: tuple[str, ...] = (), **changes: object) -> Shown:
    said = [Sentence(n, text, (1,), "claim") for n, text in enumerate(texts, 1)]
    said += [Sentence(n, text, (), "note") for n, text in enumerate(notes, len(texts) + 1)]
    whole = Shown(TASK, tuple(said), tuple(claim(text) for text in texts), {1: "Selm"})
    return replace(whole, **changes)


def kinds(found: Quality) -> list[str]:
    return [issue.kind for issue in found.issues]


@pytest.mark.contract("Q1")
def test_the_six_weights_are_those_of_the_contract_and_sum_to_one() -> None:
    assert WEIGHTS == {
        "depth": 0.25,
        "relevance": 0.20,
        "completeness": 0.20,
        "groundedness": 0.15,
        "specificity": 0.10,
        "structure": 0.10,
    }
    assert total(Scores(10, 10, 10, 10, 10, 10)) == 10
    assert total(Scores(4, 0, 0, 0, 0, 0)) == 1.0


@pytest.mark.contract("Q1")
def test_an_answer_to_both_parts_is_complete_and_an_open_part_is_named() -> None:
    whole = quality(shown(DEEP, KEEPER))
    assert whole.scores.completeness == 10
    assert "missing" not in kinds(whole)
    half = quality(shown(DEEP))
    (open_part,) = [one for one in half.issues if one.kind == "missing"]
    assert "lighthouse" in open_part.text
    assert open_part.sentence == 0
    assert half.scores.completeness == 5
    assert half.total < whole.total


@pytest.mark.contract("Q1", "W5")
def test_a_part_that_is_said_not_to_be_found_counts_half_and_its_note_is_named() -> None:
    note = "Not found in the sources: Who keeps its lighthouse (deep harbour Selm)"
    told = quality(shown(DEEP, notes=(note,)))
    (issue,) = [one for one in told.issues if one.kind == "missing"]
    assert issue.sentence == 2
    assert told.scores.completeness == 7.5


@pytest.mark.contract("W6", "Q1")
def test_too_few_items_fail_the_count_check() -> None:
    found = quality(shown(DEEP, KEEPER, wanted=4, lacking=2))
    (issue,) = [one for one in found.issues if one.kind == "count"]
    assert "4 items were asked for and 2 are given" in issue.what
    assert found.scores.completeness == 5


@pytest.mark.contract("W6", "Q3")
def test_what_says_the_same_again_is_named_and_another_figure_is_not() -> None:
    again = "At low tide the harbour of Selm is 12 fathoms deep."
    found = quality(shown(DEEP, KEEPER, again))
    (issue,) = [one for one in found.issues if one.kind == "repeated"]
    assert issue.sentence == 3
    assert "sentence 1" in issue.what
    assert not repeats([DEEP, DEEP.replace("12", "14")])
    assert not repeats([DEEP, DEEP.replace("is 12", "is not 12")])


@pytest.mark.contract("Q3")
@pytest.mark.parametrize(
    "text",
    [
        "TODO: say how deep it is.",
        "The depth of the harbour is [insert figure].",
        "More details to be added.",
        "As an AI I cannot say.",
        "Lorem ipsum dolor sit amet.",
        "…",
    ],
)
def test_stubs_and_placeholders_are_caught(text: str) -> None:
    stub = Sentence(2, text, (), "note")
    whole = shown(DEEP)
    found = quality(replace(whole, sentences=(*whole.sentences, stub)))
    assert [one.sentence for one in found.issues if one.kind == "stub"] == [2]


@pytest.mark.contract("Q3")
def test_a_placeholder_that_a_source_speaks_of_is_no_stub() -> None:
    text = "The harbour office of Selm marks open items with TODO in its log."
    assert "stub" not in kinds(quality(shown(text)))


@pytest.mark.contract("Q1")
def test_groundedness_is_measured_and_never_an_opinion() -> None:
    sure, half = claim(DEEP), claim(KEEPER, 0.6, Verdict.SOURCED)
    assert groundedness((sure, half)) == pytest.approx(10 * (1 + 0.3) / 2)
    assert groundedness(()) == 0
    grade = Grade(10, 10, 10, 10, 10, judge="ollama:wise")
    found = quality(replace(shown(DEEP, KEEPER), claims=(sure, half)), grade)
    assert found.scores.groundedness == 6.5
    assert found.scores.depth == 10
    assert found.judge == "ollama:wise"
    assert found.total == pytest.approx(0.85 * 10 + 0.15 * 6.5, abs=0.01)


@pytest.mark.contract("Q1")
def test_an_evaluators_items_stand_beside_what_is_computed() -> None:
    said = Issue("opinion", "say at which tide", 1, DEEP)
    found = quality(shown(DEEP), Grade(5, 5, 5, 5, 5, (said,)))
    assert kinds(found) == ["opinion", "missing"]


@pytest.mark.contract("Q3")
def test_fewer_or_poorer_claims_are_less_and_fewer_repetitions_are_not() -> None:
    full = (claim(DEEP), claim(KEEPER))
    assert less_verified(full[:1], full)
    assert less_verified((claim("Selm is deep."), claim(KEEPER)), full)
    assert less_verified((claim(DEEP), claim(KEEPER, 0.4, Verdict.SOURCED)), full)
    assert not less_verified(full, (*full, claim(DEEP)))
    assert substance((*full, claim(DEEP))) == substance(full)


@pytest.mark.contract("Q1")
@given(st.lists(st.text(max_size=60), max_size=6), st.integers(0, 5), st.integers(0, 5))
def test_scores_stay_between_nought_and_ten(texts: list[str], wanted: int, lacking: int) -> None:
    found = quality(shown(*texts, wanted=wanted, lacking=min(lacking, wanted)))
    assert all(0 <= getattr(found.scores, name) <= 10 for name in WEIGHTS)
    assert 0 <= found.total <= 10
    known = {0, *range(1, len(texts) + 1)}
    assert all(issue.sentence in known for issue in found.issues)
