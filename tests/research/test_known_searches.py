"""Memory leads and never stands in for looking; one that is too slow costs nothing else."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import cast

import pytest

from leadline.fakes.reasoner import ScriptedReasoner
from leadline.fakes.run import FakeClock, MemoryRun
from leadline.ports import Run
from leadline.research.memory import leading, planned, recalled, remembered
from leadline.research.novelty_gate import admit
from leadline.research.search import MEMORY, choose_sources
from leadline.research.state import begin
from leadline.types import (
    AgentResponse,
    Batch,
    Citation,
    Claim,
    GateVerdict,
    Hit,
    Kept,
    Lead,
    Limits,
    Observation,
    Plan,
    Query,
    Quote,
    Recall,
    Rules,
    State,
    Stop,
    Usage,
    Verdict,
)
from leadline.values import replace

TODAY = datetime(2026, 11, 16, tzinfo=UTC)
LEAD = Lead("id", "Who keeps the harbour?", "2026-11-01T00:00:00", 1.0, 1)
PASSAGE = Hit(
    "https://a.example", "Harbour", "Ada Berg keeps the harbour of Port Seven.", provider=MEMORY
)
FOUND = Hit("https://b.example", "Elsewhere", "Something that was searched for.", provider="fake")


ANSWER = replace(LEAD, task="Who keeps the harbour of Port Seven?", quality=0.9, answers=True)
QUERIES = (Query("keeps harbour Port Seven"), Query("Port Seven trade"))
TASK = "Who keeps the harbour of Port Seven?"


def led_by(lead: Lead, *, trim: bool = True) -> State:
    recall = Recall(leads=(lead,), facts=(PASSAGE.text,), hits=(PASSAGE,))
    return leading(begin(TASK, Plan(QUERIES), Limits(), TODAY), recall, Rules(), trim=trim)


@pytest.mark.contract("M7", "M5")
def test_a_lead_saves_no_search_and_is_said_at_the_top() -> None:
    state = led_by(LEAD)
    assert state.plan_queries == QUERIES
    assert state.stop_reason is None
    assert (state.known_facts, state.search_results) == ((PASSAGE.text,), (PASSAGE,))
    assert state.from_memory == (
        "1 finding of 2026-11-01 on “Who keeps the harbour?”; searched for anew",
    )


@pytest.mark.contract("P3", "M7")
def test_the_answer_to_the_very_same_question_saves_its_searches_and_that_is_said() -> None:
    state = led_by(ANSWER)
    assert (state.plan_queries, state.stop_reason) == ((), Stop.SUFFICIENT)
    assert [(one.kind, one.what) for one in state.skipped] == [
        ("memory", query.text) for query in QUERIES
    ]
    assert "no search was made" in state.from_memory[0]


@pytest.mark.contract("P6", "M7")
def test_a_plan_that_a_person_has_seen_is_carried_out_as_it_is() -> None:
    state = led_by(ANSWER, trim=False)
    assert (state.plan_queries, state.stop_reason) == (QUERIES, None)
    assert "searched for anew" in state.from_memory[0]


class Remembers:
    """A memory that knows who keeps the harbour."""

    async def recall(self, task: str, today: datetime) -> Recall:
        return Recall(leads=(LEAD,), facts=(PASSAGE.text,))

    async def remember(self, observation: Observation) -> Kept:
        return Kept()


@pytest.mark.contract("M7", "M5")
def test_a_planner_that_is_told_what_is_known_still_asks_the_question_anew() -> None:
    script = (Query("Port Seven trade"),)

    async def plan() -> Plan:
        reasoner = ScriptedReasoner(plan=Plan(script))
        memory_run = cast(Run, MemoryRun())
        return (await planned(TASK, reasoner, Remembers(), memory_run, waits=True))[0]

    asked = asyncio.run(plan()).search_queries
    assert asked[1:] == script
    assert {"harbour", "Port", "Seven"} <= set(asked[0].text.split())


@pytest.mark.contract("M5")
def test_what_was_searched_for_comes_before_what_memory_led_to() -> None:
    asked = Query("keeps harbour Port Seven")
    plan = Plan((asked,))
    state = begin("Who keeps the harbour of Port Seven?", plan, Limits(), TODAY)
    recall = Recall(leads=(LEAD,), facts=(PASSAGE.text,), hits=(PASSAGE,))
    led = leading(state, recall, Rules())
    verdict = GateVerdict(asked.text, 9.0, 3.0, True, "first", 1)
    led = admit(led, [Batch(asked, (FOUND,), "fake")], [verdict], 1.0)
    first, second = led.sources
    assert (first.url, second.url) == (PASSAGE.url, FOUND.url)
    assert choose_sources(led).kept == (second.id, first.id)


SAID = "The market of Selm is held on Tuesdays."
RESPONSE = AgentResponse(
    run_id="run",
    task="When is the market of Selm held?",
    summary=SAID,
    final_answer=f"{SAID} [1]",
    sources=(Citation(1, "Selm", "web", "https://selm.example/"),),
    claims=(Claim(SAID, (1,), Verdict.QUOTED, 1.0, Quote(1, SAID, "page", 0, len(SAID))),),
    confidence=1.0,
    gaps=(),
    stop_reason=Stop.MAX_TIME,
    degraded=False,
    usage=Usage(),
)


class SlowMemory:
    """Never comes back by itself."""

    async def recall(self, task: str, today: datetime) -> Recall:
        await asyncio.Event().wait()
        raise AssertionError

    async def remember(self, observation: Observation) -> Kept:
        await asyncio.Event().wait()
        raise AssertionError


def late_run() -> Run:
    """A run whose time is over."""
    clock = FakeClock()
    run = MemoryRun(clock=clock)
    run.limit(Limits(max_execution_time_s=10))
    clock.advance(60)
    return cast(Run, run)


@pytest.mark.contract("R4", "R7", "M1")
def test_a_report_is_not_lost_to_a_memory_that_takes_too_long() -> None:
    response = asyncio.run(remembered(RESPONSE, SlowMemory(), late_run()))
    assert response.final_answer == RESPONSE.final_answer
    assert response.error_log[-1].what == "remember"
    assert "10 s" in response.error_log[-1].why


@pytest.mark.contract("R4", "P5")
def test_a_part_whose_time_is_over_goes_on_without_what_is_remembered() -> None:
    assert asyncio.run(recalled("the market of Selm", SlowMemory(), late_run())) == Recall()
