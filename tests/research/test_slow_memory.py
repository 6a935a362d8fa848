"""A memory that takes too long costs neither the report nor what was gathered."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import cast

import pytest

from leadline.fakes.run import FakeClock, MemoryRun
from leadline.ports import Run
from leadline.research.memory import recalled, remembered
from leadline.types import (
    AgentResponse,
    Citation,
    Claim,
    Kept,
    Limits,
    Observation,
    Quote,
    Recall,
    Stop,
    Usage,
    Verdict,
)

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
