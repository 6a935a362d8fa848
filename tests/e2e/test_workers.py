"""Many workers over PostgreSQL and Temporal: killed, frozen, cut off, cancelled, told to end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import stalled
from cuttable import Wire

from benchmarks.workers import disturbed
from leadline.errors import RunStopped
from leadline.ports import Run
from leadline.results import Record
from leadline.store.player import VERSION
from leadline.store.runstore import GENERATION, MAX_ATTEMPTS, NotOurs, Ticket
from many_machines import Machines, Servers, servers

pytestmark = pytest.mark.slow
PATIENCE_S = 120.0  # a machine may be busy
TAKEN_OVER_S = 30.0
HELD = stalled.HELD_AT + 1  # steps that the first worker begins before it is let go
Hire = Callable[..., tuple[ForkServerProcess, Connection]]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with servers(tmp_path_factory.mktemp("temporal")) as made:
        yield made


@pytest.fixture
def machines(both: Servers) -> Machines:
    return both.machines()


@pytest.fixture
def hire(machines: Machines, tmp_path: Path) -> Iterator[Hire]:
    """Starts a worker in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["leadline.store.engine", "leadline.store.postgres.store"])
    hired: list[tuple[ForkServerProcess, Connection]] = []

    def start(name: str, way: Machines = machines) -> tuple[ForkServerProcess, Connection]:
        ours, theirs = multiprocessing.Pipe()
        child = context.Process(target=stalled.live, args=(way, tmp_path, name, theirs))
        child.start()
        theirs.close()
        hired.append((child, ours))
        assert ours.recv() == "working"
        return child, ours

    yield start
    for child, ours in hired:
        if child.is_alive():
            assert child.pid
            os.kill(child.pid, signal.SIGCONT)
            ours.send("stop")
            child.join(PATIENCE_S)
            assert child.exitcode == 0


