"""One contract for every engine and run: the durable one on disk and the fake in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import (
    BadInput,
    BudgetSpent,
    ReasonerFailed,
    RunNotFound,
    RunRefused,
    RunStopped,
    SourceLost,
)
from leadline.fakes.run import MemoryEngine, MemoryStore
from leadline.ports import Engine, Run, RunInfo
from leadline.store.engine import DurableEngine
from leadline.types import Batch, Hit, Limits, Loss, Query, Stop
from many_machines import Servers, WithWorker, servers

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]
Open = Callable[[Body], Engine]
STOPPED = ("interrupted", "queued")  # where another worker takes it, it waits for that


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with servers(tmp_path_factory.mktemp("temporal")) as both:
        yield both


@pytest.fixture(params=["memory", "durable", pytest.param("temporal", marks=pytest.mark.slow)])
def engine_of(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens engines over one store, as processes that come and go would."""
    if request.param == "durable":
        return lambda body: DurableEngine(tmp_path, body)
    if request.param == "temporal":
        machines = request.getfixturevalue("shared").machines()
        return lambda body: machines.engine(tmp_path, body, WithWorker)
    store = MemoryStore()
    return lambda body: MemoryEngine(body, store=store)


@dataclass
class World:
    """What steps do to the outside, and what holds them up."""

    done: list[str] = field(default_factory=list)
    gates: dict[str, asyncio.Event] = field(default_factory=dict)

    def gate(self, name: str) -> asyncio.Event:
        return self.gates.setdefault(name, asyncio.Event())

    async def say(self, word: str) -> str:
        self.done.append(word)
        return word

    async def after(self, word: str) -> str:
        await self.gate(word).wait()
        return await self.say(word)


async def play(engine: Engine, settings: dict[str, Any] | None = None) -> Any:
    """Start the run `r`, wait for it, close the engine."""
    try:
        await engine.start("task", settings or {}, "r")
        return await engine.result("r")
    finally:
        await engine.close()


async def go_on(engine: Engine) -> Any:
    """Resume the run `r`, wait for it, close the engine."""
    try:
        await engine.resume("r")
        return await engine.result("r")
    finally:
        await engine.close()


async def info_by(engine: Engine) -> RunInfo:
    """What an engine says of the run `r` before it is closed."""
    try:
        return await engine.info("r")
    finally:
        await engine.close()


async def rows_until(engine: Engine, count: int) -> None:
    """Until the run `r` has written so many rows."""
    seen = 0
    async for _ in engine.follow("r"):
        seen += 1
        if seen == count:
            return


# ── steps ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("R8", "R9")
def test_a_step_returns_what_its_row_says_in_its_own_type(engine_of: Open) -> None:
    sent = Batch(Query("q"), (Hit("u", "t", "x\udcff\n", score=0.1),))
    got: list[Any] = []

    async def search() -> Batch:
        return sent

    async def when() -> datetime:
        return datetime(2025, 5, 1, 12, 30, 0, 250, tzinfo=UTC)

    async def body(run: Run, _: dict[str, Any]) -> str:
        got.extend([await run.step("search", search), await run.step("when", when)])
        return "ok"

    assert asyncio.run(play(engine_of(body))) == "ok"
    assert got == [sent, datetime(2025, 5, 1, 12, 30, 0, 250, tzinfo=UTC)]
    assert got[0] is not sent


@pytest.mark.contract("R9")
def test_a_step_without_a_return_type_is_refused(engine_of: Open) -> None:
    async def nameless():  # type: ignore[no-untyped-def]
        return 1

    async def body(run: Run, _: dict[str, Any]) -> int:
        return await run.step("x", nameless)

    with pytest.raises(RunStopped, match="return type"):
        asyncio.run(play(engine_of(body)))


@pytest.mark.contract("R5", "S7")
def test_items_run_at_the_same_time_and_come_back_in_order(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, _: dict[str, Any]) -> list[Any]:
        async def one(word: str) -> str:
            if word == "first":
                return await world.after("first")
            world.gate("first").set()  # the first cannot end before the last has begun
            return await world.say(word)

        return await run.each("say", one, ["first", "second"])

    assert asyncio.run(play(engine_of(body))) == ["first", "second"]
    assert world.done == ["second", "first"]


