"""Kill workers over one PostgreSQL and see that every run ends, once, with nothing done twice.

    python bench/workers.py --runs 60 --workers 3 --kills 10 [--restarts 2]

Model, search engine and pages are simulated (`sim_world.py`); workers are real `leadline worker`
processes, each with a data folder of its own as if it were another machine. A model call, search
or page whose result stood in the database must not be asked for again; what was in flight may.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from sim_world import Seen, World, open_world

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from pg_server import PgServer

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


@dataclass(frozen=True)
class Outcome:
    """What came of it all."""

    runs: int
    finished: int
    lost: int
    doubled: int
    repeated_model_calls: int
    repeated_searches: int
    repeated_pages: int
    asked_again_in_flight: int  # model calls whose answer was never kept
    kills: int
    restarts: int
    model_calls: int
    took_over: int
    slowest_takeover_s: float
    slowest_start_s: float  # of the first workers, until each had a run
    seconds: float


class Crew:
    """The workers: started, killed at random, replaced."""

    def __init__(self, url: str, base: str, folder: Path, concurrency: int) -> None:
        self._env = os.environ | {
            "RESEARCH_STORE_URL": url,
            "RESEARCH_NO_MODEL": "0",
            "OPENAI_API_KEY": "sim",
            "RESEARCH_OPENAI_BASE_URL": f"{base}/v1",
            "RESEARCH_SEARXNG_URL": base,
        }
        self._folder, self._concurrency, self._born = folder, concurrency, 0
        self.alive: list[subprocess.Popen[bytes]] = []
        self._homes: dict[int, Path] = {}
        self.births: dict[Path, float] = {}
        self.deaths: dict[Path, float] = {}

    def hire(self) -> None:
        self._born += 1
        home = self._folder / f"worker{self._born}"
        command = [sys.executable, "-m", "leadline", "worker", "--data-dir", str(home)]
        command += ["--concurrency", str(self._concurrency), "--grace", "0"]
        with (self._folder / "workers.log").open("ab") as log:
            worker = subprocess.Popen(command, env=self._env, stdout=log, stderr=log)
        self._homes[worker.pid] = home
        self.births[home] = time.time()
        self.alive.append(worker)

    def up(self) -> list[subprocess.Popen[bytes]]:
        """Those that have taken a run; Python that is still importing is no worker yet."""
        busy = {home for _, _, home in self.takes()}
        return [worker for worker in self.alive if self._homes[worker.pid] in busy]

    def kill_one(self, dice: Random) -> None:
        """One of those that are up; two of them, so that another is left that can take over."""
        victim = dice.choice(self.up())
        self.alive.remove(victim)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        self.deaths[self._homes[victim.pid]] = time.time()
        self.hire()

    def any_gone(self) -> bool:
        """Whether one ended that nobody told to; the rest would only be waited for."""
        return any(worker.poll() is not None for worker in self.alive)

    def takes(self) -> list[tuple[float, str, Path]]:
        """Who took which run when, in that order."""
        found = []
        for log in self._folder.glob("worker*/logs/*.log"):
            for line in map(json.loads, log.read_text("utf-8").splitlines()):
                if line["event"].startswith("took "):
                    at = datetime.fromisoformat(line["timestamp"]).timestamp()
                    found.append((at, line["event"].removeprefix("took "), log.parents[1]))
        return sorted(found)

    def dismiss(self) -> list[int]:
        for worker in self.alive:
            worker.send_signal(signal.SIGTERM)
        return [worker.wait(60) for worker in self.alive]


class Work:
    """How far the runs are, by the database."""

    def __init__(self, url: str, runs: int) -> None:
        self._url, self.runs = url, runs

    def left(self) -> int:
        import psycopg

        with psycopg.connect(self._url) as connection:
            row = connection.execute(
                "SELECT count(*) FROM leadline.runs WHERE status IN ('queued', 'running')"
            ).fetchone()
        return int(row[0]) if row else 0

    def is_at(self, over: int) -> bool:
        return self.runs - self.left() >= over


async def enqueue(url: str, base: str, folder: Path, count: int) -> list[str]:
    """Each question twice under one key, as a client that tries again would."""
    from leadline.fields.secret import SecretText
    from leadline.session import open_session
    from leadline.settings import Settings

    settings = Settings(
        data_dir=folder / "asker",
        store_url=SecretText(url),
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


def note_calls(url: str) -> None:
    """Copy each kept call as it is written: those of finished runs are deleted."""
    import psycopg

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


def measure(url: str, world: World, ids: list[str], crew: Crew) -> dict[str, Any]:
    """What stands in the database against what the world saw."""
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute("SET search_path TO leadline")
        status = connection.execute("SELECT id, status, updated_ms FROM runs").fetchall()
        calls = connection.execute(
            "SELECT prompt_tokens, extract(epoch FROM kept_at) FROM noted WHERE error = ''"
        ).fetchall()
        steps = connection.execute("SELECT run, record FROM steps").fetchall()
    seen = {one.number: one for one in world.seen}
    finished = [run for run, state, _ in status if state == "finished"]
    kept_at = {seen[number].key: float(at) for number, at in calls if number in seen}
    model = [one for one in world.seen if one.kind == "model"]
    times = Counter(one.key for one in model)
    late = [one for one in model if one.at > kept_at.get(one.key, float("inf"))]
    searched, read = _journal(steps)
    over = {run: updated / 1000 for run, _, updated in status}
    waits = _takeovers(crew, over)
    return {
        "runs": len(ids),
        "finished": len(finished),
        "lost": len(set(ids) - set(finished)),
        "doubled": len(status) - len(ids) + len(finished) - len(set(finished)),
        "repeated_model_calls": len(late),
        "repeated_searches": _after(world.seen, "search", searched),
        "repeated_pages": _after(world.seen, "page", read),
        "asked_again_in_flight": sum(times.values()) - len(times),
        "model_calls": len(calls),
        "took_over": len(waits),
        "slowest_takeover_s": round(max(waits, default=0.0), 1),
    }


def _journal(steps: list[tuple[str, str]]) -> tuple[dict[str, float], dict[str, float]]:
    """When each search and each page stood in the journal."""
    searched: dict[str, float] = {}
    read: dict[str, float] = {}
    for _, text in steps:
        record = json.loads(text)
        ended, value = datetime.fromisoformat(record["finished_at"]).timestamp(), record["value"]
        if not isinstance(value, dict):
            continue
        if record["name"] == "search" and "query" in value:
            searched[value["query"]["text"]] = ended
        elif record["name"] == "read" and "url" in value:
            read["/page/" + value["url"].split("/page/")[-1]] = ended
    return searched, read


def _takeovers(crew: Crew, over: dict[str, float]) -> list[float]:
    """From the death of a worker until another had each run that it left unfinished."""
    waits = []
    takes = crew.takes()
    for number, (_, run, home) in enumerate(takes):
        death = crew.deaths.get(home)
        if death is None or over[run] <= death:
            continue
        waits += [at - death for at, other, _ in takes[number + 1 :] if other == run][:1]
    return waits


def _starts(crew: Crew, workers: int) -> list[float]:
    """From the start of each of the first workers, for whom work was waiting, to its first run."""
    first: dict[Path, float] = {}
    for at, _, home in crew.takes():
        first.setdefault(home, at)
    born = list(crew.births.items())[:workers]
    return [first[home] - birth for home, birth in born if home in first]


def _after(seen: list[Seen], kind: str, written: dict[str, float]) -> int:
    return sum(
        one.kind == kind and one.at > written.get(one.key, float("inf")) + 0.05 for one in seen
    )


def trial(runs: int, workers: int, kills: int, restarts: int, seed: int) -> Outcome:
    """One whole scene, from empty tables to the last report."""
    world, dice, server = World(), Random(seed), PgServer()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="leadline-workers-") as name, open_world(world) as base:
        folder, url = Path(name), server.new_database()
        crew = Crew(url, base, folder, concurrency=4)
        try:
            ids = asyncio.run(enqueue(url, base, folder, runs))
            note_calls(url)
            work = Work(url, runs)
            for _ in range(workers):
                crew.hire()
            restarted = _disturb(crew, server, work, dice, kills, restarts)
            _until(lambda: not work.left() or crew.any_gone())
            codes = crew.dismiss()
            found = measure(url, world, ids, crew)
            found["slowest_start_s"] = round(max(_starts(crew, workers)), 1)
        finally:
            for worker in crew.alive:
                worker.kill()
            log = folder / "workers.log"
            said = log.read_text("utf-8", "replace") if log.exists() else ""
            server.remove()
    told_early = -signal.SIGTERM  # before it had come up
    if set(codes) - {0, told_early} or "Traceback" in said:
        raise SystemExit(f"workers ended with {codes}:\n{said[-3000:]}")
    seconds = round(time.monotonic() - began, 1)
    return Outcome(**found, kills=len(crew.deaths), restarts=restarted, seconds=seconds)


def _disturb(
    crew: Crew, server: PgServer, work: Work, dice: Random, kills: int, restarts: int
) -> int:
    """Kill by how far the work is, not by the clock: a fast machine would be done before."""
    due = {kills * (number + 1) // (restarts + 1) for number in range(restarts)}
    restarted = 0
    for number in range(1, kills + 1):
        # What the dead held comes back only with their leases: the rest must last for every kill.
        _until(partial(work.is_at, number))
        _until(lambda: len(crew.up()) > 1 or not work.left())
        if not work.left():
            break
        time.sleep(dice.uniform(0.0, 0.5))  # anywhere in what they are doing
        crew.kill_one(dice)
        if number in due:
            server.restart()
            restarted += 1
    return restarted


def _until(true: Callable[[], bool], limit_s: float = 300.0) -> None:
    """Wait for it, or end with a message: figures from workers that hang are worth nothing."""
    until = time.monotonic() + limit_s
    while not true():
        if time.monotonic() > until:
            raise SystemExit(f"the workers did not get on within {limit_s:.0f} s")
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--restarts", type=int, default=0, help="restarts of PostgreSQL")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    outcome = trial(given.runs, given.workers, given.kills, given.restarts, given.seed)
    print(json.dumps(asdict(outcome), indent=2))
    clean = not (outcome.lost or outcome.doubled or outcome.repeated_model_calls)
    clean = clean and outcome.model_calls >= outcome.runs  # else nothing was counted
    raise SystemExit(0 if clean and outcome.finished == outcome.runs else 1)


if __name__ == "__main__":
    main()
