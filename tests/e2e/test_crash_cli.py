"""The real command line, killed while it researches and told to go on."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

QUESTION = "When was the lighthouse of Port Seven built, by whom, and who is its keeper?"
LEADLINE = (sys.executable, "-c", "from leadline.cli import main; main()")
PORTS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
SURNAMES = ("Berg", "Dahl", "Falk", "Haga", "Lund", "Moe", "Ness", "Rud", "Vik")
KILLED, ANSWERED = -9, 0


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the answer needs two pages."""
    folder = tmp_path_factory.mktemp("docs")
    for number, (port, surname) in enumerate(zip(PORTS, SURNAMES, strict=True)):
        (folder / f"{port.lower()}.md").write_text(
            f"# The lighthouse of Port {port}\n\nThe lighthouse of Port {port} was built in "
            f"{1801 + number} by Ada {surname}. Its lamp is fed with whale oil.\n\n"
            f"## Keeper\n\nThe keeper of Port {port} is called Jon {surname}. "
            f"He rows to the mainland on Sundays.\n"
        )
        (folder / f"keeper-{number}.md").write_text(
            f"# Jon {surname}\n\nJon {surname} was born on the island of {surname}sund and has "
            f"kept a lighthouse for {number + 3} years.\n"
        )
    return folder


class Desk:
    """A data folder, and the question put to it again and again."""

    def __init__(self, folder: Path, docs: Path, indexed: Path | None = None) -> None:
        self._folder, self._docs = folder, docs
        self._seen: dict[int, str] = {}
        self.kills = 0
        if indexed is None:
            subprocess.run([*LEADLINE, "index", str(docs), *self._place()], check=True, timeout=300)
        else:
            shutil.copytree(indexed, folder)

    def _place(self) -> tuple[str, ...]:
        return ("--data-dir", str(self._folder))

    def ask(self) -> subprocess.Popen[bytes]:
        """A new run, or the one there is taken up in either of the two ways."""
        runs = self._read("SELECT id, status FROM runs")
        if runs and self.kills % 2:
            command = [*LEADLINE, "runs", "resume", runs[0][0], *self._place()]
        else:
            where = ("--docs", str(self._docs), *self._place())
            command = [*LEADLINE, QUESTION, "--seed", "5", "--resume", *where]
        report = ("-o", str(self._folder / "report.md"), "--quiet")
        return subprocess.Popen([*command, *report], stdout=subprocess.DEVNULL)

    def kill_after_rows(self, count: int) -> bool:
        return self.kill_when(lambda: len(self.rows()) >= count)

    def kill_after_seconds(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        return self.kill_when(lambda: time.monotonic() > until)

    def kill_when(self, moment: Callable[[], bool]) -> bool:
        """Let it work until then and kill it; false when it was done before."""
        process = self.ask()
        while process.poll() is None and not moment():
            time.sleep(0.0005)  # the instant of death is the subject here
        process.kill()
        code = process.wait(300)
        assert code in (KILLED, ANSWERED)
        self.kills += code == KILLED
        self.check_rows()
        return code == KILLED

    def finish(self) -> None:
        assert self.ask().wait(300) == ANSWERED
        self.check_rows()

    def rows(self) -> dict[int, str]:
        """What the journal holds, by the number of the step."""
        return dict(self._read("SELECT number, record FROM steps"))

    def is_finished(self) -> bool:
        return self._read("SELECT status FROM runs") == [("finished",)]

    def check_rows(self) -> None:
        """Every row that was ever there is there, to the byte: times and results."""
        rows = self.rows()
        assert {number: rows[number] for number in self._seen} == self._seen
        self._seen = rows

    def outcome(self) -> tuple[str, dict[str, Any]]:
        """The report as written and the response as stored, without what is the run's own: its
        id and the times at which it began and read."""
        ((run_id, stored),) = self._read("SELECT id, result FROM runs")
        report = (self._folder / "report.md").read_text()
        response = json.loads(stored.replace(run_id, "RUN"))
        assert response.pop("started")
        assert all(source.pop("accessed") for source in response["sources"])
        return report.replace(run_id, "RUN"), response

    def _read(self, sql: str) -> list[tuple[Any, ...]]:
        path = self._folder / "runs.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
            try:
                return connection.execute(sql).fetchall()
            except sqlite3.OperationalError:  # no tables yet
                return []


@pytest.fixture(scope="module")
def indexed(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the index of the documents and no run."""
    folder = tmp_path_factory.mktemp("indexed") / "data"
    Desk(folder, docs)
    return folder


@pytest.fixture(scope="module")
def undisturbed(
    docs: Path, indexed: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, int, float]:
    """Report and response when nobody kills it, the number of its steps, and its duration."""
    desk = Desk(tmp_path_factory.mktemp("undisturbed") / "data", docs, indexed)
    begun = time.monotonic()
    desk.finish()
    lasted = time.monotonic() - begun
    assert "Ada Ness" in desk.outcome()[0]
    return desk.outcome(), len(desk.rows()), lasted


@pytest.mark.contract("R9", "M5")
def test_killed_after_its_end_and_before_its_report_the_same_run_is_shown(
    docs: Path, indexed: Path, tmp_path: Path, undisturbed: tuple[Any, int, float]
) -> None:
    desk = Desk(tmp_path / "data", docs, indexed)
    if not desk.kill_when(desk.is_finished):
        (tmp_path / "data" / "report.md").unlink()  # it was quicker than we
    desk.kills = 0  # by the question, not by the id
    desk.finish()
    assert desk.outcome() == undisturbed[0]  # one run in all, though memory knows its findings


@pytest.mark.contract("R9", "R8", "U2")
def test_a_question_killed_twice_is_answered_as_if_it_had_not_been(
    docs: Path, indexed: Path, tmp_path: Path, undisturbed: tuple[Any, int, float]
) -> None:
    outcome, steps, _ = undisturbed
    desk = Desk(tmp_path / "data", docs, indexed)
    for share in (3, 2):
        assert desk.kill_after_rows(steps // share)
    desk.finish()
    assert desk.outcome() == outcome


@pytest.mark.slow
@pytest.mark.contract("R9", "R8", "U2")
def test_a_question_killed_after_every_step_is_answered_as_if_it_had_not_been(
    docs: Path, indexed: Path, tmp_path: Path, undisturbed: tuple[Any, int, float]
) -> None:
    outcome, steps, _ = undisturbed
    desks = [Desk(tmp_path / "data", docs, indexed)]
    for step in range(1, steps):
        # A step may end before the one we wait for; the next life then dies at once.
        while not desks[-1].kill_after_rows(step) and step <= steps - 3:
            assert desks[-1].outcome() == outcome  # it was quicker than we: another dies there
            desks.append(Desk(tmp_path / f"data{len(desks)}", docs, indexed))
            assert len(desks) < steps
    assert sum(desk.kills for desk in desks) >= steps - 3
    desks[-1].finish()
    assert desks[-1].outcome() == outcome


@pytest.mark.slow
@pytest.mark.contract("R9", "R8", "U2")
def test_a_question_killed_at_random_instants_is_answered_as_if_it_had_not_been(
    docs: Path, indexed: Path, tmp_path: Path, undisturbed: tuple[Any, int, float]
) -> None:
    outcome, _, lasted = undisturbed
    dice, kills, runs = Random(7), 0, 0
    while kills < 15:
        runs += 1
        desk = Desk(tmp_path / f"data{runs}", docs, indexed)
        alive = True
        while alive and kills + desk.kills < 15:
            alive = desk.kill_after_seconds(dice.uniform(0.2, 1.0) * lasted)
        desk.finish()
        assert desk.outcome() == outcome
        kills += desk.kills