@pytest.mark.contract("R3", "S6")
def test_a_lost_item_is_a_loss_and_the_others_stay(engine_of: Open) -> None:
    async def body(run: Run, _: dict[str, Any]) -> str:
        async def one(query: Query) -> str:
            if query.text == "bad":
                raise SourceLost("no such host")
            return query.text

        results = await run.each("search", one, [Query("a"), Query("bad"), Query("c")])
        assert results == ["a", Loss("search", "bad", "no such host"), "c"]
        return "ok"

    assert asyncio.run(play(engine_of(body))) == "ok"


@pytest.mark.contract("S6", "R9")
def test_the_row_of_a_lost_item_names_it(engine_of: Open) -> None:
    async def body(run: Run, _: dict[str, Any]) -> str:
        async def one(query: Query) -> str:
            if query.text == "bad":
                raise SourceLost("no such host")
            return query.text

        await run.child("1").each("search", one, [Query("a"), Query("bad")])
        return "ok"

    async def scene() -> list[tuple[str, str, str]]:
        engine = engine_of(body)
        await engine.start("task", {}, "r")
        await engine.result("r")
        told = [(row.what, row.error, row.child) for row in await engine.rows("r")]
        await engine.close()
        return [one for one in told if one[2]]

    found = asyncio.run(scene())
    assert sorted(found) == [("", "", "1"), ("bad", "no such host", "1")]


@pytest.mark.contract("R9")
def test_an_outcome_is_raised_again_on_replay_and_not_produced_again(engine_of: Open) -> None:
    world = World()
    caught: list[tuple[type, str, str]] = []

    async def fail(word: str) -> None:
        await world.say(word)
        raise {
            "lost": SourceLost("gone"),
            "spent": BudgetSpent(Stop.TOKEN_BUDGET, "no tokens"),
            "mute": ReasonerFailed("silence"),
        }[word]

    async def body(run: Run, _: dict[str, Any]) -> str:
        for word in ("lost", "spent", "mute"):
            try:
                await run.step(word, fail, word)
            except (SourceLost, BudgetSpent, ReasonerFailed) as error:
                stop = error.stop if isinstance(error, BudgetSpent) else ""
                caught.append((type(error), str(error), stop))
        return await run.step("wait", world.after, "wait")

    async def scene() -> None:
        engine = engine_of(body)
        await engine.start("task", {}, "r")
        await rows_until(engine, 4)
        await engine.close()
        world.gate("wait").set()
        await go_on(engine_of(body))

    asyncio.run(scene())
    assert world.done == ["lost", "spent", "mute", "wait"]
    before, again = caught[:-3], caught[-3:]  # a row may be seen before the run goes on from it
    assert len(before) >= 2
    assert before == again[: len(before)]
    assert caught[1] == (BudgetSpent, "no tokens", Stop.TOKEN_BUDGET)


@pytest.mark.contract("R10")
def test_an_unexpected_error_fails_the_run_and_a_resumed_one_tries_again(engine_of: Open) -> None:
    world = World()

    async def fragile() -> str:
        await world.say("tried")
        if world.done.count("tried") == 1:
            raise OSError("cable cut")
        return "mended"

    async def body(run: Run, _: dict[str, Any]) -> str:
        await run.step("first", world.say, "first")
        return await run.step("fragile", fragile)

    async def scene() -> Any:
        with pytest.raises(RunStopped, match="OSError: cable cut") as stopped:
            await play(engine_of(body))
        assert stopped.value.status == "failed"
        info = await info_by(engine_of(body))
        assert (info.status, info.stop_reason, info.steps) == ("failed", "error", 2)
        return await go_on(engine_of(body))

    assert asyncio.run(scene()) == "mended"
    assert world.done == ["first", "tried", "tried"]


@pytest.mark.contract("U2", "H3")
def test_a_run_that_fails_by_what_it_was_given_is_bad_input_to_whoever_waits(
    engine_of: Open,
) -> None:
    async def body(_: Run, __: dict[str, Any]) -> str:
        raise BadInput("the search provider brave needs a key")

    async def scene() -> None:
        with pytest.raises(RunRefused, match="brave needs a key") as refused:
            await play(engine_of(body))
        assert isinstance(refused.value, BadInput)
        assert (await info_by(engine_of(body))).mendable

    asyncio.run(scene())


