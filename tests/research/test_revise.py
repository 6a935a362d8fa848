"""Revision: only named sentences change, every patch is proven, the best version ships."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.check.settle import settle
from leadline.errors import BudgetSpent, LeadlineError, ReasonerFailed
from leadline.fakes.run import MemoryRun
from leadline.reader.static import StaticEmbedder
from leadline.research.revise import Editing, apply_patches, improve, numbered_sentences
from leadline.types import (
    Checked,
    Draft,
    Grade,
    Issue,
    Limits,
    Passage,
    Patch,
    Patches,
    Plan,
    Revision,
    Sentence,
    Source,
    State,
    Stop,
    Verdict,
)
from leadline.values import replace

EMBEDDER = StaticEmbedder()
PAGE = (
    "Basalt is a volcanic rock. It forms when lava cools quickly at the surface. Granite cools "
    "slowly deep underground. The quarry of Selm sold 400 tonnes of basalt in 1921. The quarry of "
    "Selm was closed in 1954 because the road had become too dear."
)
PASSAGES = (Passage(1, PAGE, "a" * 16, 0, len(PAGE)),)
ANSWER = "Basalt is a volcanic rock. [1] Granite cools slowly deep underground. [1]"
SOLD = "The quarry of Selm sold 400 tonnes of basalt in 1921. [1]"
FORMS = "It forms when lava cools quickly at the surface. [1]"


@dataclass
class Critic:
    """Gives its grades in turn, the last one for ever; an error in place of one is raised."""

    grades: list[Grade | LeadlineError]
    name: str = "critic"
    seen: list[tuple[Sentence, ...]] = field(default_factory=list)

    async def evaluate(self, task: str, sentences: Sequence[Sentence]) -> Grade:
        self.seen.append(tuple(sentences))
        now = self.grades.pop(0) if len(self.grades) > 1 else self.grades[0]
        if isinstance(now, LeadlineError):
            raise now
        return replace(now, judge=self.name)


@dataclass
class Mender:
    """Answers with its patches in turn."""

    answers: list[tuple[Patch, ...]]
    asked: list[tuple[Issue, ...]] = field(default_factory=list)

    async def revise(
        self,
        task: str,
        sentences: Sequence[Sentence],
        issues: Sequence[Issue],
        passages: Sequence[Passage],
    ) -> Patches:
        self.asked.append(tuple(issues))
        return Patches(self.answers.pop(0) if self.answers else ())


def grade(score: float, *issues: tuple[int, str]) -> Grade:
    told = tuple(Issue("opinion", what, number) for number, what in issues)
    return Grade(score, score, score, score, score, told)


def state(seconds: float = 120.0, task: str = "What is basalt?", wanted: int = 0) -> State:
    return State(
        task=task,
        plan=Plan((), wanted_items=wanted),
        limits=Limits(max_execution_time_s=seconds),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        sources=(Source(1, "rocks.md", "Rocks"),),
    )


def revised(
    answer: str, editing: Editing | None, of: State | None = None, run: MemoryRun | None = None
) -> tuple[Checked, Revision, list[str]]:
    run = run or MemoryRun()
    of = of or state()

    async def whole() -> Checked:
        checked = await settle(Draft(answer), of, PASSAGES, EMBEDDER, None, run)
        return await improve(checked, of, PASSAGES, EMBEDDER, editing, run)

    found = asyncio.run(whole())
    assert found.revision is not None
    return found, found.revision, [row.name for row in run.rows()]


@pytest.mark.contract("Q2", "Q4")
def test_a_failed_item_is_patched_and_everything_else_stays() -> None:
    critic = Critic([grade(5, (2, "say how basalt forms instead")), grade(9.5)])
    mender = Mender([(Patch(2, FORMS), Patch(1, "Basalt is everything. [1]"))])
    found, revision, steps = revised(ANSWER, Editing(3, critic, mender))
    assert found.answer == f"Basalt is a volcanic rock. [1] {FORMS}"
    assert revision.first.quality.total < revision.rounds[0].quality.total
    assert revision.rounds[0].outcome == "better"
    assert revision.best == 1
    assert revision.ended == "it passes"
    assert steps == ["verify", "evaluate", "revise", "recheck", "evaluate"]
    assert [claim.verdict for claim in found.claims] == [Verdict.QUOTED] * 2


@pytest.mark.contract("Q2", "W3")
def test_a_patch_that_no_source_bears_out_leaves_the_sentence_as_it_was() -> None:
    critic = Critic([grade(5, (2, "give a figure"))])
    wrong = "The quarry of Selm sold 900 tonnes of basalt in 1921. [1]"
    found, revision, _ = revised(ANSWER, Editing(3, critic, Mender([(Patch(2, wrong),)])))
    assert found.answer == ANSWER
    assert revision.rounds == ()
    assert revision.ended == "no patch is borne out by a source"


@pytest.mark.contract("Q2", "W2")
def test_a_patch_that_cites_an_unknown_source_never_ships() -> None:
    critic = Critic([grade(5, (2, "cite more"))])
    stray = FORMS.replace("[1]", "[1][7]")
    found, revision, _ = revised(ANSWER, Editing(3, critic, Mender([(Patch(2, stray),)])))
    assert found.answer == ANSWER
    assert "[7]" not in found.answer
    assert revision.best == 0


@pytest.mark.contract("Q3")
def test_the_best_round_ships_even_when_a_later_one_is_worse() -> None:
    critic = Critic(
        [grade(4, (2, "one")), grade(8, (2, "two")), grade(6, (2, "three")), grade(5, (2, "four"))]
    )
    closed = "The quarry of Selm was closed in 1954 because the road had become too dear. [1]"
    mender = Mender([(Patch(2, SOLD),), (Patch(2, closed),), (Patch(2, FORMS),)])
    found, revision, _ = revised(ANSWER, Editing(3, critic, mender))
    assert SOLD in found.answer
    assert [one.outcome for one in revision.rounds][:2] == ["better", "no better"]
    assert revision.best == 1


@pytest.mark.contract("Q3")
def test_a_version_with_less_verified_content_is_turned_down_whatever_its_score() -> None:
    critic = Critic([grade(5, (2, "off the point")), grade(10)])
    found, revision, _ = revised(ANSWER, Editing(3, critic, Mender([(Patch(2, ""),)])))
    assert found.answer == ANSWER
    assert revision.rounds[0].outcome == "less verified"
    assert revision.best == 0


@pytest.mark.contract("Q2", "W5")
def test_a_note_on_what_was_not_found_is_answered_or_stays() -> None:
    note = "Not found in the sources: What did the quarry sell"
    critic = Critic([grade(5, (3, "this is not needed")), grade(9.5)])
    found, _, _ = revised(f"{ANSWER}\n\n{note}", Editing(3, critic, Mender([(Patch(3),)])))
    assert note in found.answer
    critic = Critic([grade(5, (3, "this is in the source")), grade(9.5)])
    found, _, _ = revised(f"{ANSWER}\n\n{note}", Editing(3, critic, Mender([(Patch(3, SOLD),)])))
    assert found.answer == f"{ANSWER}\n\n{SOLD}"


@pytest.mark.contract("Q3")
def test_the_same_issues_again_end_the_loop() -> None:
    critic = Critic([grade(5, (2, "say more"))])
    mender = Mender([(Patch(2, SOLD),), (Patch(2, FORMS),), (Patch(2, ANSWER),)])
    same = Issue("opinion", "say more", 2)
    critic.grades = [Grade(5, 5, 5, 5, 5, (same,))]
    _, revision, steps = revised(ANSWER, Editing(3, critic, mender))
    assert revision.ended == "the same issues again"
    assert steps.count("revise") == 1


@pytest.mark.contract("Q3")
def test_text_that_no_longer_changes_ends_the_loop() -> None:
    critic = Critic([grade(5, (2, "one")), grade(6, (2, "two"))])
    back = "Granite cools slowly deep underground. [1]"
    mender = Mender([(Patch(2, SOLD),), (Patch(2, back),)])
    _, revision, _ = revised(ANSWER, Editing(3, critic, mender))
    assert revision.ended == "the text no longer changes"


@pytest.mark.contract("Q1", "Q2", "Q4")
def test_without_a_model_the_report_is_scored_and_left_as_it_is() -> None:
    found, revision, steps = revised(ANSWER, None)
    assert found.answer == ANSWER
    assert revision.ended == "no model was to revise it"
    assert revision.first.quality.judge == ""
    assert revision.first.quality.scores.groundedness == 10
    assert revision.first.quality.total > 0
    assert steps == ["verify"]


@pytest.mark.contract("L3", "Q2")
@pytest.mark.parametrize(
    "error", [ReasonerFailed("it is down"), BudgetSpent(Stop.MAX_COST, "no money is left")]
)
def test_an_evaluator_that_fails_costs_its_help_and_nothing_else(error: LeadlineError) -> None:
    found, revision, _ = revised(ANSWER, Editing(3, Critic([error]), Mender([])))
    assert found.answer == ANSWER
    assert str(error) in revision.ended
    later = Critic([grade(5, (2, "x")), error])
    found, revision, _ = revised(ANSWER, Editing(3, later, Mender([(Patch(2, SOLD),)])))
    assert found.answer == ANSWER
    assert str(error) in revision.ended


@pytest.mark.contract("R7")
def test_no_model_is_asked_when_the_time_is_nearly_over() -> None:
    critic = Critic([grade(5, (2, "x"))])
    found, revision, steps = revised(ANSWER, Editing(3, critic, Mender([])), state(seconds=2.0))
    assert steps == ["verify"]
    assert found.answer == ANSWER
    assert "s were left" in revision.ended


@pytest.mark.contract("R9", "Q4")
def test_a_resumed_revision_asks_nothing_again() -> None:
    run = MemoryRun()
    critic = Critic([grade(5, (2, "x")), grade(9.5)])
    first, _, _ = revised(ANSWER, Editing(3, critic, Mender([(Patch(2, SOLD),)])), run=run)
    again = MemoryRun(ledger=run.ledger.child(""))
    again.ledger.records = run.ledger.records
    mute = Editing(3, Critic([ReasonerFailed("asked again")]), Mender([]))
    second, _, _ = revised(ANSWER, mute, run=again)
    assert second == first


REPORT = """The harbour is 12 fathoms deep. [1] It freezes in winter. [2]

