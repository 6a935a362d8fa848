"""Many workers over one PostgreSQL: killed, stopped past their lease, cut off, told to end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import stalled
from cuttable import Wire

from leadline.store.engine import VERSION
from leadline.store.postgres.store import PostgresStore
from leadline.store.runstore import NotOurs
from pg_server import MISSING, PgServer, programs

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

pytestmark = pytest.mark.slow
PATIENCE_S = 120.0  # a machine may be busy
HELD = stalled.HELD_AT + 1  # steps that the first worker begins before it is let go
Hire = Callable[..., tuple[ForkServerProcess, Connection]]


@pytest.fixture(scope="module")
def server() -> Iterator[PgServer]:
    if programs() is None:
        pytest.skip(MISSING)
    made = PgServer()
    yield made
    made.remove()


@pytest.fixture
def url(server: PgServer) -> str:
    return server.new_database()


@pytest.fixture
def hire(url: str, tmp_path: Path) -> Iterator[Hire]:
    """Starts a worker in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["leadline.store.engine", "leadline.store.postgres.store"])
    hired: list[tuple[ForkServerProcess, Connection]] = []

    def start(name: str, way: str = url) -> tuple[ForkServerProcess, Connection]:
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


async def ask(url: str, folder: Path) -> None:
    async with stalled.engine(url, folder, "asker") as engine:
        await engine.enqueue("task", {}, "r")


async def answer(url: str, folder: Path) -> str:
    async with stalled.engine(url, folder, "asker") as engine:
        return str((await engine.result("r"))["said"])


def ends(folder: Path) -> list[int]:
    return [int(mark[1]) for mark in marks(folder) if mark[0] == "end"]


@pytest.mark.contract("H5", "R9")
def test_the_runs_of_a_killed_worker_are_taken_over_and_nothing_finished_is_done_again(
    url: str, tmp_path: Path, hire: Hire
) -> None:
    asyncio.run(ask(url, tmp_path))
    first, _ = hire("first")
    until(lambda: begun_by(tmp_path, "first") == HELD)
    hire("second")
    first.kill()
    first.join(PATIENCE_S)
    assert until(lambda: begun_by(tmp_path, "second") > 0) < 30
    said = asyncio.run(answer(url, tmp_path))
    assert "0 by first" in said
    assert f"{stalled.STEPS - 1} by second" in said
    again = [number for number in set(ends(tmp_path)) if ends(tmp_path).count(number) > 1]
    assert len(again) <= 1  # one that had ended but did not stand in the journal yet


@pytest.mark.contract("H5", "R9")
def test_a_worker_that_was_stopped_past_its_lease_writes_nothing_when_it_wakes(
    url: str, tmp_path: Path, hire: Hire
) -> None:
    asyncio.run(ask(url, tmp_path))
    first, _ = hire("first")
    until(lambda: begun_by(tmp_path, "first") == HELD)
    assert first.pid
    os.kill(first.pid, signal.SIGSTOP)
    hire("second")
    until(lambda: begun_by(tmp_path, "second") >= 2)
    stalled.let_go(tmp_path)
    os.kill(first.pid, signal.SIGCONT)  # in the middle of the second's work
    said = asyncio.run(answer(url, tmp_path))
    assert begun_by(tmp_path, "first") == HELD  # it begins no step of a run that is not its own
    authors = [part.split()[-1] for part in said.split("; ")]
    assert authors == ["first"] * authors.count("first") + ["second"] * authors.count("second")
    with psycopg.connect(url) as connection:
        sql = "SELECT count(*), count(DISTINCT number) FROM leadline.steps WHERE run = 'r'"
        assert connection.execute(sql).fetchone() == (stalled.STEPS + 1, stalled.STEPS + 1)


