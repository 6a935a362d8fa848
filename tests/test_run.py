"""What every run shares: replay under any sequence of crashes, and values to JSON and back."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import BudgetSpent, SourceLost
from leadline.fakes.run import FakeClock, MemoryLedger, MemoryRun
from leadline.results import Place, Record, from_json, to_json
from leadline.run import both, new_run_id
from leadline.types import Batch, Hit, Limits, Loss, Query, Stop


class Crash(BaseException):
    """The process is gone."""


class CrashingLedger(MemoryLedger):
    """Dies at one call: before its step, after it, or when its record is kept."""

    def __init__(self, records: dict[Place, Record], call: int, point: str) -> None:
        super().__init__(records)
        self._fatal, self._number, self._dead = (call, point), 0, False

    async def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        self._number += 1
        number = self._number

        async def guarded() -> Record:
            self._die((number, "before"))
            record = await do()
            self._die((number, "after"))
            return record

        record = await super().once(name, guarded)
        self._die((number, "kept"))
        return record

    def _die(self, here: tuple[int, str]) -> None:
        self._dead = self._dead or here == self._fatal
        if self._dead:  # then nothing else is kept either
            raise Crash


async def story(run: MemoryRun, ran: Counter[str]) -> list[Any]:
    async def work(key: str) -> str:
        for _ in range(run.dice("pause", key).randrange(3)):
            await asyncio.sleep(0)
        ran[key] += 1
        if run.dice("luck", key).random() < 0.2:
            raise SourceLost(f"{key} is gone")
        return f"{key}:{run.dice(key).random()}"

    said: list[Any] = []
    for turn in range(2):
        said += await run.each("search", work, [f"{turn}{letter}" for letter in "abc"])
        said += await both(guard(run, work, f"{turn}d"), guard(run, work, f"{turn}e"))
        said.append(run.elapsed > 0)
    return said


async def guard(run: MemoryRun, work: Callable[[str], Awaitable[str]], key: str) -> str:
    try:
        return await run.step("think", work, key)
    except SourceLost as lost:
        return str(lost)


crashes = st.lists(
    st.tuples(st.integers(1, 10), st.sampled_from(["before", "after", "kept"])), max_size=8
)


@pytest.mark.contract("R9")
@given(deaths=crashes, seed=st.integers(0, 5))
def test_any_sequence_of_crashes_ends_in_the_same_result(
    deaths: list[tuple[int, str]], seed: int
) -> None:
    expected = asyncio.run(story(MemoryRun(seed=seed), Counter()))
    records: dict[Place, Record] = {}
    ran: Counter[str] = Counter()
    for death in deaths:
        run = MemoryRun(seed=seed, ledger=CrashingLedger(records, *death))
        kept_before = {record["value"] for record in records.values()}
        ran_before = ran.copy()
        with contextlib.suppress(Crash):
            asyncio.run(story(run, ran))
        again = {key for key in ran if ran[key] > ran_before[key]}
        assert not {value for value in kept_before if value and value.split(":")[0] in again}
    last = MemoryRun(seed=seed, ledger=MemoryLedger(records))
    assert asyncio.run(story(last, ran)) == expected
    assert len({row.seq for row in last.rows()}) == 10
    elapsed = [row.elapsed for row in last.rows()]
    assert elapsed == sorted(elapsed)


@pytest.mark.contract("R8")
def test_the_same_run_in_memory_is_the_same_to_the_tick() -> None:
    def once() -> tuple[Any, Any]:
        run = MemoryRun(seed=3)
        return asyncio.run(story(run, Counter())), run.rows()

    assert once() == once()


@pytest.mark.contract("R7")
def test_time_used_in_an_earlier_life_counts_and_time_between_lives_does_not() -> None:
    clock = FakeClock()
    ledger = MemoryLedger()

    async def long() -> str:
        clock.advance(50)
        return "done"

    async def scene(run: MemoryRun) -> None:
        run.limit(Limits(max_execution_time_s=100))
        await run.step("long", long)

    asyncio.run(scene(MemoryRun(clock=clock, ledger=ledger)))
    clock.advance(10_000)  # the machine was off
    second = MemoryRun(clock=clock, ledger=MemoryLedger(ledger.records))

    async def rest() -> None:
        second.limit(Limits(max_execution_time_s=100))
        await second.step("long", long)
        assert 50 <= second.elapsed < 51
        await second.step("again", long)  # reaches the time kept back for the report
        with pytest.raises(BudgetSpent) as spent:
            await second.step("over", long)
        assert spent.value.stop is Stop.MAX_TIME
        assert await second.last_step("write", long) == "done"

    asyncio.run(rest())


# ── to JSON and back ────────────────────────────────────────────────────────────────────────


class Tool:
    async def method(self, query: Query) -> tuple[Hit, ...]:
        return (Hit("u", query.text, "x"),)

    async def __call__(self) -> Loss:
        return Loss("a", "b", "c")


def later(text: str) -> Awaitable[list[str]]:
    async def wait() -> list[str]:
        return [text]

    return wait()


@pytest.mark.parametrize(
    ("do", "value"),
    [
        (Tool().method, (Hit("u", "t", "x"),)),
        (Tool(), Loss("a", "b", "c")),
        (functools.partial(Tool().method, Query("q")), (Hit("u", "t", "x"),)),
        (later, ["text"]),
    ],
)
def test_the_type_of_a_result_is_read_from_whatever_can_be_called(do: Any, value: Any) -> None:
    assert from_json(do, to_json(do, value)) == value


async def untyped(text: str):  # type: ignore[no-untyped-def]  # that is what it is about
    return text


async def unknown(text: str) -> Nobody:  # type: ignore[name-defined]  # noqa: F821
    return text


@pytest.mark.parametrize("do", [untyped, unknown])
def test_a_step_whose_result_nobody_could_read_back_is_refused_and_leaves_no_row(do: Any) -> None:
    run = MemoryRun()
    with pytest.raises(TypeError, match="a step needs a return type known at run time"):
        asyncio.run(run.step("read", do, "x"))
    assert not [row for row in run.rows() if row.name == "read"]


texts = st.text(st.characters(), max_size=20)  # lone surrogates too: file names hold them
hits = st.builds(
    Hit, url=texts, title=texts, text=texts, score=st.floats(allow_nan=False), start=st.integers(0)
)


@given(batch=st.builds(Batch, st.builds(Query, texts), st.lists(hits, max_size=3).map(tuple)))
def test_what_was_found_survives_the_journal(batch: Batch) -> None:
    async def found() -> Batch:
        return batch

    async def scene() -> Batch:
        return await MemoryRun().step("search", found)

    assert asyncio.run(scene()) == batch


def test_ids_sort_by_time_and_differ_by_task() -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    ids = [new_run_id("a", at), new_run_id("b", at), new_run_id("a", at + timedelta(seconds=1))]
    assert len(set(ids)) == 3
    assert ids[2] > max(ids[:2])
    assert all(len(run_id) == 20 for run_id in ids)
