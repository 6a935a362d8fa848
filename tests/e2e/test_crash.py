"""SIGKILL at every step boundary and at random instants: nothing finished is done again."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import time
from collections import Counter
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from random import Random
from typing import Any

import doomed
import pytest
from doomed import RUN_ID, Doom, DoomedEngine, Point

from leadline.errors import RunNotFound
from leadline.ports import Row

STEPS = 15


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Children with the imports done, so that a life costs a fraction of a second."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["leadline.store.engine", "pydantic"])
    return context


class Victim:
    """One run, killed again and again, with a watch on what its finished steps did."""

    def __init__(self, context: ForkServerContext, folder: Path) -> None:
        folder.mkdir()
        self._context, self._folder = context, folder
        self._side = folder / "side.txt"
        self._finished: list[tuple[Counter[str], set[str]]] = []
        self.kills = 0

    def live(self, doom: Doom | None = None) -> tuple[ForkServerProcess, Connection]:
        ours, theirs = multiprocessing.Pipe()
        arguments = (self._folder, self._side, doom, theirs)
        child = self._context.Process(target=doomed.live, args=arguments)
        child.start()
        theirs.close()
        return child, ours

    def die_at(self, doom: Doom) -> None:
        child, _ = self.live(doom)
        child.join(60)
        self._buried(child)

    def die_after(self, seconds: float) -> bool:
        """Kill from outside; false when the run was over by then."""
        child, tells = self.live()
        assert tells.recv() == "begun"
        time.sleep(seconds)  # the instant of death is the subject here
        child.kill()
        child.join(60)
        self._buried(child)
        return child.exitcode == -9 and not tells.poll()

    def survive(self) -> float:
        """A life without death; returns how long it worked."""
        child, tells = self.live()
        assert tells.recv() == "begun"
        begun = time.monotonic()
        assert tells.recv() == "ended"
        lasted = time.monotonic() - begun
        child.join(60)
        assert child.exitcode == 0
        return lasted

    def _buried(self, child: ForkServerProcess) -> None:
        assert child.exitcode in (-9, 0), child.exitcode
        self.kills += child.exitcode == -9
        self._finished.append((self._marks(), {_key(row) for row in self.rows()}))

    def _marks(self) -> Counter[str]:
        return Counter(self._side.read_text().splitlines() if self._side.exists() else ())

    def rows(self) -> list[Row]:
        try:
            return asyncio.run(self._engine().rows(RUN_ID))
        except RunNotFound:  # killed before the run was written down
            return []

    def result(self) -> Any:
        return asyncio.run(self._engine().result(RUN_ID))

    def _engine(self) -> DoomedEngine:
        return DoomedEngine(self._folder, self._side, None)

    def check(self) -> None:
        """No step whose row stood in the journal at a death has done anything since."""
        marks = self._marks()
        for then, finished in self._finished:
            assert {key: marks[key] for key in finished} == {key: then[key] for key in finished}
        rows = self.rows()
        assert [row.seq for row in rows] == list(range(1, STEPS + 1))
        assert len({_key(row) for row in rows}) == STEPS


def _key(row: Row) -> str:
    """The mark that the step of a row leaves."""
    return (row.error.removesuffix(" is gone") or str(row.value)).partition("=")[0]


@pytest.fixture
def undisturbed(processes: ForkServerContext, tmp_path: Path) -> tuple[str, float]:
    """What the run returns when nobody kills it, and how long it takes."""
    victim = Victim(processes, tmp_path / "undisturbed")
    lasted = victim.survive()
    return json.dumps(victim.result()), lasted


def _kill_at(victim: Victim, points: list[Point], report: str) -> None:
    for step in range(1, STEPS + 1):
        for point in points:
            victim.die_at(Doom(step, point))
    assert victim.kills == STEPS * len(points)
    victim.survive()
    assert json.dumps(victim.result()) == report
    victim.check()


def _kill_at_random(
    processes: ForkServerContext, folder: Path, undisturbed: tuple[str, float], kills: int
) -> None:
    report, lasted = undisturbed
    dice = Random(20)
    done = runs = 0
    while done < kills:
        runs += 1
        victim = Victim(processes, folder / f"random{runs}")
        while victim.kills + done < kills and victim.die_after(dice.uniform(0, lasted)):
            pass
        victim.survive()
        assert json.dumps(victim.result()) == report
        victim.check()
        done += victim.kills


@pytest.mark.contract("R9")
def test_a_run_killed_at_every_step_boundary_ends_as_if_it_had_not_been(
    processes: ForkServerContext, tmp_path: Path, undisturbed: tuple[str, float]
) -> None:
    _kill_at(Victim(processes, tmp_path / "victim"), ["recorded"], undisturbed[0])


@pytest.mark.contract("R9")
def test_a_run_killed_at_random_instants_ends_as_if_it_had_not_been(
    processes: ForkServerContext, tmp_path: Path, undisturbed: tuple[str, float]
) -> None:
    _kill_at_random(processes, tmp_path, undisturbed, kills=5)


@pytest.mark.slow
@pytest.mark.contract("R9")
def test_a_run_killed_inside_and_on_both_sides_of_every_step_and_at_random_instants(
    processes: ForkServerContext, tmp_path: Path, undisturbed: tuple[str, float]
) -> None:
    points: list[Point] = ["inside", "unrecorded", "recorded"]
    _kill_at(Victim(processes, tmp_path / "victim"), points, undisturbed[0])
    _kill_at_random(processes, tmp_path, undisturbed, kills=27)
