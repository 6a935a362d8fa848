"""Many workers over a real PostgreSQL and a real Temporal: killed, restarted under, and queued for.

Model, search engine and pages are simulated (`bench/sim_world.py`). A model call, search or page
whose result stood in the database must not be asked for again; what was in flight may.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import psycopg

from benchmarks.crew import Crew
from benchmarks.options import Figures, Options
from held_port import HeldPort
from leadline.ports import Run
from many_machines import Machines, Servers, servers
from sim_world import Seen, World, open_world

TASK = "What did the annals record about the harbour and the lighthouse of Port{0}?"
SETTINGS: dict[str, Any] = {
    "tier": "simple",
    "web": True,
    "search_providers": ("searxng",),
    "fetch_allow_hosts": ("127.0.0.1",),
    "fetch_robots": False,
    "model": "openai:sim",
    "no_model": False,
    "memory": False,
    "max_execution_time_s": 300,
    "openai_api_key": "sim",
}


def run(options: Options) -> Figures:
    """All of it; with --limit that many runs in the first part, and nothing else."""
    if options.limit:
        return disturbed(options.limit, 3, max(1, options.limit // 6), options.seed)
    figures = disturbed(runs=60, workers=4, kills=12, seed=options.seed)
    down = disturbed(runs=40, workers=4, kills=3, seed=options.seed, restarts=True)
    figures |= {f"restarts.{name}": value for name, value in down.items()}
    return figures | fairness() | queued() | listing() | laptop()


# ── killed workers and servers that go away ─────────────────────────────────────────────────


def disturbed(
    runs: int, workers: int, kills: int, seed: int = 0, restarts: bool = False
) -> Figures:
    """One whole scene, from empty tables to the last report."""
    world, dice, began = World(), Random(seed), time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="leadline-workers-") as name,
        open_world(world) as base,
        servers(Path(name)) as both,
    ):
        folder, machines = Path(name), both.machines()
        crew, work = Crew(machines, base, folder), Work(machines.url, runs)
        try:
            ids = asyncio.run(enqueue(machines, base, folder, runs))
            note_calls(machines.url)
            for _ in range(workers):
                crew.hire()
            figures: Figures = {}
            if restarts:
                figures = _restart(crew, both, work)
            _kill(crew, work, dice, kills)
            _until(lambda: not work.left() or crew.any_gone())
            crew.dismiss()
            figures |= measure(machines.url, world, ids, crew)
            figures["slowest_start_s"] = round(crew.slowest_start(workers), 1)
        finally:
            crew.fire()
    return figures | {"kills": len(crew.deaths), "seconds": round(time.monotonic() - began, 1)}


async def enqueue(machines: Machines, base: str, folder: Path, count: int) -> list[str]:
    """Each question twice under one key, as a client that tries again would."""
    from leadline.fields.secret import SecretText
    from leadline.session import open_session
    from leadline.settings import Settings

    settings = Settings(
        data_dir=folder / "asker",
        store_url=SecretText(machines.url),
        engine_url=machines.engine_url,
        searxng_url=base,
        openai_base_url=f"{base}/v1",
        **SETTINGS,
    )
    async with open_session(settings) as session:
        ids = []
        for number in range(count):
            for _ in range(2):
                key = f"key{number}"
                ids.append(await session.enqueue(TASK.format(number), owner="ann", key=key))
        return list(dict.fromkeys(ids))


class Work:
    """How far the runs are, by the database."""

    def __init__(self, url: str, runs: int) -> None:
        self._url, self.runs = url, runs

    def left(self) -> int:
        sql = "SELECT count(*) FROM leadline.runs WHERE status IN ('queued', 'running')"
        with psycopg.connect(self._url) as connection:
            row = connection.execute(sql).fetchone()
        return int(row[0]) if row else 0

    def is_at(self, over: int) -> bool:
        return self.runs - self.left() >= over


def _kill(crew: Crew, work: Work, dice: Random, kills: int) -> None:
    """By how far the work is, not by the clock: a fast machine would be done before."""
    for number in range(1, kills + 1):
        _until(partial(work.is_at, number))
        _until(lambda: len(crew.up()) > 1 or not work.left())
        if not work.left():
            break
        time.sleep(dice.uniform(0.0, 0.5))  # anywhere in what they are doing
        crew.kill_one(dice)


def _restart(crew: Crew, both: Servers, work: Work) -> Figures:
    """PostgreSQL twice and Temporal once, in mid-run, and what `/ready` says meanwhile."""
    port = HeldPort()
    crew.hire("--port", str(port.number))
    _until(lambda: len(crew.up()) > 1)
    both.postgres.restart()
    _until(partial(work.is_at, work.runs // 8))
    both.temporal.kill()
    told = _ready(port.number)
    time.sleep(2)
    both.temporal.start()
    both.postgres.restart()
    port.give_up()
    return {"said_what_was_missing": int("Temporal" in told)}


def _ready(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=30) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()


def _until(true: Callable[[], bool], limit_s: float = 300.0) -> None:
    """Wait for it, or end with a message: figures from workers that hang are worth nothing."""
    until = time.monotonic() + limit_s
    while not true():
        if time.monotonic() > until:
            raise SystemExit(f"the workers did not get on within {limit_s:.0f} s")
        time.sleep(0.1)


def note_calls(url: str) -> None:
    """Copy each kept call as it is written: those of finished runs are deleted."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path TO leadline")
        connection.execute("CREATE TABLE noted AS SELECT * FROM calls WITH NO DATA")
        connection.execute(
            """CREATE FUNCTION note_call() RETURNS trigger LANGUAGE plpgsql AS $$
               BEGIN INSERT INTO leadline.noted VALUES (NEW.*); RETURN NEW; END $$"""
        )
        connection.execute(
            """CREATE TRIGGER note_call AFTER INSERT ON calls
               FOR EACH ROW EXECUTE FUNCTION note_call()"""
        )


