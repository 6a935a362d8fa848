"""Workers in processes of their own: hired, killed, frozen, replaced, and what they did."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from random import Random

sys.path += [str(Path(__file__).resolve().parents[1] / name) for name in ("bench", "tests")]

from many_machines import Machines

SLOTS = 4


class Crew:
    """Each worker has a data folder of its own, as if it were another machine."""

    def __init__(self, machines: Machines, base: str, folder: Path) -> None:
        self._env = os.environ | {
            "RESEARCH_STORE_URL": machines.url,
            "RESEARCH_ENGINE_URL": machines.engine_url,
            "RESEARCH_NO_MODEL": "0",
            "OPENAI_API_KEY": "sim",
            "RESEARCH_OPENAI_BASE_URL": f"{base}/v1",
            "RESEARCH_SEARXNG_URL": base,
        }
        self._folder, self._born = folder, 0
        self.alive: list[subprocess.Popen[bytes]] = []
        self._homes: dict[int, Path] = {}
        self.births: dict[Path, float] = {}
        self.deaths: dict[Path, float] = {}

    def hire(self, *arguments: str) -> None:
        self._born += 1
        home = self._folder / f"worker{self._born}"
        command = [sys.executable, "-m", "leadline", "worker", "--data-dir", str(home)]
        command += ["--slots", str(SLOTS), "--grace", "0", *arguments]
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
            for line in log.read_text("utf-8").splitlines():
                row = json.loads(line)
                if row["event"].startswith("took "):
                    at = datetime.fromisoformat(row["timestamp"]).timestamp()
                    found.append((at, row["event"].removeprefix("took "), log.parents[1]))
        return sorted(found)

    def slowest_start(self, workers: int) -> float:
        """From the start of the first workers, for whom work was waiting, to their first runs."""
        first: dict[Path, float] = {}
        for at, _, home in self.takes():
            first.setdefault(home, at)
        births = list(self.births.items())[:workers]
        return max((first[home] - birth for home, birth in births if home in first), default=0.0)

    def takeovers(self, over: dict[str, float]) -> list[float]:
        """From the death of a worker until another had each run that it left unfinished."""
        waits, takes = [], self.takes()
        for number, (_, run, home) in enumerate(takes):
            death = self.deaths.get(home)
            if death is None or over[run] <= death:
                continue
            waits += [at - death for at, other, _ in takes[number + 1 :] if other == run][:1]
        return waits

    def dismiss(self) -> None:
        """Tell all to end; `SystemExit` with what they said where one did not end well."""
        for worker in self.alive:
            worker.send_signal(signal.SIGTERM)
        codes = {worker.wait(60) for worker in self.alive}
        said = (self._folder / "workers.log").read_text("utf-8", "replace")
        told_early = -signal.SIGTERM  # before it had come up
        if codes - {0, told_early} or "Traceback" in said:
            raise SystemExit(f"workers ended with {codes}:\n{said[-3000:]}")

    def fire(self) -> None:
        for worker in self.alive:
            worker.kill()
