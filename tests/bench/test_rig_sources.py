"""Gold strings are counted in what a report was written from, and in the report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leadline import run_research_sync

pytestmark = pytest.mark.contract("Z2")
SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "rig_sources.py"
PAGE = (
    "# Lantern Bay\n\nThe lighthouse of Lantern Bay was designed by Ottilie Brandt in 1871.\n\n"
    "The harbour of Lantern Bay freezes in February.\n"
)


def counting(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def rig(tmp_path: Path) -> Path:
    gold = ["Ottilie Brandt", "freezes in February", "a whale"]
    (tmp_path / "questions.json").write_text(json.dumps([{"id": "q1", "gold": gold}]))
    return tmp_path


@pytest.fixture
def run(rig: Path) -> Path:
    folder = rig / "leadline-q1-none"
    (folder / "state").mkdir(parents=True)
    docs = rig / "docs"
    docs.mkdir()
    (docs / "bay.md").write_text(PAGE)
    task = "Who designed the lighthouse of Lantern Bay?"
    run_research_sync(task, docs=[docs], data_dir=folder / "state", no_model=True)
    (folder / "report.md").write_text("It was Ottilie\nBrandt.")
    return folder


def test_both_are_counted_and_what_is_missing_is_named(rig: Path, run: Path) -> None:
    said = counting(run, "--rig", rig)
    assert said.returncode == 0, said.stderr
    (found,) = map(json.loads, said.stdout.splitlines())
    assert (found["gold"], found["in_passages"], found["in_report"]) == (3, 2, 1)
    assert found["not_in_passages"] == ["a whale"]


def test_a_folder_that_is_no_run_of_the_rig_is_refused(rig: Path) -> None:
    for folder in (rig / "leadline-q9-none", rig / "leadline-q1-none"):
        said = counting(folder, "--rig", rig)
        assert said.returncode == 2
        assert said.stderr.startswith("rig_sources: ")
        assert "Traceback" not in said.stderr


def test_the_passages_of_every_part_of_a_question_are_counted(rig: Path, run: Path) -> None:
    (rig / "docs" / "mine.md").write_text("# Graufeld\n\nThe mine of Graufeld closed in 1911.\n")
    task = "Compare Lantern Bay and Graufeld"
    asked = run_research_sync(task, docs=[rig / "docs"], data_dir=run / "state", no_model=True)
    assert asked.plan
    assert len(asked.plan.subtasks) == 2
    (found,) = map(json.loads, counting(run, "--rig", rig).stdout.splitlines())
    assert found["in_passages"] == 2