_WEIGHT = """SELECT (SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables
                     WHERE relname <> 'noted'),
                    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())"""


def measure(url: str, world: World, ids: list[str], crew: Crew) -> Figures:
    """What stands in the database against what the world saw."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path TO leadline")
        status = connection.execute("SELECT id, status, updated_ms FROM runs").fetchall()
        calls = connection.execute(
            "SELECT prompt_tokens, extract(epoch FROM kept_at) FROM noted WHERE error = ''"
        ).fetchall()
        steps = [text for (text,) in connection.execute("SELECT record FROM steps")]
        weighed = connection.execute(_WEIGHT).fetchone() or (0, 0)
    seen = {one.number: one for one in world.seen}
    kept_at = {seen[number].key: float(at) for number, at in calls if number in seen}
    model = [one for one in world.seen if one.kind == "model"]
    searched, read = _journal(steps)
    again = [one for one in model if one.at > kept_at.get(one.key, float("inf"))]
    finished = [run for run, state, _ in status if state == "finished"]
    waits = crew.takeovers({run: updated / 1000 for run, _, updated in status})
    asked = Counter(one.key for one in model)
    return {
        "runs": len(ids),
        "finished": len(finished),
        "lost": len(set(ids) - set(finished)),
        "doubled": len(status) - len(ids),
        "repeated": len(again)
        + _after(world.seen, "search", searched)
        + _after(world.seen, "page", read),
        "asked_again_in_flight": asked.total() - len(asked),
        "model_calls": len(calls),
        "steps_a_run": round(len(steps) / len(ids), 1),
        "kb_a_run": round(float(weighed[0]) / 1000 / len(ids)),
        "commits_a_run": round(float(weighed[1]) / len(ids)),
        "took_over": len(waits),
        "takeover_p50_s": round(statistics.median(waits), 1) if waits else 0.0,
        "takeover_max_s": round(max(waits, default=0.0), 1),
    }


def _journal(steps: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """When each search and each page stood in the journal."""
    searched: dict[str, float] = {}
    read: dict[str, float] = {}
    for text in steps:
        record = json.loads(text)
        ended, value = datetime.fromisoformat(record["finished_at"]).timestamp(), record["value"]
        if not isinstance(value, dict):
            continue
        if record["name"] == "search" and "query" in value:
            searched[value["query"]["text"]] = ended
        elif record["name"] == "read" and "url" in value:
            read["/page/" + value["url"].split("/page/")[-1]] = ended
    return searched, read


def _after(seen: list[Seen], kind: str, written: dict[str, float]) -> int:
    return sum(
        one.kind == kind and one.at > written.get(one.key, float("inf")) + 0.05 for one in seen
    )


# ── waiting ─────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _machines() -> Iterator[tuple[Machines, Path]]:
    with tempfile.TemporaryDirectory(prefix="leadline-queue-") as name, servers(Path(name)) as both:
        yield both.machines(), Path(name)


def fairness(many: int = 190, few: int = 10, slots: int = 8, step_s: float = 0.05) -> Figures:
    """How long ten runs of an owner wait behind 190 of another, beside ten alone."""

    async def scene(machines: Machines, folder: Path, others: int) -> float:
        begun: dict[str, float] = {}

        async def body(run: Run, request: dict[str, Any]) -> str:
            begun[run.id] = time.monotonic()
            await asyncio.sleep(step_s)
            return "done"

        engine, stop = machines.engine(folder, body), asyncio.Event()
        for number in range(others):
            await engine.enqueue("t", {}, f"ann{number}", owner="ann")
        asked = {}
        for number in range(few):
            asked[f"bob{number}"] = time.monotonic()
            await engine.enqueue("t", {}, f"bob{number}", owner="bob")
        opened = time.monotonic()
        working = asyncio.ensure_future(engine.work(slots, stop))
        for name in asked:
            await engine.result(name)
        stop.set()
        await working
        await engine.close()
        return statistics.median(begun[name] - opened for name in asked)

    with _machines() as (machines, folder):
        alone = asyncio.run(scene(machines, folder, 0))
    with _machines() as (machines, folder):
        behind = asyncio.run(scene(machines, folder, many))
    return {"wait_alone_s": round(alone, 2), "wait_behind_190_s": round(behind, 2)}


def queued(many: int = 1000) -> Figures:
    """From `enqueue` to the first step on a worker with nothing else to do, one run at a time."""

    async def scene(machines: Machines, folder: Path) -> list[float]:
        begun: dict[str, float] = {}

        async def body(run: Run, request: dict[str, Any]) -> str:
            begun[run.id] = time.monotonic()
            return "done"

        asker, worker = (machines.engine(folder, body) for _ in range(2))
        stop, asked = asyncio.Event(), {}
        working = asyncio.ensure_future(worker.work(8, stop))
        for number in range(many):
            name = f"r{number}"
            asked[name] = time.monotonic()
            await asker.enqueue("t", {}, name, owner="ann")
            while name not in begun:  # noqa: ASYNC110 - another engine begins it
                await asyncio.sleep(0.002)
        stop.set()
        await working
        await asker.close()
        await worker.close()
        return [begun[name] - at for name, at in asked.items()]

    with _machines() as (machines, folder):
        waits = sorted(asyncio.run(scene(machines, folder)))
    return {
        "start_p50_ms": round(1000 * statistics.median(waits)),
        "start_p95_ms": round(1000 * waits[int(0.95 * len(waits))]),
    }


# ── lists and laptops ───────────────────────────────────────────────────────────────────────


def listing(runs: int = 100_000, page: int = 50) -> Figures:
    """What the newest runs, and a service's start, cost over many stored ones, in SQLite."""
    from leadline.store.engine import DurableEngine
    from leadline.store.schema import connect

    async def nothing(run: Run, request: dict[str, Any]) -> None:
        return None

    async def scene(folder: Path) -> Figures:
        connection = connect(folder / "runs.db")
        now = int(datetime.now(UTC).timestamp() * 1000)
        rows = ((f"r{n}", now + n, now + n, f"o{n % 100}") for n in range(runs))
        connection.execute("BEGIN")
        connection.executemany(
            """INSERT INTO runs (id, task, settings, status, turn, version, created_ms,
                                 updated_ms, result, queued, owner)
               VALUES (?, 'task', '{}', 'finished', 1001, '6', ?, ?, '{}', 1, ?)""",
            rows,
        )
        connection.execute("COMMIT")
        connection.close()
        figures: Figures = {}
        async with DurableEngine(folder, nothing) as engine:
            for name, look in (("list", partial(engine.list, page)), ("start", engine.open_runs)):
                await look()
                began = time.process_time()
                await look()
                figures[f"{name}_cpu_ms"] = round(1000 * (time.process_time() - began), 1)
        return figures

    with tempfile.TemporaryDirectory() as name:
        return asyncio.run(scene(Path(name)))


def laptop() -> Figures:
    """What one machine pays: modules of many machines that a question loads, and a step's CPU."""
    from steps import measure as measure_steps

    code = (
        "import sys, leadline\n"
        "leadline.run_research_sync('What is a lock?', docs=('docs',), web=False, no_model=True,"
        " memory=False, data_dir=sys.argv[1])\n"
        "print(sum(name in sys.modules for name in ('temporalio', 'psycopg')))"
    )
    with tempfile.TemporaryDirectory() as name:
        told = subprocess.run(
            [sys.executable, "-c", code, name], capture_output=True, text=True, check=True
        )
    step = asyncio.run(measure_steps(100))["cpu_ms.durable_step"]
    return {"modules_loaded": int(told.stdout), "durable_step_cpu_ms": step}