@pytest.mark.contract("H5", "R9")
def test_a_worker_whose_network_was_cut_writes_nothing_when_it_is_back(
    url: str, tmp_path: Path, hire: Hire
) -> None:
    port = urlsplit(url).port
    assert port
    wire = Wire(port)
    asyncio.run(ask(url, tmp_path))
    hire("first", url.replace(f":{port}/", f":{wire.port}/"))
    until(lambda: begun_by(tmp_path, "first") == HELD)
    wire.whole.clear()
    stalled.let_go(tmp_path)
    hire("second")
    assert until(lambda: begun_by(tmp_path, "second") >= 2) < 30
    wire.whole.set()
    said = asyncio.run(answer(url, tmp_path))
    authors = [part.split()[-1] for part in said.split("; ")]
    assert authors == ["first"] * authors.count("first") + ["second"] * authors.count("second")
    assert authors.count("second") >= 2
    wire.close()


@pytest.mark.contract("H5", "R9")
def test_a_write_under_an_old_token_is_refused_whatever_it_is(url: str, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from leadline.results import Record
    from leadline.store.runstore import Caps, Ticket, Turn

    async def scene() -> None:
        store, now = PostgresStore(url), datetime.now(UTC)
        executor = await store.open()
        old, new = Turn(executor, "old", VERSION), Turn(executor, "new", VERSION)
        await store.begin("r", {"task": "t", "settings": {}}, old, now, ticket=Ticket())
        assert await store.take(old, Caps(), now)
        await store.release("r", "old", now)
        assert await store.take(new, Caps(), now)
        record = Record(
            seq=1, name="x", started_at="", finished_at="", elapsed=0.0, value=1, error=None
        )
        with pytest.raises(NotOurs):
            await store.write("r", "old", ("", 1), record)
        await store.finish("r", "old", {}, now)
        await store.release("r", "old", now)
        assert await store.lost({"r": "old"}) == {"r"}
        assert await store.status("r") == "running"
        await store.write("r", "new", ("", 1), record)
        await store.write("r", "new", ("", 1), record)  # said again after a lost answer: the same
        with pytest.raises(NotOurs):
            await store.write("r", "new", ("", 1), {**record, "value": 2})
        await store.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R9")
def test_a_run_goes_on_over_a_restart_of_the_database(
    server: PgServer, url: str, tmp_path: Path, hire: Hire
) -> None:
    asyncio.run(ask(url, tmp_path))
    hire("first")
    until(lambda: begun_by(tmp_path, "first") == HELD)
    server.restart()
    stalled.let_go(tmp_path)
    said = asyncio.run(answer(url, tmp_path))
    assert said.count("by first") == stalled.STEPS
    assert sorted(ends(tmp_path)) == list(range(stalled.STEPS))


@pytest.mark.contract("H5")
def test_a_run_that_workers_keep_dying_over_is_given_up(url: str, tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from leadline.store.runstore import MAX_LIVES, Caps, Ticket, Turn

    async def scene() -> None:
        store, now = PostgresStore(url), datetime.now(UTC)
        await store.open()
        asked = {"task": "t", "settings": {}}
        await store.begin("r", asked, Turn("", "", VERSION), now, ticket=Ticket())
        for life in range(MAX_LIVES):
            assert await store.take(Turn(f"dead{life}", f"token{life}", VERSION), Caps(), now)
        assert await store.take(Turn("next", "token", VERSION), Caps(), now) is None
        entry = await store.entry("r")
        assert entry.info.status == "failed"
        assert "workers died" in entry.info.reason
        await store.close()

    asyncio.run(scene())


@pytest.mark.contract("H5", "R9")
@pytest.mark.parametrize("restarts", [0, 2])
def test_ten_kills_among_three_workers_lose_double_and_repeat_nothing(restarts: int) -> None:
    from workers import trial

    if programs() is None:
        pytest.skip(MISSING)
    outcome = trial(runs=60, workers=3, kills=10, restarts=restarts, seed=7)
    assert (outcome.finished, outcome.kills, outcome.restarts) == (60, 10, restarts)
    assert (outcome.lost, outcome.doubled) == (0, 0)
    assert outcome.model_calls >= outcome.runs  # they were counted at all
    assert outcome.repeated_model_calls == outcome.repeated_searches == outcome.repeated_pages == 0
    assert outcome.took_over > 0
    # Within 30 s; where a worker takes many to come up at all, the machine is too busy to say.
    assert outcome.slowest_takeover_s < max(30, 4 * outcome.slowest_start_s)
