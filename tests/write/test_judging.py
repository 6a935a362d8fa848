"""A model judges claims, several a call: its verdict counts, its inventions do not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from leadline.errors import ReasonerFailed
from leadline.fakes.model import ScriptedModel
from leadline.types import Ask, Passage, Verdict
from leadline.write.ask_model import Ways
from leadline.write.judging import ModelJudge

TODAY = datetime(2026, 3, 1, tzinfo=UTC)
EVIDENCE = ("Basalt is a volcanic rock.", "It forms when lava cools quickly.")


CLAIM = "Basalt comes from volcanoes."


def verdict(word: str, quote: str = "", claim: int | str = 1) -> dict[str, object]:
    return {"claim": claim, "verdict": word, "quote": quote}


def judged(
    *verdicts: object, claims: Sequence[str] = (CLAIM,)
) -> tuple[list[Verdict | None], ScriptedModel]:
    """What is made of a reply; its call is counted once."""
    model = ScriptedModel([json.dumps({"verdicts": verdicts})])
    judge = ModelJudge(model, Ways(TODAY))
    opinions = asyncio.run(judge.judge("What is basalt?", dict.fromkeys(claims, EVIDENCE)))
    assert [one.claim for one in opinions] == list(claims)
    assert {one.judge for one in opinions} == {model.name}
    assert sum(len(one.made.calls) for one in opinions) == 1
    return [one.verdict for one in opinions], model


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("word", "found"),
    [("yes", "judged"), ("no", "not_found"), ("contradicted", "contradicted")],
)
def test_the_verdict_of_the_model_is_read(word: str, found: str) -> None:
    assert judged(verdict(word, "Basalt is a volcanic rock."))[0] == [Verdict(found)]


@pytest.mark.contract("W3")
def test_support_by_a_quote_that_the_evidence_lacks_is_no_opinion() -> None:
    assert judged(verdict("yes", "Basalt is the best rock."))[0] == [None]


@pytest.mark.contract("W3", "P7")
def test_the_model_sees_the_question_the_claim_its_evidence_and_the_date() -> None:
    _, model = judged(verdict("no"))
    (ask,) = model.asks
    assert "What is basalt?" in ask.prompt
    assert CLAIM in ask.prompt
    assert "lava cools quickly" in ask.prompt
    assert "2026-03-01" in ask.system


@pytest.mark.contract("W3")
def test_six_claims_take_one_call_and_each_has_the_verdict_of_its_number() -> None:
    claims = [f"Claim of rock {letter}." for letter in "abcdef"]
    words = ("yes", "no", "contradicted", "yes", "no", "yes")
    given = [verdict(word, claim=number) for number, word in enumerate(words, 1)]
    found, model = judged(*reversed(given), claims=claims)
    assert len(model.asks) == 1
    assert all(claim in model.asks[0].prompt for claim in claims)
    assert [one and one.value for one in found] == [
        "judged", "not_found", "contradicted", "judged", "not_found", "judged",
    ]  # fmt: skip


@pytest.mark.contract("W3", "L3")
@pytest.mark.parametrize(
    "malformed",
    [
        (),
        (verdict("perhaps", claim=2),),
        (verdict("yes", claim="the second"),),
        (verdict("yes", claim=7),),
        (verdict("yes", claim=2), verdict("no", claim=2)),
        ({"verdict": "yes"}, "yes", None),
    ],
)
def test_a_missing_or_malformed_verdict_is_no_opinion_of_that_claim(malformed: object) -> None:
    assert isinstance(malformed, tuple)
    found, _ = judged(verdict("yes"), *malformed, claims=(CLAIM, "Basalt is old."))
    assert found == [Verdict.JUDGED, None]


@pytest.mark.contract("L3")
def test_a_model_that_answers_nothing_usable_fails_by_name() -> None:
    model = ScriptedModel(["what?", "what?", "what?"])
    with pytest.raises(ReasonerFailed):
        asyncio.run(ModelJudge(model, Ways(TODAY)).judge("A question?", {"A claim.": EVIDENCE}))


@pytest.mark.contract("W4")
@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Basalt is a volcanic rock. [1]", "Basalt is a volcanic rock."),
        ("“Basalt is a volcanic rock.”", "Basalt is a volcanic rock."),
        ("NONE", ""),
        ("None.", ""),
    ],
)
def test_a_rewritten_claim_is_the_sentence_alone(said: str, text: str) -> None:
    judge = ModelJudge(ScriptedModel([said]), Ways(TODAY))
    opinion = asyncio.run(judge.rewrite("Basalt is soft.", EVIDENCE, "it says 'soft'"))
    assert opinion.text == text
    assert opinion.verdict is None


@pytest.mark.contract("W6")
def test_missing_items_are_asked_for_with_the_ids_that_may_be_cited() -> None:
    def say(ask: Ask) -> str:
        assert "up to 2 more" in ask.system
        assert "1, 3" in ask.system
        return "Granite is plutonic. [3]"

    passages = [Passage(1, EVIDENCE[0]), Passage(3, "Granite is plutonic.")]
    judge = ModelJudge(ScriptedModel(say), Ways(TODAY))
    opinion = asyncio.run(judge.more("Name 3 rocks", ["1. Basalt [1]"], passages, 2))
    assert opinion.text == "Granite is plutonic. [3]"
