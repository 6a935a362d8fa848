"""The durable engine where it differs from memory: other processes, dead ones, a bad disk."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import engine_child
import pytest
from engine_child import stuck, three_steps, unstuck

from leadline.errors import BadInput, RunStopped, StoreBroken
from leadline.ports import Run, RunInfo
from leadline.store.engine import DurableEngine
from leadline.store.player import VERSION

PATIENCE_S = 60
Spawn = Callable[..., tuple[BaseProcess, Connection]]


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Starts a child process with a pipe to it; all are gone after the test."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["leadline.store.engine", "pydantic"])
    children: list[BaseProcess] = []

    def start(target: Callable[..., None], folder: Path, *args: Any) -> tuple[Any, Connection]:
        ours, theirs = multiprocessing.Pipe()
        child = context.Process(target=target, args=(folder, theirs, *args))
        child.start()
        theirs.close()
        children.append(child)
        return child, ours

    yield start
    for child in children:
        child.kill()
        child.join(PATIENCE_S)


def hear(pipe: Connection) -> Any:
    assert pipe.poll(PATIENCE_S), "the child process said nothing"
    return pipe.recv()


def die(child: BaseProcess) -> None:
    child.kill()
    child.join(PATIENCE_S)


def info(folder: Path) -> RunInfo:
    return asyncio.run(DurableEngine(folder, stuck).info("r"))


async def resumed(folder: Path) -> Any:
    async with DurableEngine(folder, unstuck) as engine:
        await engine.resume("r")
        return await engine.result("r")


def test_a_run_of_a_living_process_is_left_alone_and_that_of_a_dead_one_taken_over(
    tmp_path: Path, spawn: Spawn
) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"
    assert info(tmp_path).status == "running"
    with pytest.raises(BadInput, match="another process"):
        asyncio.run(resumed(tmp_path))
    die(child)
    assert info(tmp_path).status == "interrupted"
    assert asyncio.run(resumed(tmp_path)) == "free"


@pytest.mark.contract("R9")
def test_of_two_processes_that_take_a_run_over_one_does(tmp_path: Path, spawn: Spawn) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"
    die(child)
    pipes = [spawn(engine_child.take_over, tmp_path)[1] for _ in range(3)]
    assert [hear(pipe) for pipe in pipes] == ["ready"] * 3
    for pipe in pipes:
        pipe.send("go")
    said = [hear(pipe) for pipe in pipes]
    assert said.count("took it") == 1
    assert sum("another process" in word for word in said) == 2


@pytest.mark.contract("R9")
def test_processes_that_begin_at_once_in_an_empty_folder_do_not_disturb_each_other(
    tmp_path: Path, spawn: Spawn
) -> None:
    names = ["a", "b", "c", "d"]
    pipes = [spawn(engine_child.run_once, tmp_path, name)[1] for name in names]
    assert [hear(pipe) for pipe in pipes] == ["ready"] * 4
    for pipe in pipes:
        pipe.send("go")
    assert [hear(pipe) for pipe in pipes] == [[f"{n} {i}" for i in range(3)] for n in names]
    runs = asyncio.run(DurableEngine(tmp_path, stuck).list())
    assert {(run.id, run.status, run.steps) for run in runs} == {(n, "finished", 4) for n in names}


@pytest.mark.contract("R10")
def test_a_run_is_cancelled_from_another_process_in_the_middle_of_a_step(
    tmp_path: Path, spawn: Spawn
) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"

    async def cancel() -> None:
        async with DurableEngine(tmp_path, stuck) as engine:
            await engine.cancel("r")

    asyncio.run(cancel())
    assert "was cancelled" in hear(pipe)
    child.join(PATIENCE_S)
    assert info(tmp_path).status == "cancelled"
    assert asyncio.run(resumed(tmp_path)) == "free"


@pytest.mark.contract("U2")
def test_an_interrupt_from_the_keyboard_leaves_a_run_that_can_be_resumed(
    tmp_path: Path, spawn: Spawn
) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"
    assert child.pid is not None
    os.kill(child.pid, signal.SIGINT)
    assert hear(pipe) == "interrupted"
    child.join(PATIENCE_S)
    assert (info(tmp_path).status, info(tmp_path).steps) == ("interrupted", 2)
    assert asyncio.run(resumed(tmp_path)) == "free"


@pytest.mark.contract("R10")
def test_a_new_question_does_not_start_old_runs(tmp_path: Path, spawn: Spawn) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"
    die(child)

    async def ask() -> None:
        async with DurableEngine(tmp_path, three_steps) as engine:
            await engine.start("new", {}, "new")
            await engine.result("new")

    asyncio.run(ask())
    assert (info(tmp_path).status, info(tmp_path).steps) == ("interrupted", 2)


def test_a_child_that_outlives_its_process_does_not_keep_the_run_alive(
    tmp_path: Path, spawn: Spawn
) -> None:
    child, pipe = spawn(engine_child.hold_with_a_child, tmp_path)
    orphan = hear(pipe)
    try:
        assert info(tmp_path).status == "running"
        die(child)
        assert info(tmp_path).status == "interrupted"
    finally:
        os.kill(orphan, signal.SIGKILL)


# ── bad files ───────────────────────────────────────────────────────────────────────────────


async def one_run(folder: Path, name: str = "r") -> Any:
    async with DurableEngine(folder, three_steps) as engine:
        await engine.start("task", {}, name)
        return await engine.result(name)


@pytest.mark.contract("R10")
def test_a_damaged_store_is_named_with_what_to_do(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    store.write_bytes(b"this is no database " * 400)
    for ask in (one_run(tmp_path), DurableEngine(tmp_path, stuck).list()):
        with pytest.raises(StoreBroken, match=r"runs\.db is damaged.*move it away"):
            asyncio.run(ask)


def test_a_store_with_a_damaged_page_is_named_with_what_to_do(tmp_path: Path) -> None:
    asyncio.run(one_run(tmp_path))
    store = tmp_path / "runs.db"
    size = store.stat().st_size
    with store.open("r+b") as handle:
        handle.seek(4096)
        handle.write(os.urandom(size - 4096))
    with pytest.raises(StoreBroken, match=r"runs\.db is damaged"):
        asyncio.run(DurableEngine(tmp_path, stuck).list())


@pytest.mark.parametrize("obstacle", ["folder is a file", "store is a folder"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, obstacle: str) -> None:
    folder = tmp_path / "data"
    if obstacle == "folder is a file":
        folder.write_text("")
    else:
        (folder / "runs.db").mkdir(parents=True)
    with pytest.raises(StoreBroken, match="data"):
        asyncio.run(one_run(folder))


@pytest.mark.contract("R9")
def test_a_full_disk_stops_the_run_with_a_message_and_leaves_it_resumable(
    tmp_path: Path, spawn: Spawn
) -> None:
    child, pipe = spawn(engine_child.run_on_a_full_disk, tmp_path)
    said = hear(pipe)
    assert said.startswith("StoreBroken: cannot use")
    assert "runs.db" in said
    child.join(PATIENCE_S)
    assert info(tmp_path).status == "interrupted"
    assert asyncio.run(resumed(tmp_path)) == "free"


def test_a_run_of_another_version_is_refused(tmp_path: Path, spawn: Spawn) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"
    die(child)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as connection, connection:
        connection.execute("UPDATE runs SET version = '0'")
    with pytest.raises(BadInput, match="another version of Leadline"):
        asyncio.run(resumed(tmp_path))


# ── manners ─────────────────────────────────────────────────────────────────────────────────


def test_what_is_stored_is_json(tmp_path: Path) -> None:
    asyncio.run(one_run(tmp_path))
    with closing(sqlite3.connect(tmp_path / "runs.db")) as connection:
        texts = [
            text
            for table, column in (
                ("runs", "settings"),
                ("runs", "result"),
                ("steps", "record"),
            )
            for (text,) in connection.execute(f"SELECT {column} FROM {table}")
        ]
    assert len(texts) == 6
    assert [json.loads(text) for text in texts]


def test_a_failing_run_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async def boom() -> str:
        raise ValueError("no")

    async def fail(run: Run, _: dict[str, Any]) -> str:
        return await run.step("boom", boom)

    async def scene() -> None:
        async with DurableEngine(tmp_path, fail) as engine:
            await engine.start("task", {}, "r")
            with pytest.raises(RunStopped, match="ValueError: no"):
                await engine.result("r")

    asyncio.run(scene())
    assert capfd.readouterr() == ("", "")


def test_engines_of_one_process_share_a_store_or_have_their_own(tmp_path: Path) -> None:
    async def scene() -> list[Any]:
        async with (
            DurableEngine(tmp_path / "a", three_steps) as one,
            DurableEngine(tmp_path / "a", unstuck) as two,
            DurableEngine(tmp_path / "b", three_steps) as other,
        ):
            await one.start("task", {}, "r1")
            await two.start("task", {}, "r2")
            await other.start("task", {}, "r1")
            assert {run.id for run in await one.list()} == {"r1", "r2"}
            return [await one.result("r1"), await two.result("r2"), await other.result("r1")]

    first, second, third = asyncio.run(scene())
    assert first == third == ["task 0", "task 1", "task 2"]
    assert second == "free"


def test_threads_with_loops_of_their_own_share_the_store(tmp_path: Path) -> None:
    async def one(name: str) -> Any:
        async with DurableEngine(tmp_path, unstuck) as engine:
            await engine.start("task", {}, name)
            return await engine.result(name)

    with ThreadPoolExecutor() as pool:
        names = [f"r{number}" for number in range(4)]
        assert list(pool.map(lambda name: asyncio.run(one(name)), names)) == ["free"] * 4


def test_an_engine_that_was_never_closed_does_not_block_the_next(tmp_path: Path) -> None:
    async def forget() -> None:
        engine = DurableEngine(tmp_path, stuck)
        await engine.start("task", {}, "r")
        async for row in engine.follow("r"):
            if row.name == "say":
                return

    asyncio.run(forget())
    assert info(tmp_path).status == "interrupted"
    other = tmp_path / "other"
    assert asyncio.run(one_run(other)) == ["task 0", "task 1", "task 2"]
    assert asyncio.run(resumed(tmp_path)) == "free"


@pytest.mark.parametrize("name", ["a b", "a%20b", "a#b", "a?b=c", "ü:@+"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    assert asyncio.run(one_run(tmp_path / name)) == ["task 0", "task 1", "task 2"]
    assert (tmp_path / name / "runs.db").is_file()


def test_what_dead_processes_left_is_swept_up(tmp_path: Path, spawn: Spawn) -> None:
    child, pipe = spawn(engine_child.hold, tmp_path)
    assert hear(pipe) == "running"
    assert asyncio.run(one_run(tmp_path, "other")) == ["task 0", "task 1", "task 2"]
    assert [path.name for path in (tmp_path / "locks").iterdir()] == ["r.lock"]
    die(child)
    assert asyncio.run(one_run(tmp_path, "another")) == ["task 0", "task 1", "task 2"]
    assert list((tmp_path / "locks").iterdir()) == []
    assert info(tmp_path).status == "interrupted"


_BEFORE_QUEUE = f"""
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, task TEXT NOT NULL, settings TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'cancelled')),
        executor TEXT NOT NULL, token TEXT NOT NULL, version TEXT NOT NULL,
        created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, result TEXT, failure TEXT,
        origin TEXT NOT NULL DEFAULT '', origin_s REAL NOT NULL DEFAULT 0);
    CREATE INDEX runs_by_time ON runs (created_ms);
    CREATE TABLE steps (
        position INTEGER PRIMARY KEY, run TEXT NOT NULL, number INTEGER NOT NULL,
        record TEXT NOT NULL, UNIQUE (run, number));
    INSERT INTO runs (id, task, settings, status, executor, token, version, created_ms, updated_ms,
                      result)
    VALUES ('old', 'asked long ago', '{{}}', 'finished', 'x', 't', '{VERSION}', 1, 2, '"said"'),
           ('left', 'task', '{{}}', 'running', 'dead', 't', '{VERSION}', 3, 4, NULL);
