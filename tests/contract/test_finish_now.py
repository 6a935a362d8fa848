"""A run that is told to write its report now: in memory, in SQLite and on Temporal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from test_run_port import Body, World, engine_of, go_on, rows_until, shared

from leadline.errors import ENOUGH, BadInput, BudgetSpent
from leadline.ports import Run
from leadline.queueing import Queue
from leadline.types import Limits, Loss, Stop

__all__ = ["engine_of", "shared"]
pytestmark = pytest.mark.contract("R4", "R9", "R10")
Open = Callable[[Body], Queue]
LIMITS = Limits(max_execution_time_s=60)


def gathering(world: World) -> Body:
    """Gathers two things at a time until it is told that it has enough, then writes."""

    async def body(run: Run, request: dict[str, Any]) -> list[Any]:
        run.limit(LIMITS)
        found = await run.each("search", world.after, ["a", "b"])
        try:
            await run.step("reflect", world.say, "reflected")
        except BudgetSpent as spent:
            found.append(spent.stop.value)
        return [*map(_told, found), await run.last_step("write", world.say, "written")]

    return body


def _told(one: object) -> str:
    return one.why if isinstance(one, Loss) else str(one)


EXPECTED = ["a", ENOUGH, Stop.CANCELLED.value, "written"]


async def half_way(engine_of: Open) -> tuple[World, Queue]:
    """A run that has gathered one thing and waits for the next."""
    world = World()
    engine = engine_of(gathering(world))
    world.gate("a").set()
    await engine.start("task", {}, "r")
    await rows_until(engine, 2)
    return world, engine


def test_what_is_in_flight_ends_and_the_report_is_written_from_what_is_there(
    engine_of: Open,
) -> None:
    async def whole() -> None:
        world, engine = await half_way(engine_of)
        await engine.finish("r")
        assert await engine.result("r") == EXPECTED
        assert world.done == ["a", "written"]
        with pytest.raises(BadInput, match="finished"):
            await engine.finish("r")
        await engine.close()

    asyncio.run(whole())


def reading(world: World) -> Body:
    """Reads two pages while it gathers on, then writes from those it has."""

    async def body(run: Run, request: dict[str, Any]) -> list[Any]:
        run.limit(LIMITS)
        await run.step("plan", world.say, "planned")
        pages = run.begin_each("read", world.after, ["page", "slow page"])
        (found,) = await run.each("search", world.after, ["never"])
        return [*map(_told, (found, *await pages())), await run.last_step("write", world.say, "w")]

    return body


def test_pages_on_their_way_are_waited_for_a_little(engine_of: Open) -> None:
    async def whole() -> None:
        world = World()
        engine = engine_of(reading(world))
        await engine.start("task", {}, "r")
        await rows_until(engine, 2)
        await engine.finish("r")
        await rows_until(engine, 3)  # the search was ended
        world.gate("page").set()
        assert await engine.result("r") == [ENOUGH, "page", ENOUGH, "w"]
        await engine.close()

    asyncio.run(whole())


def test_the_word_reaches_a_run_that_another_engine_carries_out(engine_of: Open) -> None:
    async def whole() -> None:
        world = World()
        worker, face = engine_of(gathering(world)), engine_of(gathering(world))
        world.gate("a").set()
        await worker.start("task", {}, "r")
        await rows_until(worker, 2)
        await face.finish("r")
        assert await face.result("r") == EXPECTED
        await face.close()
        await worker.close()

    asyncio.run(whole())


def test_a_stopped_run_that_is_told_so_writes_when_it_is_resumed(engine_of: Open) -> None:
    async def whole() -> None:
        world, engine = await half_way(engine_of)
        await engine.cancel("r")
        await engine.finish("r")
        assert (await engine.info("r")).status == "cancelled"
        await engine.close()
        assert await go_on(engine_of(gathering(world))) == EXPECTED
        assert world.done == ["a", "written"]

    asyncio.run(whole())


def test_a_run_that_died_after_the_word_does_not_gather_again(engine_of: Open) -> None:
    async def whole() -> None:
        world, engine = await half_way(engine_of)
        await engine.say("r", "finish", True)  # the word is kept, the process gone before it hears
        await engine.close()
        world.gate("b").set()
        assert await go_on(engine_of(gathering(world))) == EXPECTED

    asyncio.run(whole())


def test_words_are_kept_until_they_are_taken_back(engine_of: Open) -> None:
    async def whole() -> None:
        engine, other = engine_of(gathering(World())), engine_of(gathering(World()))
        await engine.start("task", {}, "r")
        assert await other.said("r", "plan") is None
        await engine.say("r", "plan", {"queries": ["ä", "中"]})
        assert await other.said("r", "plan") == {"queries": ["ä", "中"]}
        await other.say("r", "plan", None)
        assert await engine.said("r", "plan") is None
        await engine.close()
        await other.close()

    asyncio.run(whole())