def marks(folder: Path) -> list[list[str]]:
    path = folder / "side.txt"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def until(true: Callable[[], bool]) -> float:
    """How long it took until something was so."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < PATIENCE_S
        time.sleep(0.02)  # another process is watched
    return time.monotonic() - began


def begun_by(folder: Path, name: str) -> int:
    return sum(mark[0] == "begin" and mark[2] == name for mark in marks(folder))


async def ask(machines: Machines, folder: Path) -> None:
    async with stalled.engine(machines, folder, "asker") as engine:
        await engine.enqueue("task", {}, "r")


async def answer(machines: Machines, folder: Path) -> str:
    async with stalled.engine(machines, folder, "asker") as engine:
        return str((await engine.result("r"))["said"])


def ends(folder: Path) -> list[int]:
    return [int(mark[1]) for mark in marks(folder) if mark[0] == "end"]


@pytest.mark.contract("H5", "R9")
def test_the_runs_of_a_killed_worker_are_taken_over_and_nothing_finished_is_done_again(
    machines: Machines, tmp_path: Path, hire: Hire
) -> None:
    asyncio.run(ask(machines, tmp_path))
    first, _ = hire("first")
    until(lambda: begun_by(tmp_path, "first") == HELD)
    hire("second")
    first.kill()
    first.join(PATIENCE_S)
    assert until(lambda: begun_by(tmp_path, "second") > 0) < TAKEN_OVER_S
    said = asyncio.run(answer(machines, tmp_path))
    assert "0 by first" in said
    assert f"{stalled.STEPS - 1} by second" in said
    again = [number for number in set(ends(tmp_path)) if ends(tmp_path).count(number) > 1]
    assert len(again) <= 1  # one that had ended but did not stand in the journal yet


@pytest.mark.contract("H5", "R9")
def test_a_frozen_worker_that_wakes_writes_nothing_and_its_killed_successor_has_one_too(
    machines: Machines, tmp_path: Path, hire: Hire
) -> None:
    asyncio.run(ask(machines, tmp_path))
    first, _ = hire("first")
    until(lambda: begun_by(tmp_path, "first") == HELD)
    assert first.pid
    os.kill(first.pid, signal.SIGSTOP)
    second, _ = hire("second")
    assert until(lambda: begun_by(tmp_path, "second") >= 2) < TAKEN_OVER_S
    stalled.let_go(tmp_path)
    os.kill(first.pid, signal.SIGCONT)  # in the middle of the second's work
    until(lambda: ends(tmp_path).count(stalled.HELD_AT) > 1)
    hire("third")
    second.kill()
    said = asyncio.run(answer(machines, tmp_path))
    authors = [part.split()[-1] for part in said.split("; ")]
    assert authors[: stalled.HELD_AT + 1] == ["first"] * stalled.HELD_AT + ["second"]
    assert len(authors) == stalled.STEPS


@pytest.mark.contract("H5", "R9")
def test_a_worker_whose_network_was_cut_writes_nothing_when_it_is_back(
    machines: Machines, tmp_path: Path, hire: Hire
) -> None:
    ports = [urlsplit(url).port for url in (machines.url, machines.engine_url)]
    wires = [Wire(port) for port in ports if port]
    ways = [
        url.replace(f":{port}/", f":{wire.port}/")
        for url, port, wire in zip((machines.url, machines.engine_url), ports, wires, strict=True)
    ]
    asyncio.run(ask(machines, tmp_path))
    hire("first", Machines(*ways))
    until(lambda: begun_by(tmp_path, "first") == HELD)
    for wire in wires:
        wire.whole.clear()
    stalled.let_go(tmp_path)
    hire("second")
    assert until(lambda: begun_by(tmp_path, "second") >= 2) < TAKEN_OVER_S
    for wire in wires:
        wire.whole.set()
    said = asyncio.run(answer(machines, tmp_path))
    authors = [part.split()[-1] for part in said.split("; ")]
    assert authors == ["first"] * authors.count("first") + ["second"] * authors.count("second")
    assert authors.count("second") >= 2
    for wire in wires:
        wire.close()


@pytest.mark.contract("H5", "R9")
def test_a_write_of_an_earlier_turn_is_refused_whatever_it_is(machines: Machines) -> None:
    from leadline.store.postgres.store import PostgresStore

    async def scene() -> None:
        store, now = PostgresStore(machines.url), datetime.now(UTC)
        old, new = GENERATION + 1, GENERATION + 2
        await store.begin("r", {"task": "t", "settings": {}}, VERSION, now, ticket=Ticket())
        assert await store.claim("r", old, VERSION, now)
        await store.release("r", old, now)
        assert await store.claim("r", new, VERSION, now)
        assert not await store.claim("r", old, VERSION, now)
        record = Record(
            seq=1, name="x", started_at="", finished_at="", elapsed=0.0, value=1, error=None
        )
        with pytest.raises(NotOurs):
            await store.write("r", old, ("", 1), record)
        await store.finish("r", old, {}, now)
        await store.release("r", old, now)
        assert await store.lost({"r": old}) == {"r"}
        assert await store.status("r") == "running"
        await store.write("r", new, ("", 1), record)
        await store.write("r", new, ("", 1), record)  # said again after a lost answer: the same
        with pytest.raises(NotOurs):
            await store.write("r", new, ("", 1), {**record, "value": 2})
        await store.close()

    asyncio.run(scene())


_WITH_LEASES = f"""
    CREATE SCHEMA leadline;
    CREATE TABLE leadline.workers (executor TEXT PRIMARY KEY);
    CREATE TABLE leadline.runs (
        position BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE, id TEXT PRIMARY KEY,
        task TEXT NOT NULL, settings TEXT NOT NULL, status TEXT NOT NULL,
        executor TEXT NOT NULL, token TEXT NOT NULL, version TEXT NOT NULL,
        created_ms BIGINT NOT NULL, updated_ms BIGINT NOT NULL, result TEXT, stop_reason TEXT,
        failure TEXT, origin TEXT NOT NULL DEFAULT '',
        origin_s DOUBLE PRECISION NOT NULL DEFAULT 0, queued BOOLEAN NOT NULL DEFAULT false,
        owner TEXT NOT NULL DEFAULT '', priority INTEGER NOT NULL DEFAULT 0, key TEXT,
        lives INTEGER NOT NULL DEFAULT 0, UNIQUE (owner, key));
    CREATE TABLE leadline.steps (
        position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run TEXT NOT NULL,
        child TEXT NOT NULL, number INTEGER NOT NULL, record TEXT NOT NULL,
        UNIQUE (run, child, number));
    INSERT INTO leadline.runs (id, task, settings, status, executor, token, version, created_ms,
                               updated_ms, result)
    VALUES ('old', 't', '{{}}', 'finished', 'x', 't', '{VERSION}', 1, 2, '"said"'),
           ('left', 't', '{{}}', 'running', 'dead', 't', '{VERSION}', 3, 4, NULL);
