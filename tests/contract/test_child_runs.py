"""Children of a run, on the durable engine and on the fake: order, time, crash, fork."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import BadInput, BudgetSpent
from leadline.fakes.run import FakeClock, MemoryEngine, MemoryStore
from leadline.ports import Engine, Run
from leadline.store.engine import DurableEngine
from leadline.types import Limits

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]
Open = Callable[[Body], Engine]


@pytest.fixture(params=["memory", "durable"])
def engine_of(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    if request.param == "durable":
        return lambda body: DurableEngine(tmp_path, body)
    store = MemoryStore()
    return lambda body: MemoryEngine(body, store=store)


class World:
    """What steps did; a child may be held until the other has come far enough."""

    def __init__(self, slow: str = "") -> None:
        self.done: list[str] = []
        self.slow, self._passed = slow, asyncio.Event()
        self.fail_at = ""

    async def say(self, word: str) -> str:
        if word == self.fail_at:
            raise ZeroDivisionError(word)
        if self.slow and word.startswith(self.slow):
            await self._passed.wait()
        self.done.append(word)
        if not word.startswith(self.slow or "\0") and word.endswith("2"):
            self._passed.set()
        return word


def story(world: World) -> Body:
    async def body(run: Run, _: dict[str, Any]) -> Any:
        await run.step("plan", world.say, "plan")

        async def part(child: Run, name: str) -> str:
            told = [await child.step("search", world.say, f"{name}{at}") for at in (1, 2)]
            return " ".join([*told, child.id, f"{child.dice('x').random():.4f}"])

        parts = await run.split(part, ["a", "b"])

        async def more(child: Run, name: str) -> str:
            return await child.step("write", world.say, f"{name}3")

        return [*parts, *await run.split(more, ["a", "b"])]

    return body


async def play(engine: Engine, *, resume: bool = False) -> Any:
    try:
        if resume:
            await engine.resume("r")
        else:
            await engine.start("task", {"seed": 3}, "r")
        return await engine.result("r")
    finally:
        await engine.close()


async def rows_of(engine: Engine) -> list[Any]:
    try:
        return await engine.rows("r")
    finally:
        await engine.close()


@pytest.mark.contract("P5", "R8")
@pytest.mark.parametrize("slow", ["", "a", "b"])
def test_which_child_is_faster_changes_nothing_in_the_result(engine_of: Open, slow: str) -> None:
    result = asyncio.run(play(engine_of(story(World(slow)))))
    assert [part.rsplit(" ", 1)[0] for part in result[:2]] == ["a1 a2 r/1", "b1 b2 r/2"]
    assert result[2:] == ["a3", "b3"]
    first, second = (part.rsplit(" ", 1)[1] for part in result[:2])
    assert first != second  # the dice of one child are not those of the other


@pytest.mark.contract("P5", "R9")
def test_rows_of_children_stand_among_those_of_the_run_in_the_order_of_writing(
    engine_of: Open,
) -> None:
    asyncio.run(play(engine_of(story(World("b")))))
    rows = asyncio.run(rows_of(engine_of(story(World()))))
    assert [row.seq for row in rows] == list(range(1, 9))
    assert [(row.child, row.name) for row in rows[:2]] == [("", "start"), ("", "plan")]
    assert [row.value for row in rows if row.child == "1"] == ["a1", "a2", "a3"]
    assert [row.value for row in rows if row.child == "2"] == ["b1", "b2", "b3"]
    assert [row.value for row in rows].index("a2") < [row.value for row in rows].index("b1")


@pytest.mark.contract("P5")
def test_a_follower_sees_each_row_of_a_child_once(engine_of: Open) -> None:
    async def scene() -> list[tuple[int, str]]:
        engine = engine_of(story(World("a")))
        try:
            await engine.start("task", {}, "r")
            return [(row.seq, row.child) async for row in engine.follow("r")]
        finally:
            await engine.close()

    seen = asyncio.run(scene())
    assert [seq for seq, _ in seen] == list(range(1, 9))
    assert {child for _, child in seen} == {"", "1", "2"}


@pytest.mark.contract("P5", "R9")
@pytest.mark.parametrize("broken", ["a1", "a2", "b2", "a3", "b3"])
def test_a_child_that_broke_goes_on_and_nothing_finished_is_done_again(
    engine_of: Open, broken: str
) -> None:
    whole = asyncio.run(play(MemoryEngine(story(World()))))
    world = World()
    world.fail_at = broken
    with pytest.raises(Exception, match="ZeroDivisionError"):
        asyncio.run(play(engine_of(story(world))))
    world.fail_at = ""
    assert asyncio.run(play(engine_of(story(world)), resume=True)) == whole
    assert sorted(world.done) == ["a1", "a2", "a3", "b1", "b2", "b3", "plan"]
    info_steps = len(asyncio.run(rows_of(engine_of(story(world)))))
    assert info_steps == 8


@pytest.mark.contract("P5", "R10")
def test_a_fork_takes_over_what_children_did_before_the_step(engine_of: Open) -> None:
    asyncio.run(play(engine_of(story(World()))))
    world = World()

    async def scene(step: str, new_id: str) -> tuple[Any, int]:
        engine = engine_of(story(world))
        try:
            await engine.fork("r", step, {"seed": 3}, new_id)
            return await engine.result(new_id), (await engine.info(new_id)).steps
        finally:
            await engine.close()

    result, steps = asyncio.run(scene("write", "w"))
    assert result[2:] == ["a3", "b3"]
    assert sorted(world.done) == ["a3", "b3"]
    assert steps == 8
    world.done.clear()
    asyncio.run(scene("plan", "p"))
    assert sorted(world.done) == ["a1", "a2", "a3", "b1", "b2", "b3", "plan"]


@pytest.mark.contract("P5", "R7")
def test_time_is_one_pot_for_all_children() -> None:
    clock = FakeClock()
    limits = Limits(max_execution_time_s=100)

    async def body(run: Run, _: dict[str, Any]) -> Any:
        run.limit(limits)

        async def long() -> str:
            clock.advance(30)
            return "done"

        async def part(child: Run, name: str) -> str:
            await child.step("search", long)
            try:
                return await child.step("search", long)
            except BudgetSpent:
                return "spent"

        told = await run.split(part, ["a", "b", "c"])
        return {"told": told, "elapsed": run.elapsed}

    result = asyncio.run(play(MemoryEngine(body, clock=clock)))
    assert result["told"] == ["spent", "spent", "spent"]  # three times thirty, of eighty
    assert 90 <= result["elapsed"] < 91


@pytest.mark.contract("P6", "R7")
def test_what_a_person_takes_is_no_time_of_the_run() -> None:
    clock = FakeClock()

    async def body(run: Run, _: dict[str, Any]) -> float:
        async def slow() -> str:
            clock.advance(5000)
            return "taken"

        await run.aside("review", slow)
        return run.elapsed

    assert asyncio.run(play(MemoryEngine(body, clock=clock))) < 1


def test_the_id_of_a_run_has_no_slash(tmp_path: Path) -> None:
    async def scene() -> None:
        engine = DurableEngine(tmp_path, story(World()))
        try:
            await engine.start("task", {}, "r/1")
        finally:
            await engine.close()

    with pytest.raises(BadInput, match="no slash"):
        asyncio.run(scene())
