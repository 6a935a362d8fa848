"""With a model to ask: only about claims in doubt, each question a step, its words checked too."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from leadline.check.prover import Prover
from leadline.check.settle import settle
from leadline.errors import ReasonerFailed
from leadline.fakes.run import MemoryRun
from leadline.reader.static import StaticEmbedder
from leadline.types import (
    Checked,
    Draft,
    Limits,
    Opinion,
    Passage,
    Plan,
    Source,
    State,
    Verdict,
)

EMBEDDER = StaticEmbedder()
PAGE = (
    "Basalt is a volcanic rock. It forms when lava cools quickly. Granite cools slowly deep "
    "underground. The quarry of Selm sold 400 tonnes of basalt in 1921."
)
PASSAGES = (Passage(1, PAGE, "a" * 16, 0, len(PAGE)),)
WRONG = "The quarry of Selm sold 900 tonnes of basalt in 1921."
DOUBTFUL = "Volcanic lava turned to rock is what the Selm quarry mined for builders."


@dataclass
class FakeJudge:
    """Answers what it is told to; `asked` keeps what about."""

    verdict: Verdict | None = Verdict.JUDGED
    text: str = ""
    items: str = ""
    fails: bool = False
    name: str = "judge"
    examined: bool = True
    asked: list[str] = field(default_factory=list)
    shown: list[tuple[str, Mapping[str, Sequence[str]]]] = field(default_factory=list)

    async def judge(self, task: str, claims: Mapping[str, Sequence[str]]) -> tuple[Opinion, ...]:
        self.shown.append((task, claims))
        self._say("judge", Opinion(""))
        return tuple(Opinion(claim, self.verdict, judge=self.name) for claim in claims)

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        return self._say("rewrite", Opinion(claim, text=self.text, judge=self.name))

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        return self._say("more", Opinion("", text=self.items, judge=self.name))

    def _say(self, what: str, opinion: Opinion) -> Opinion:
        self.asked.append(what)
        if self.fails:
            raise ReasonerFailed("the model is down")
        return opinion


def state(wanted: int = 0) -> State:
    return State(
        task="What is basalt?",
        plan=Plan((), wanted_items=wanted),
        limits=Limits(),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        sources=(Source(1, "rocks.md", "Rocks"),),
    )


def settled(
    answer: str, judge: FakeJudge | None, wanted: int = 0, limits: Limits | None = None
) -> tuple[Checked, list[str]]:
    run = MemoryRun()
    run.limit(limits or Limits())
    draft = Draft(answer)
    found = asyncio.run(settle(draft, state(wanted), PASSAGES, EMBEDDER, judge, run))
    return found, [row.name for row in run.rows()]


def test_the_doubtful_sentence_is_in_doubt() -> None:
    assert Prover(PASSAGES, EMBEDDER).prove(DOUBTFUL, (1,)).claim.verdict is Verdict.SOURCED


@pytest.mark.contract("W3")
def test_without_a_judge_it_is_one_step() -> None:
    _, steps = settled(f"{DOUBTFUL} [1]", None)
    assert steps == ["verify"]


@pytest.mark.contract("W3")
def test_no_call_is_made_for_claims_that_are_not_in_doubt() -> None:
    judge = FakeJudge()
    settled("Basalt is a volcanic rock. [1]", judge)
    assert judge.asked == []


@pytest.mark.contract("W3")
def test_an_examined_model_decides_what_is_only_sourced() -> None:
    kept, steps = settled(f"{DOUBTFUL} [1]", FakeJudge(Verdict.JUDGED))
    assert [(one.verdict, one.judge) for one in kept.claims] == [(Verdict.JUDGED, "judge")]
    assert "[1] (judged)" in kept.answer
    assert steps == ["verify", "judge", "settle"]
    denied, _ = settled(f"{DOUBTFUL} [1]", FakeJudge(Verdict.CONTRADICTED))
    assert Verdict.CONTRADICTED in {one.verdict for one in denied.dropped}


DOUBTS = (
    "What the Selm quarry mined is volcanic lava turned to rock.",
    "Lava turned to volcanic rock is what builders had from the Selm quarry.",
    "Rock of volcanic lava is what the Selm quarry sold to builders.",
    "The Selm quarry mined volcanic rock for builders.",
    "The quarry of Selm mined lava turned to rock.",
    "Basalt of the Selm quarry was for builders.",
    "Lava of the Selm quarry cooled to volcanic rock.",
)


@pytest.mark.contract("W3")
def test_a_judge_is_shown_the_question_and_six_claims_a_call_the_first_sentence_first() -> None:
    judge = FakeJudge(Verdict.JUDGED)
    kept, steps = settled(" ".join(f"{doubt} [1]" for doubt in DOUBTS), judge)
    assert steps == ["verify", "judge", "judge", "settle"]
    assert [task for task, _ in judge.shown] == ["What is basalt?"] * 2
    assert [len(claims) for _, claims in judge.shown] == [6, 1]
    assert next(iter(judge.shown[0][1])) == DOUBTS[0]
    assert {one.verdict for one in kept.claims} == {Verdict.JUDGED}


@pytest.mark.contract("W3")
def test_the_sentence_that_answers_is_judged_when_there_is_no_time_for_the_others() -> None:
    judge = FakeJudge(Verdict.JUDGED)
    spent = Limits(max_execution_time_s=60, report_s=60, report_share=1)
    kept, _ = settled(" ".join(f"{doubt} [1]" for doubt in DOUBTS), judge, limits=spent)
    assert [len(claims) for _, claims in judge.shown] == [6]
    assert [one.verdict for one in kept.claims] == [Verdict.JUDGED] * 6 + [Verdict.SOURCED]


@pytest.mark.contract("W3", "L6")
def test_the_word_of_a_model_that_did_not_pass_its_examination_is_not_asked_for() -> None:
    judge = FakeJudge(Verdict.JUDGED, examined=False)
    kept, _ = settled(f"{DOUBTFUL} [1]", judge)
    assert [(one.verdict, one.judge) for one in kept.claims] == [(Verdict.SOURCED, "")]
    assert "[1] (sourced)" in kept.answer
    assert judge.asked == []


@pytest.mark.contract("W4")
def test_what_fails_is_rewritten_once_and_checked_again() -> None:
    mended = "In 1921 the quarry of Selm sold 400 tonnes of basalt."
    found, steps = settled(f"{WRONG} [1]", FakeJudge(text=mended))
    assert mended in found.answer
    assert [one.text for one in found.dropped] == [WRONG]
    assert steps.count("rewrite") == 1


@pytest.mark.contract("W4")
def test_a_rewritten_sentence_that_is_wrong_again_does_not_ship() -> None:
    found, _ = settled(
        f"{WRONG} [1]", FakeJudge(text="The quarry of Selm sold 950 tonnes in 1921.")
    )
    assert "950" not in found.answer
    assert "900" not in found.answer


@pytest.mark.contract("L3", "W3")
def test_a_model_that_fails_leaves_the_computed_verdict_and_is_told() -> None:
    found, _ = settled(f"{WRONG} [1]", FakeJudge(fails=True))
    assert "900" not in found.answer
    assert "sold 400 tonnes" in found.answer
    assert any("the model is down" in note for note in found.made.notes)


@pytest.mark.contract("W6")
def test_missing_items_are_asked_for_once_and_verified() -> None:
    items = "Granite cools slowly deep underground. [1]\nMarble is blue. [1]"
    found, steps = settled("1. Basalt is a volcanic rock. [1]", FakeJudge(items=items), wanted=3)
    assert "2. Granite cools slowly deep underground. [1]" in found.answer
    assert "Marble is blue" not in found.answer
    assert "more than 2 of the 3" in found.answer
    assert steps.count("more") == 1
