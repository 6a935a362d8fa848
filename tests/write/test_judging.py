"""A model judges single claims: its verdict counts, its inventions do not."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest

from leadline.errors import ReasonerFailed
from leadline.fakes.model import ScriptedModel
from leadline.types import Ask, Opinion, Passage, Verdict
from leadline.write.ask_model import Ways
from leadline.write.judging import ModelJudge

TODAY = datetime(2026, 3, 1, tzinfo=UTC)
EVIDENCE = ("Basalt is a volcanic rock.", "It forms when lava cools quickly.")


def judged(said: str, claim: str = "Basalt comes from volcanoes.") -> tuple[Opinion, ScriptedModel]:
    model = ScriptedModel([said])
    return asyncio.run(ModelJudge(model, Ways(TODAY)).judge(claim, EVIDENCE)), model


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    ("word", "verdict"),
    [("yes", "judged"), ("no", "not_found"), ("contradicted", "contradicted")],
)
def test_the_verdict_of_the_model_is_read(word: str, verdict: str) -> None:
    opinion, model = judged(json.dumps({"verdict": word, "quote": "Basalt is a volcanic rock."}))
    assert opinion.verdict is Verdict(verdict)
    assert opinion.judge == model.name
    assert len(opinion.made.calls) == 1


@pytest.mark.contract("W3")
def test_support_by_a_quote_that_the_evidence_lacks_is_no_opinion() -> None:
    opinion, _ = judged('{"verdict": "yes", "quote": "Basalt is the best rock."}')
    assert opinion.verdict is None


@pytest.mark.contract("W3", "P7")
def test_the_model_sees_the_claim_its_evidence_and_the_date() -> None:
    _, model = judged('{"verdict": "no", "quote": ""}')
    (ask,) = model.asks
    assert "Basalt comes from volcanoes." in ask.prompt
    assert "lava cools quickly" in ask.prompt
    assert "2026-03-01" in ask.system


@pytest.mark.contract("L3")
def test_a_model_that_answers_nothing_usable_fails_by_name() -> None:
    model = ScriptedModel(["what?", "what?", "what?"])
    with pytest.raises(ReasonerFailed):
        asyncio.run(ModelJudge(model, Ways(TODAY)).judge("A claim.", EVIDENCE))


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