@pytest.mark.contract("R8")
def test_dice_depend_on_seed_and_key_alone(engine_of: Open) -> None:
    async def body(run: Run, _: dict[str, Any]) -> list[float]:
        rolls = [run.dice("gate", 1).random(), run.dice("gate", 2).random()]
        await run.step("x", World().say, "x")
        return [*rolls, run.dice("gate", 1).random()]

    one, two, again = asyncio.run(play(engine_of(body), {"seed": 7}))
    assert one == again != two


# ── interruption ────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("R9")
def test_finished_steps_of_an_interrupted_run_do_not_run_again(engine_of: Open) -> None:
    world = World()
    times: list[tuple[datetime, float]] = []

    async def body(run: Run, _: dict[str, Any]) -> list[Any]:
        one = await run.step("one", world.say, "one")
        times.append((run.started, run.elapsed))
        return [one, await run.step("two", world.after, "two"), run.dice("x").random()]

    async def scene() -> Any:
        first = engine_of(body)
        await first.start("task", {}, "r")
        await rows_until(first, 2)
        await first.close()
        assert (await info_by(engine_of(body))).status in STOPPED
        world.gate("two").set()
        return await go_on(engine_of(body))

    assert asyncio.run(scene())[:2] == ["one", "two"]
    assert world.done == ["one", "two"]
    assert len(set(times)) == 1  # the start and the clock of finished steps are remembered


@pytest.mark.contract("R9")
def test_items_that_finished_out_of_order_find_their_rows_again(engine_of: Open) -> None:
    world = World()
    words = ["a", "b", "c", "d"]

    async def body(run: Run, _: dict[str, Any]) -> list[Any]:
        return await run.each("say", world.after, words)

    async def scene() -> Any:
        first = engine_of(body)
        await first.start("task", {}, "r")
        for count, word in enumerate(("d", "b"), start=2):
            world.gate(word).set()
            await rows_until(first, count)
        await first.close()
        for word in words:
            world.gate(word).set()
        return await go_on(engine_of(body))

    assert asyncio.run(scene()) == words
    assert world.done == ["d", "b", "a", "c"]


@pytest.mark.contract("R9")
def test_a_finished_run_is_not_run_again(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, _: dict[str, Any]) -> dict[str, str]:
        return {"said": await run.step("one", world.say, "one"), "stop_reason": "sufficient"}

    async def scene() -> None:
        first = await play(engine_of(body))
        assert await go_on(engine_of(body)) == first
        info = await info_by(engine_of(body))
        assert (info.status, info.stop_reason) == ("finished", "sufficient")

    asyncio.run(scene())
    assert world.done == ["one"]


@pytest.mark.contract("R10")
def test_other_code_than_recorded_is_refused(engine_of: Open) -> None:
    world = World()

    async def before(run: Run, _: dict[str, Any]) -> str:
        await run.step("plan", world.say, "plan")
        return await run.step("wait", world.after, "never")

    async def after(run: Run, _: dict[str, Any]) -> str:
        return await run.step("search", world.say, "search")

    async def scene() -> None:
        first = engine_of(before)
        await first.start("task", {}, "r")
        await rows_until(first, 2)
        await first.close()
        with pytest.raises(RunStopped, match="plan"):
            await go_on(engine_of(after))

    asyncio.run(scene())
    assert world.done == ["plan"]


# ── limits ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("R7")
def test_a_step_in_flight_is_cancelled_at_the_limit_and_the_last_steps_still_run(
    engine_of: Open,
) -> None:
    world = World()

    async def hang() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            world.done.append("cancelled")
        return "never"

    async def body(run: Run, _: dict[str, Any]) -> list[str]:
        run.limit(Limits(max_execution_time_s=0.3))
        try:
            await run.step("hang", hang)
        except BudgetSpent as spent:
            reason = spent.stop
        with pytest.raises(BudgetSpent):  # nothing new starts in the time kept back
            await run.step("more", world.say, "more")
        return [reason, await run.last_step("write", world.say, "report")]

    assert asyncio.run(play(engine_of(body))) == [Stop.MAX_TIME, "report"]
    assert world.done == ["cancelled", "report"]