"""


_WITH_LEASES = """
    ALTER TABLE runs ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN key TEXT;
    ALTER TABLE runs ADD COLUMN lives INTEGER NOT NULL DEFAULT 0;
    CREATE UNIQUE INDEX runs_by_key ON runs (owner, key);
    CREATE INDEX runs_open ON runs (priority) WHERE status IN ('queued', 'running') AND queued;
"""


@pytest.mark.contract("R9", "H5")
@pytest.mark.parametrize("later", ["", _WITH_LEASES], ids=["before the queue", "with leases"])
@pytest.mark.parametrize("first", ["reader", "writer"])
def test_a_store_of_an_earlier_version_keeps_its_runs(
    tmp_path: Path, first: str, later: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "runs.db")) as file:
        file.executescript(_BEFORE_QUEUE + later)

    async def scene() -> None:
        async with DurableEngine(tmp_path, three_steps) as engine:
            if first == "writer":
                await engine.enqueue("task", {}, "new")
            infos = {info.id: info.status for info in await engine.list()}
            assert (infos["old"], infos["left"]) == ("finished", "interrupted")
            assert await engine.result("old") == "said"
            await engine.resume("left")
            assert await engine.result("left") == ["task 0", "task 1", "task 2"]
            await engine.requeue("left")
            assert (await engine.info("left")).status == "finished"

    asyncio.run(scene())