"""


@pytest.mark.contract("H5", "R9")
def test_a_database_of_an_earlier_version_keeps_its_runs_and_goes_on_with_them(
    machines: Machines, tmp_path: Path
) -> None:
    import psycopg

    with psycopg.connect(machines.url) as connection:
        connection.execute(_WITH_LEASES)

    async def scene() -> None:
        held, stop = Held(), asyncio.Event()
        held.free = True
        engine = machines.engine(tmp_path, held.body)
        assert await engine.result("old") == "said"
        doing = [asyncio.ensure_future(engine.work(1, stop))]
        doing += [asyncio.ensure_future(engine.serve(1, stop))]
        assert await asyncio.wait_for(engine.result("left"), PATIENCE_S) == ["one", "held"]
        stop.set()
        await asyncio.gather(*doing)
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R9")
def test_a_run_goes_on_over_a_restart_of_the_database(
    both: Servers, machines: Machines, tmp_path: Path, hire: Hire
) -> None:
    asyncio.run(ask(machines, tmp_path))
    hire("first")
    until(lambda: begun_by(tmp_path, "first") == HELD)
    both.postgres.restart()
    stalled.let_go(tmp_path)
    said = asyncio.run(answer(machines, tmp_path))
    assert said.count("by first") == stalled.STEPS
    assert sorted(ends(tmp_path)) == list(range(stalled.STEPS))


class Held:
    """A run of two steps, the second of which takes for ever the first time."""

    def __init__(self) -> None:
        self.begun, self.ended, self.free = asyncio.Event(), asyncio.Event(), False

    async def say(self, word: str) -> str:
        return word

    async def hold(self) -> str:
        self.begun.set()
        try:
            while not self.free:  # noqa: ASYNC110 - it is cancelled
                await asyncio.sleep(0.01)
        finally:
            self.ended.set()
        return "held"

    async def body(self, run: Run, request: dict[str, Any]) -> list[str]:
        return [await run.step("say", self.say, "one"), await run.step("hold", self.hold)]


@pytest.mark.contract("H5", "R10")
def test_a_cancel_reaches_a_step_of_another_process_within_two_seconds(
    machines: Machines, tmp_path: Path
) -> None:
    async def scene() -> None:
        held, stop = Held(), asyncio.Event()
        asker, worker = (machines.engine(tmp_path, held.body) for _ in range(2))
        working = asyncio.ensure_future(worker.work(1, stop))
        await asker.enqueue("t", {}, "r")
        await asyncio.wait_for(held.begun.wait(), PATIENCE_S)
        await asker.cancel("r")
        await asyncio.wait_for(held.ended.wait(), 2.0)
        with pytest.raises(RunStopped, match="cancelled"):
            await asker.result("r")
        held.free = True
        await asker.resume("r")  # the next generation
        assert await asyncio.wait_for(asker.result("r"), PATIENCE_S) == ["one", "held"]
        stop.set()
        await working
        await asker.close()
        await worker.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R10")
def test_a_run_that_workers_keep_dying_over_fails_and_can_be_resumed(
    machines: Machines, tmp_path: Path
) -> None:
    from leadline.store.temporal import Activities, Order

    async def scene() -> None:
        held, stop = Held(), asyncio.Event()
        engine = machines.engine(tmp_path, held.body)
        held.free = True
        await engine.enqueue("t", {}, "r")
        activities = Activities(engine._player, None)
        last = Order("r", GENERATION + MAX_ATTEMPTS + 1)
        await activities.give_up(last)
        assert (await engine.info("r")).reason.startswith(f"{MAX_ATTEMPTS} workers died")
        await engine.resume("r")
        await activities.give_up(last)  # of the generation before: too late
        working = asyncio.ensure_future(engine.work(1, stop))
        assert await asyncio.wait_for(engine.result("r"), PATIENCE_S) == ["one", "held"]
        stop.set()
        await working
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R9")
def test_a_run_that_nobody_was_told_of_is_sent_by_the_service(
    both: Servers, machines: Machines, tmp_path: Path
) -> None:
    """As after a crash between the journal and Temporal, or with Temporal away."""
    import psycopg

    held = Held()
    held.free = True
    nowhere = Machines(machines.url, "temporal://127.0.0.1:9/default")

    async def scene() -> None:
        asker = nowhere.engine(tmp_path, held.body)
        assert await asker.fault()
        await asker.enqueue("t", {}, "r")  # it stands in the journal
        await asker.close()
        with psycopg.connect(machines.url) as connection:
            connection.execute("UPDATE leadline.runs SET updated_ms = updated_ms - 11000")
        engine, stop = machines.engine(tmp_path, held.body), asyncio.Event()
        doing = [asyncio.ensure_future(engine.work(1, stop))]
        doing += [asyncio.ensure_future(engine.serve(1, stop)) for _ in range(2)]
        assert await asyncio.wait_for(engine.result("r"), PATIENCE_S) == ["one", "held"]
        stop.set()
        await asyncio.gather(*doing)
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5")
def test_a_run_of_another_version_goes_to_a_worker_of_that_version(
    machines: Machines, tmp_path: Path
) -> None:
    """Its steps say `old`; the worker that meets it first hands it on."""
    import psycopg
    from temporalio import activity
    from temporalio.client import Client
    from temporalio.worker import Worker

    from leadline.store.temporal import QUEUE, Activities, Order

    async def scene() -> None:
        held, stop = Held(), asyncio.Event()
        engine = machines.engine(tmp_path, held.body)
        working = asyncio.ensure_future(engine.work(1, stop))
        await engine.enqueue("t", {}, "r")
        await asyncio.wait_for(held.begun.wait(), PATIENCE_S)
        stop.set()
        await working
        with psycopg.connect(machines.url) as connection:
            connection.execute("UPDATE leadline.runs SET version = 'old'")
        held.free, stop = True, asyncio.Event()
        working = asyncio.ensure_future(engine.work(1, stop))
        where = urlsplit(machines.engine_url)
        client = await Client.connect(where.netloc, namespace=where.path.strip("/"))
        old = Activities(engine._player, None)
        taken = asyncio.Event()

        async def research(order: Any) -> str:
            with psycopg.connect(machines.url) as connection:
                connection.execute("UPDATE leadline.runs SET version = %s", (VERSION,))
            taken.set()
            return str(await old.research(order))

        research.__annotations__ = {"order": Order, "return": str}
        there = activity.defn(name="research")(research)
        async with Worker(client, task_queue=f"{QUEUE}-vold", activities=[there]):
            assert await asyncio.wait_for(engine.result("r"), PATIENCE_S) == ["one", "held"]
        assert taken.is_set()
        stop.set()
        await working
        await engine.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "H4")
def test_temporal_is_told_no_question_and_no_setting(machines: Machines, tmp_path: Path) -> None:
    from temporalio.client import Client

    async def scene() -> str:
        held, stop = Held(), asyncio.Event()
        held.free = True
        engine = machines.engine(tmp_path, held.body)
        working = asyncio.ensure_future(engine.work(1, stop))
        await engine.enqueue("the secret question", {"openai_api_key": "sk-x"}, "r", owner="ann")
        await engine.result("r")
        where = urlsplit(machines.engine_url)
        client = await Client.connect(where.netloc, namespace=where.path.strip("/"))
        history = await client.get_workflow_handle("r.1").fetch_history()
        stop.set()
        await working
        await engine.close()
        return str(history.to_json())

    told = asyncio.run(scene())
    assert "carry-out" in told
    assert not [word for word in ("secret", "question", "openai", "sk-x") if word in told]


@pytest.mark.contract("H5", "R9")
def test_kills_among_workers_lose_double_and_repeat_nothing() -> None:
    outcome = disturbed(runs=24, workers=3, kills=4, seed=7)
    assert (outcome["finished"], outcome["kills"]) == (24, 4)
    assert (outcome["lost"], outcome["doubled"], outcome["repeated"]) == (0, 0, 0)
    assert float(outcome["takeover_max_s"]) < TAKEN_OVER_S