@pytest.mark.contract("R7")
def test_items_done_before_the_limit_are_kept(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, _: dict[str, Any]) -> list[Any]:
        run.limit(Limits(max_execution_time_s=0.3))
        world.gate("quick").set()
        quick, slow = await run.each("say", world.after, ["quick", "slow"])
        assert isinstance(slow, Loss)
        return [quick, slow.what, "ran out" in slow.why]

    assert asyncio.run(play(engine_of(body))) == ["quick", "slow", True]


@pytest.mark.contract("R7")
def test_a_step_that_will_not_be_cancelled_does_not_hold_up_the_run(engine_of: Open) -> None:
    async def body(run: Run, _: dict[str, Any]) -> str:
        run.limit(Limits(max_execution_time_s=0.2))
        release = asyncio.Event()

        async def deaf() -> str:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return "late"

        try:
            return await run.step("deaf", deaf)
        except BudgetSpent as spent:
            release.set()
            return spent.stop.value

    assert asyncio.run(play(engine_of(body))) == "max_time"


# ── keeping runs ────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("R10")
def test_a_cancelled_run_keeps_what_it_has_and_can_be_resumed(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, _: dict[str, Any]) -> list[str]:
        return [
            await run.step("one", world.say, "one"),
            await run.step("two", world.after, "two"),
        ]

    async def scene() -> Any:
        engine = engine_of(body)
        await engine.start("task", {}, "r")
        await rows_until(engine, 2)
        await engine.cancel("r")
        with pytest.raises(RunStopped) as stopped:
            await engine.result("r")
        assert stopped.value.status == "cancelled"
        info = await engine.info("r")
        assert (info.status, info.stop_reason, info.steps) == ("cancelled", "cancelled", 2)
        await engine.close()
        world.gate("two").set()
        return await go_on(engine_of(body))

    assert asyncio.run(scene()) == ["one", "two"]
    assert world.done == ["one", "two"]


@pytest.mark.contract("R10")
def test_runs_are_listed_newest_first(engine_of: Open) -> None:
    async def body(run: Run, request: dict[str, Any]) -> Any:
        return await run.step("one", World().say, request["task"])

    async def scene() -> None:
        engine = engine_of(body)
        assert await engine.list() == []
        for name in ("a", "b", "c"):
            await engine.start(f"task {name}", {"seed": 3}, name)
            await engine.result(name)
        infos = await engine.list(limit=2)
        assert [info.id for info in infos] == ["c", "b"]
        assert (infos[0].task, infos[0].settings, infos[0].steps) == ("task c", {"seed": 3}, 2)
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("R10")
@pytest.mark.parametrize("engine_of", ["memory", "durable"], indirect=True)
def test_an_unfinished_run_is_found_by_its_task_and_settings(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, request: dict[str, Any]) -> str:
        return await run.step("say", world.after, request["task"])

    async def scene() -> None:
        engine = engine_of(body)
        world.gate("done").set()
        await engine.start("done", {"k": 1}, "finished")
        await engine.result("finished")
        await engine.start("open", {"k": 1}, "left")
        await rows_until_of(engine, "left", 1)
        assert await engine.find_unfinished("open", {"k": 1}) is None  # it runs
        await engine.close()
        later = engine_of(body)
        found = await later.find_unfinished("open", {"k": 1})
        assert found is not None
        assert found.id == "left"
        assert await later.find_unfinished("open", {"k": 2}) is None
        assert await later.find_unfinished("done", {"k": 1}) is None
        await later.close()

    asyncio.run(scene())


