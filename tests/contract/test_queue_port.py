"""One contract for every queue: in memory, of one machine over SQLite, of many on Temporal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import BadInput, RunStopped
from leadline.fakes.run import MemoryEngine, MemoryStore
from leadline.ports import Run
from leadline.queueing import Queue
from leadline.store.engine import DurableEngine
from leadline.types import Query
from many_machines import Servers, handed_over, servers

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]
Open = Callable[..., Queue]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with servers(tmp_path_factory.mktemp("temporal")) as both:
        yield both


MANY = pytest.param("temporal", marks=pytest.mark.slow)


@pytest.fixture(params=["memory", "sqlite", MANY])
def queue_of(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens engines over one store, as processes that come and go would."""
    if request.param == "temporal":
        machines = request.getfixturevalue("shared").machines()
        return lambda body: machines.engine(tmp_path, body)
    if request.param == "sqlite":
        return lambda body: DurableEngine(tmp_path, body)
    store = MemoryStore()
    return lambda body: MemoryEngine(body, store=store)


class World:
    """What runs did, and what holds them up."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.at_once = self.most = self.wanted = 0
        self.together = asyncio.Event()
        self.gates: dict[str, asyncio.Event] = {}

    def gate(self, name: str) -> asyncio.Event:
        return self.gates.setdefault(name, asyncio.Event())

    async def say(self, word: str) -> str:
        self.done.append(word)
        return word

    async def body(self, run: Run, request: dict[str, Any]) -> str:
        """One step at once, one that waits at the gate of its task where there is one."""
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        if self.at_once >= self.wanted:
            self.together.set()
        await self.together.wait()
        try:
            return await self.steps(run, request["task"])
        finally:
            self.at_once -= 1

    async def steps(self, run: Run, task: str) -> str:
        await run.step("one", self.say, f"{task} one")

        async def two() -> str:
            if task in self.gates:
                await self.gates[task].wait()
            return await self.say(f"{task} two")

        return await run.step("two", two)


@asynccontextmanager
async def working(engine: Queue, concurrency: int = 4, **how: Any) -> Any:
    """A worker for the length of a block."""
    stop = asyncio.Event()
    task = asyncio.ensure_future(engine.work(concurrency, stop, **how))
    try:
        yield stop
    finally:
        stop.set()
        await task


async def until(engine: Queue, run_id: str, rows: int) -> None:
    seen = 0
    async for _ in engine.follow(run_id):
        seen += 1
        if seen == rows:
            return


@pytest.mark.contract("U2", "S7")
@pytest.mark.parametrize("queue_of", ["memory", "sqlite"], indirect=True)
def test_what_a_run_is_at_can_be_asked_while_it_is_at_it(queue_of: Open) -> None:
    both, leave = asyncio.Barrier(3), asyncio.Event()

    async def body(run: Run, _: dict[str, Any]) -> str:
        async def find(query: Query) -> str:
            await both.wait()
            await leave.wait()
            return query.text

        await run.child("1").each("search", find, [Query("a"), Query("b")])
        return "ok"

    async def scene() -> None:
        engine = queue_of(body)
        await engine.start("t", {}, "r")
        await both.wait()
        assert engine.under_way("r") == (("search", "a"), ("search", "b"))
        leave.set()
        await engine.result("r")
        assert engine.under_way("r") == ()
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5")
def test_a_queued_run_waits_for_a_worker_and_then_ends_like_any(queue_of: Open) -> None:
    world = World()

    async def scene() -> None:
        engine = queue_of(world.body)
        assert await engine.enqueue("a", {"seed": 2}, "r", owner="ann") == "r"
        info = await engine.info("r")
        assert (info.status, info.owner, info.settings) == ("queued", "ann", {"seed": 2})
        assert world.done == []
        told: list[str] = []

        async def finished(run_id: str) -> None:
            told.append(run_id)

        async with working(engine, finished=finished):
            assert await engine.result("r") == "a two"
            assert [row.name async for row in engine.follow("r")] == ["start", "one", "two"]
            await engine.enqueue("b", {}, "r2")
            await engine.result("r2")
        assert "r" in told
        assert [info.id for info in await engine.list(owner="ann")] == ["r"]
        await engine.close()

    asyncio.run(scene())
    assert world.done == ["a one", "a two", "b one", "b two"]


@pytest.mark.contract("H5")
def test_the_same_key_of_the_same_owner_is_the_same_run(queue_of: Open) -> None:
    async def scene() -> None:
        engine = queue_of(World().body)
        asked = [engine.enqueue("a", {}, f"r{number}", owner="ann", key="k") for number in range(5)]
        ids = await asyncio.gather(*asked)
        assert len(set(ids)) == 1
        assert len(await engine.list()) == 1
        assert await engine.enqueue("a", {}, "other", owner="bob", key="k") == "other"
        with pytest.raises(BadInput, match="another question"):
            await engine.enqueue("b", {}, "r9", owner="ann", key="k")
        with pytest.raises(BadInput, match="exists already"):
            await engine.enqueue("b", {}, "other")
        async with working(engine):
            assert await engine.result(ids[0]) == "a two"
        assert await engine.enqueue("a", {}, "r8", owner="ann", key="k") == ids[0]
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5")
def test_the_more_urgent_goes_first_and_then_the_older(queue_of: Open) -> None:
    world = World()

    async def scene() -> None:
        engine = queue_of(world.body)
        await engine.enqueue("first", {}, "first")
        async with working(engine, 1):
            await until(engine, "first", 2)
            for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 5)):
                await engine.enqueue(name, {}, name, priority=priority)
            await handed_over(engine, "abcd")
            world.gate("first").set()
            for name in "abcd":
                await engine.result(name)
        await engine.close()

    world.gate("first")
    asyncio.run(scene())
    begun = [word[0] for word in world.done if word.endswith("one")]
    assert begun == ["f", "b", "d", "a", "c"]


@pytest.mark.contract("H5", "R9")
def test_a_worker_that_is_told_to_stop_gives_back_what_it_has(queue_of: Open) -> None:
    world = World()
    world.gate("a")

    async def scene() -> None:
        engine = queue_of(world.body)
        await engine.enqueue("a", {}, "r")
        async with working(engine):
            await until(engine, "r", 2)
        assert (await engine.info("r")).status == "queued"
        await engine.close()
        world.gate("a").set()
        later = queue_of(world.body)
        async with working(later):
            assert await later.result("r") == "a two"
        await later.close()

    asyncio.run(scene())
    assert world.done == ["a one", "a two"]


@pytest.mark.contract("H5")
def test_a_worker_that_is_told_to_stop_lets_end_what_ends_in_time(queue_of: Open) -> None:
    world = World()
    world.gate("a")

    async def scene() -> None:
        engine = queue_of(world.body)
        await engine.enqueue("a", {}, "r")
        async with working(engine, grace_s=30.0) as stop:
            await until(engine, "r", 2)
            stop.set()
            world.gate("a").set()
        assert (await engine.info("r")).status == "finished"
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R10")
def test_a_queued_run_can_be_cancelled_and_put_back(queue_of: Open) -> None:
    world = World()

    async def scene() -> None:
        engine = queue_of(world.body)
        await engine.enqueue("a", {}, "r")
        await engine.cancel("r")
        with pytest.raises(RunStopped, match="cancelled"):
            await engine.result("r")
        await engine.requeue("r")
        assert (await engine.info("r")).status == "queued"
        async with working(engine):
            assert await engine.result("r") == "a two"
        await engine.requeue("r")  # it is over: nothing changes
        assert (await engine.info("r")).status == "finished"
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R10")
def test_a_fork_may_wait_in_the_queue_and_belongs_to_the_same_owner(queue_of: Open) -> None:
    world = World()

    async def scene() -> None:
        engine = queue_of(world.body)
        await engine.enqueue("a", {}, "r", owner="ann")
        async with working(engine):
            await engine.result("r")
            await engine.fork("r", "two", {"seed": 3}, "f", queued=True)
            assert await engine.result("f") == "a two"
        assert (await engine.info("f")).owner == "ann"
        await engine.close()

    asyncio.run(scene())
    assert world.done == ["a one", "a two", "a two"]


@pytest.mark.contract("H5")
def test_a_run_that_was_begun_here_is_not_for_the_pool(tmp_path: Path) -> None:
    world = World()
    world.gate("a")

    async def scene() -> None:
        engine = DurableEngine(tmp_path, world.body)
        await engine.start("a", {}, "r")
        await until(engine, "r", 2)
        await engine.close()
        later = DurableEngine(tmp_path, world.body)
        async with working(later):
            await later.enqueue("b", {}, "r2")
            await later.result("r2")
            assert (await later.info("r")).status == "interrupted"
        await later.close()

    asyncio.run(scene())


@pytest.mark.contract("H5")
@pytest.mark.parametrize(("slots", "per_owner", "most"), [(3, 0, 3), (8, 1, 1)])
def test_no_more_go_on_at_once_than_there_are_slots_and_one_owner_may_have(
    tmp_path: Path, slots: int, per_owner: int, most: int
) -> None:
    world = World()

    async def scene() -> None:
        world.wanted = most
        engine = DurableEngine(tmp_path, world.body, per_owner=per_owner)
        names = [f"r{number}" for number in range(8)]
        for name in names:
            await engine.enqueue(name, {}, name, owner="ann")
        async with working(engine, slots):
            for name in names:
                await engine.result(name)
        assert world.most == most
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5")
def test_an_owner_at_the_ceiling_does_not_hold_up_the_others(tmp_path: Path) -> None:
    world = World()
    world.gate("a")

    async def scene() -> None:
        engine = DurableEngine(tmp_path, world.body, per_owner=1)
        await engine.enqueue("a", {}, "a", owner="ann", priority=9)
        await engine.enqueue("a2", {}, "a2", owner="ann", priority=9)
        await engine.enqueue("b", {}, "b", owner="bob")
        async with working(engine):
            assert await engine.result("b") == "b two"
            assert (await engine.info("a2")).status == "queued"
            world.gate("a").set()
            assert await engine.result("a2") == "a2 two"
        await engine.close()

    asyncio.run(scene())


@pytest.mark.slow
@pytest.mark.contract("H5")
def test_of_many_workers_one_has_each_run(shared: Servers, tmp_path: Path) -> None:
    world, machines = World(), shared.machines()

    async def scene() -> None:
        engines = [machines.engine(tmp_path, world.body) for _ in range(4)]
        names = [f"n{number}" for number in range(20)]
        for name in names:
            await engines[0].enqueue(name, {}, name)
        async with working(engines[0], 2), working(engines[1], 2), working(engines[2], 2):
            for name in names:
                await engines[3].result(name)
        for engine in engines:
            await engine.close()

    asyncio.run(scene())
    assert sorted(world.done) == sorted(
        f"n{n} {part}" for n in range(20) for part in ("one", "two")
    )
