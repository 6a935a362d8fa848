"""Models that score and mend: shown numbered sentences, never taken at their word."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import ReasonerFailed
from leadline.fakes.model import ScriptedModel
from leadline.types import Grade, Issue, Passage, Patch, Patches, Sentence
from leadline.write.ask_model import Ways
from leadline.write.evaluating import ModelEvaluator, ModelReviser

WAYS = Ways(datetime(2026, 5, 1, tzinfo=UTC), salt="7")
TASK = "How deep is the harbour?"
SENTENCES = (
    Sentence(1, "Depth", (), "heading"),
    Sentence(2, "The harbour is 12 fathoms deep.", (1,)),
    Sentence(3, "Not found in the sources: the tide", (), "note"),
)
PASSAGES = (
    Passage(1, "The harbour is 12 fathoms deep at low tide."),
    Passage(4, "The tide rises by two fathoms twice a day."),
)
SCORES = {"depth": 6, "relevance": 9, "completeness": 5, "specificity": 8, "structure": 9}


def evaluated(*said: str, window: int = 8192) -> tuple[Grade, ScriptedModel]:
    model = ScriptedModel(said, name="wise", window=window)
    return asyncio.run(ModelEvaluator(model, WAYS).evaluate(TASK, SENTENCES)), model


def revised(*said: str, issues: tuple[Issue, ...]) -> tuple[Patches, ScriptedModel]:
    model = ScriptedModel(said)
    reviser = ModelReviser(model, WAYS)
    return asyncio.run(reviser.revise(TASK, SENTENCES, issues, PASSAGES)), model


@pytest.mark.contract("Q1", "P7")
def test_the_evaluator_sees_numbered_sentences_and_the_date_and_gives_five_scores() -> None:
    said = {**SCORES, "problems": [{"sentence": 2, "problem": "say at which tide"}]}
    grade, model = evaluated(json.dumps(said))
    (ask,) = model.asks
    assert "2: The harbour is 12 fathoms deep. [1]" in ask.prompt
    assert "1: # Depth" in ask.prompt
    assert TASK in ask.prompt
    assert "2026-05-01" in ask.system
    assert (grade.depth, grade.relevance, grade.completeness) == (6, 9, 5)
    assert grade.issues == (Issue("opinion", "say at which tide", 2, SENTENCES[1].text),)
    assert grade.judge == "wise"
    assert [call.role for call in grade.made.calls] == ["evaluator"]


@pytest.mark.contract("Q2")
def test_a_problem_with_a_sentence_that_is_not_there_is_left_out() -> None:
    problems = [{"sentence": n, "problem": f"p{n}"} for n in (9, 0, 3, 2, 2, 1)]
    grade, _ = evaluated(json.dumps({**SCORES, "problems": problems}))
    assert [(one.sentence, one.what) for one in grade.issues] == [
        (0, "p0"),
        (3, "p3"),
        (2, "p2"),
        (1, "p1"),
    ]


@pytest.mark.contract("L3")
def test_a_grade_in_a_fence_is_read_and_prose_is_asked_again_then_an_error() -> None:
    grade, model = evaluated("I like it.", f"```json\n{json.dumps(SCORES)}\n```")
    assert grade.depth == 6
    assert len(grade.made.calls) == len(model.asks) == 2
    with pytest.raises(ReasonerFailed):
        evaluated("No.", "No.", "No.")


@pytest.mark.contract("Q2", "W1")
def test_the_reviser_sees_problems_and_passages_and_may_cite_only_those() -> None:
    issue = Issue("opinion", "say at which tide", 2, SENTENCES[1].text)
    text = "The harbour is 12 fathoms deep at low tide. [1]"
    found, model = revised(
        json.dumps({"patches": [{"sentence": 2, "text": text}]}), issues=(issue,)
    )
    assert found.patches == (Patch(2, text),)
    assert [call.role for call in found.made.calls] == ["producer"]
    (ask,) = model.asks
    assert "Sentence 2: say at which tide" in ask.prompt
    assert "1, 4" in ask.system
    assert "at low tide" in ask.prompt


@pytest.mark.contract("Q2")
def test_patches_of_sentences_that_no_item_names_are_left_out_and_addresses_too() -> None:
    issues = (Issue("opinion", "wrong", 2), Issue("missing", "the tide", 0, "the tide"))
    said = [
        {"sentence": 1, "text": "Rewritten heading"},
        {"sentence": 2, "text": "See [here](https://evil.example/x) for 12 fathoms. [1]"},
        {"sentence": 2, "text": "Twice. [1]"},
        {"sentence": 0, "text": "The tide rises by two fathoms. [4]"},
        {"sentence": 0, "text": "One more. [4]"},
        {"sentence": 0, "text": ""},
    ]
    found, _ = revised(json.dumps({"patches": said}), issues=issues)
    assert [one.sentence for one in found.patches] == [2, 0]
    assert "evil" not in found.patches[0].text
    assert found.patches[1].text == "The tide rises by two fathoms. [4]"


@pytest.mark.contract("L5")
@given(st.integers(0, 400), st.integers(2000, 9000))
def test_no_question_is_over_the_window_however_long_the_report(count: int, window: int) -> None:
    said = tuple(
        Sentence(n, f"In {1600 + n} the harbour was {n} fathoms deep at pier {n}.", (1,))
        for n in range(1, count + 1)
    )
    model = ScriptedModel([json.dumps(SCORES)], window=window)
    grade = asyncio.run(ModelEvaluator(model, WAYS).evaluate(TASK, said))
    assert grade.structure == 9