@pytest.mark.contract("R10")
def test_an_unknown_or_taken_id_is_refused(engine_of: Open) -> None:
    async def body(run: Run, _: dict[str, Any]) -> str:
        return await run.step("one", World().say, "one")

    async def scene() -> None:
        engine = engine_of(body)
        for ask in (engine.info, engine.rows, engine.result, engine.cancel, engine.resume):
            with pytest.raises(RunNotFound):
                await ask("nobody")
        await engine.start("task", {}, "r")
        with pytest.raises(BadInput, match="exists already"):
            await engine.start("task", {}, "r")
        await engine.result("r")
        with pytest.raises(BadInput, match="finished"):
            await engine.cancel("r")
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("R10", "O1")
def test_rows_follow_the_order_of_finishing_and_can_be_taken_up_again(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, _: dict[str, Any]) -> str:
        async def one(word: str) -> str:
            if word == "slow":
                await world.gate("quick").wait()
            return await world.say(word)

        async def quick(word: str) -> str:
            return await one(word)

        await run.each("say", quick, ["slow", "fast"])
        return await run.step("end", world.after, "end")

    async def scene() -> None:
        engine = engine_of(body)
        await engine.start("task", {}, "r")
        seen = []
        async for row in engine.follow("r"):
            seen.append(row)
            if row.value == "fast":
                world.gate("quick").set()
            if row.value == "slow":
                world.gate("end").set()
        assert [row.seq for row in seen] == [1, 2, 3, 4]
        assert [row.value for row in seen[1:]] == ["fast", "slow", "end"]
        assert all(row.started_at <= row.finished_at for row in seen)
        assert [row.elapsed for row in seen] == sorted(row.elapsed for row in seen)
        assert [row.seq async for row in engine.follow("r", after=2)] == [3, 4]
        assert await engine.rows("r") == seen
        await engine.close()

    asyncio.run(scene())


async def rows_until_of(engine: Engine, run_id: str, count: int) -> None:
    seen = 0
    async for _ in engine.follow(run_id):
        seen += 1
        if seen == count:
            return


# ── forks ───────────────────────────────────────────────────────────────────────────────────


async def letters(run: Run, request: dict[str, Any], world: World) -> list[Any]:
    """Two steps, some at the same time, one that depends on a setting, and a last one."""
    settings = request["settings"]
    first = await run.step("plan", world.say, "plan")
    found = await run.each("search", world.say, ["a", "b"])
    if settings.get("more"):
        found += await run.each("search", world.say, ["c"])
    last = await run.last_step("write", world.say, f"written by {settings['model']}")
    return [first, *found, last, run.started.isoformat(), settings.get("seed", 0)]


@pytest.mark.contract("R10")
def test_a_fork_goes_on_from_a_step_with_other_settings(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, request: dict[str, Any]) -> list[Any]:
        return await letters(run, request, world)

    async def scene() -> None:
        engine = engine_of(body)
        await engine.start("task", {"model": "small"}, "r")
        old = await engine.result("r")
        told = (await engine.info("r"), await engine.rows("r"), await engine.records("r"))
        world.done.clear()
        assert await engine.fork("r", "write", {"model": "large"}, "f") == "f"
        assert await engine.result("f") == [*old[:3], "written by large", *old[4:]]
        assert world.done == ["written by large"]
        info = await engine.info("f")
        assert (info.task, info.settings, info.forked_from) == ("task", {"model": "large"}, "r")
        rows = await engine.rows("f")
        assert [row.name for row in rows] == ["start", "plan", "search", "search", "write"]
        assert [row.seq for row in rows] == [1, 2, 3, 4, 5]
        assert rows[:4] == told[1][:4]
        assert rows[4].elapsed >= rows[3].elapsed
        seen = (await engine.info("r"), await engine.rows("r"), await engine.records("r"))
        assert seen == told
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("R10", "R9")
def test_a_fork_that_is_interrupted_goes_on_like_any_run(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, request: dict[str, Any]) -> list[str]:
        one = await run.step("one", world.say, "one")
        return [one, await run.step("two", world.after, f"two {request['settings']['k']}")]

    async def scene() -> None:
        world.gate("two 1").set()
        engine = engine_of(body)
        await engine.start("task", {"k": 1}, "old")
        await engine.result("old")
        await engine.fork("old", "two", {"k": 2}, "r")
        await rows_until(engine, 2)
        await engine.close()
        world.gate("two 2").set()
        assert await go_on(engine_of(body)) == ["one", "two 2"]
        assert (await info_by(engine_of(body))).forked_from == "old"

    asyncio.run(scene())
    assert world.done == ["one", "two 1", "two 2"]