## Keepers

- **Ada:** Ada Moor keeps the light. [1]
- Tom Reed sweeps the stairs. [3]

| Year | Depth |
|---|---|
| 1921 | 12 [1] |

Not found in the sources: who built it"""


@pytest.mark.contract("Q2")
def test_every_sentence_heading_row_and_note_has_a_number() -> None:
    told = [(one.number, one.kind, one.text, one.ids) for one in numbered_sentences(REPORT)]
    assert told == [
        (1, "claim", "The harbour is 12 fathoms deep.", (1,)),
        (2, "claim", "It freezes in winter.", (2,)),
        (3, "heading", "Keepers", ()),
        (4, "claim", "Ada Moor keeps the light.", (1,)),
        (5, "claim", "Tom Reed sweeps the stairs.", (3,)),
        (6, "claim", "1921: Depth 12", (1,)),
        (7, "note", "Not found in the sources: who built it", ()),
    ]


@pytest.mark.contract("Q2")
def test_a_patch_changes_its_sentence_and_no_other_line() -> None:
    text = apply_patches(REPORT, [Patch(2, "It freezes in January. [2]")])
    assert text.splitlines()[0] == (
        "The harbour is 12 fathoms deep. [1] It freezes in January. [2]"
    )
    assert text.splitlines()[1:] == REPORT.splitlines()[1:]


@pytest.mark.contract("Q2")
def test_a_table_row_is_replaced_by_a_row_or_stays() -> None:
    assert "| 1921 | 12 [1] |" in apply_patches(REPORT, [Patch(6, "In 1921 it was 12. [1]")])
    assert "| 1921 | 14 [1] |" in apply_patches(REPORT, [Patch(6, "| 1921 | 14 [1] |")])
    assert "| 1921" not in apply_patches(REPORT, [Patch(6)])


@pytest.mark.contract("Q2")
@given(st.integers(8, 99), st.text(max_size=30))
def test_a_number_that_no_sentence_has_changes_nothing(number: int, text: str) -> None:
    assert apply_patches(REPORT, [Patch(number, text)]) == REPORT
    assert apply_patches(REPORT, []) == REPORT
