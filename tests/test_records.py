"""Going through a run by its records alone, and the time limit of what goes on after them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import BudgetSpent
from leadline.fakes.run import FakeClock, MemoryEngine, MemoryRun
from leadline.ports import Run
from leadline.records import OtherStep, RecordedLedger, Unrecorded, again
from leadline.store.engine import DurableEngine
from leadline.types import Limits


async def word(text: str) -> str:
    return text


async def two_words(run: Run, request: dict[str, Any]) -> list[str]:
    return [await run.step(name, word, name) for name in request["names"]]


def records_of(*names: str) -> list[Any]:
    async def whole() -> list[Any]:
        run = MemoryRun()
        await run.begin()
        await two_words(run, {"names": names})
        return [run.ledger.records[number] for number in sorted(run.ledger.records)]

    return asyncio.run(whole())


@pytest.mark.contract("R8", "R10")
def test_recorded_steps_are_read_and_never_done() -> None:
    records = records_of("one", "two")
    records[1]["value"] = "from the record"
    ledger = RecordedLedger(records)
    said = asyncio.run(again("r", 0, ledger, {"names": ["one", "two"]}, two_words))
    assert said == ["from the record", "two"]
    assert ledger.used == len(records)


@pytest.mark.contract("R10")
def test_a_step_beyond_the_records_or_of_another_name_is_an_error() -> None:
    records = records_of("one", "two")
    with pytest.raises(Unrecorded, match="step 4, 'three'"):
        asyncio.run(
            again("r", 0, RecordedLedger(records), {"names": ["one", "two", "three"]}, two_words)
        )
    with pytest.raises(OtherStep, match="step 3 is 'two' in the records and would be 'other'"):
        asyncio.run(again("r", 0, RecordedLedger(records), {"names": ["one", "other"]}, two_words))


@pytest.mark.contract("R7", "R10")
@pytest.mark.parametrize("kind", ["memory", "durable"])
def test_the_time_of_a_fork_starts_where_it_goes_on(kind: str, tmp_path: Path) -> None:
    clock = FakeClock()

    async def take(seconds: float) -> float:
        clock.advance(seconds)
        return seconds

    async def body(run: Run, request: dict[str, Any]) -> str:
        run.limit(Limits(max_execution_time_s=100))  # of which 15 are kept back
        await run.step("first", take, 84.0)
        await run.step("second", take, request["settings"]["seconds"])
        try:
            await run.step("third", take, 0.0)
        except BudgetSpent as spent:
            return spent.stop.value
        return "in time"

    async def scene() -> list[str]:
        durable = kind == "durable"
        engine: Any = (
            DurableEngine(tmp_path, body, clock=clock)
            if durable
            else MemoryEngine(body, clock=clock)
        )
        await engine.start("task", {"seconds": 0.0}, "r")
        said = [await engine.result("r")]
        for seconds in (60.0, 90.0):
            await engine.fork("r", "second", {"seconds": seconds}, f"after {seconds}")
            said.append(await engine.result(f"after {seconds}"))
        await engine.close()
        return said

    assert asyncio.run(scene()) == ["in time", "in time", "max_time"]