@pytest.mark.contract("R10")
def test_a_step_that_failed_can_be_forked_from_although_it_left_no_record(engine_of: Open) -> None:
    world = World()

    async def write(model: str) -> str:
        if model == "small":
            raise OSError("model fell over")
        return await world.say("report")

    async def body(run: Run, request: dict[str, Any]) -> str:
        await run.step("plan", world.say, "plan")
        return await run.step("write", write, request["settings"]["model"])

    async def scene() -> None:
        engine = engine_of(body)
        await engine.start("task", {"model": "small"}, "r")
        with pytest.raises(RunStopped):
            await engine.result("r")
        await engine.fork("r", "write", {"model": "large"}, "f")
        assert await engine.result("f") == "report"
        await engine.close()

    asyncio.run(scene())
    assert world.done == ["plan", "report"]


@pytest.mark.contract("R10")
def test_a_fork_that_makes_no_sense_is_refused_and_leaves_nothing(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, request: dict[str, Any]) -> list[Any]:
        return await letters(run, request, world)

    async def scene() -> None:
        engine = engine_of(body)
        await engine.start("task", {"model": "small"}, "r")
        await engine.result("r")
        world.done.clear()
        with pytest.raises(BadInput, match="no step 'sing'; it has plan, search, write"):
            await engine.fork("r", "sing", {"model": "large"}, "f")
        with pytest.raises(BadInput, match="would do 'search' before 'write'"):
            await engine.fork("r", "write", {"model": "large", "more": True}, "f")
        with pytest.raises(RunNotFound):
            await engine.fork("nobody", "write", {"model": "large"}, "f")
        with pytest.raises(BadInput, match="exists already"):
            await engine.fork("r", "write", {"model": "large"}, "r")
        assert [info.id for info in await engine.list()] == ["r"]
        assert len(await engine.records("r")) == 5
        await engine.close()

    asyncio.run(scene())
    assert world.done == []


# ── begun and waited for later ──────────────────────────────────────────────────────────────


@pytest.mark.contract("G7", "R9")
def test_a_begun_step_runs_beside_the_next_and_keeps_its_place_in_the_journal(
    engine_of: Open,
) -> None:
    world = World()
    seen: list[tuple[str, ...]] = []

    async def body(run: Run, _: dict[str, Any]) -> list[str]:
        slow = run.begin_step("slow", world.after, "slow")
        quick = await run.step("quick", world.say, "quick")
        many = run.begin_each("many", world.say, ["a", "b"])
        last = await run.step("wait", world.after, "wait")
        seen.append(tuple(world.done))
        return [quick, last, await slow(), *(str(one) for one in await many())]

    async def scene() -> Any:
        engine = engine_of(body)
        await engine.start("task", {}, "r")
        await rows_until(engine, 4)  # start, quick, a, b: the slow one holds up nobody
        await engine.close()
        world.gate("slow").set()
        world.gate("wait").set()
        return await go_on(engine_of(body))

    assert asyncio.run(scene()) == ["quick", "wait", "slow", "a", "b"]
    assert sorted(world.done) == ["a", "b", "quick", "slow", "wait"]


@pytest.mark.contract("R8")
def test_time_passes_when_a_result_is_learned_live_and_on_replay(engine_of: Open) -> None:
    world = World()
    elapsed: list[tuple[float, ...]] = []

    async def body(run: Run, _: dict[str, Any]) -> str:
        begun = run.begin_step("slow", world.say, "slow")
        await run.step("quick", world.say, "quick")
        before = run.elapsed
        await begun()
        elapsed.append((before, run.elapsed))
        return await run.step("wait", world.after, "wait")

    async def scene() -> None:
        engine = engine_of(body)
        await engine.start("task", {}, "r")
        await rows_until(engine, 3)
        await engine.close()
        world.gate("wait").set()
        await go_on(engine_of(body))

    asyncio.run(scene())
    assert len(set(elapsed)) == 1


def test_what_was_begun_and_not_waited_for_ends_with_the_run(engine_of: Open) -> None:
    world = World()

    async def body(run: Run, _: dict[str, Any]) -> str:
        run.begin_step("never", world.after, "never")
        return await run.step("say", world.say, "said")

    assert asyncio.run(play(engine_of(body))) == "said"
    assert world.done == ["said"]
