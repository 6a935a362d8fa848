"""The arena over a rig of one file: resumed, drawn, and open to other systems."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.contract("Z2")
ARENA = Path(__file__).resolve().parents[2] / "bench" / "arena" / "arena.py"
RIG = """
import argparse, json, os
parser = argparse.ArgumentParser()
for flag in ("--name", "--cmd", "-q", "--fault", "--work", "--results", "--kill-after-calls"):
    parser.add_argument(flag)
given = parser.parse_args()
good = int(os.environ["GOOD"]) + (given.q == "q2")
print(json.dumps({"name": given.name, "q": given.q, "fault": given.fault, "rc": 0, "wall_s": 1.0,
    "searches": good, "pages": 0, "server_side_pages": 0, "uniq_pages": 0, "llm_calls": 1,
    "prompt_tok": 100 * good, "dup_prompts": 0, "cited_not_fetched": 0, "peak_rss_mb": 9,
    "gold_report": good, "gold_total": 5, "gold_last_prompt": good, "dup_searches": 0,
    "dup_pages": 0, "gold_seen": good, "report_chars": 50}))
"""
SYSTEMS = """
[weak]
command = "true"
model = true
env = { GOOD = "1" }

[strong]
command = "true"
model = false
env = { GOOD = "3" }
"""


@pytest.fixture
def rig(tmp_path: Path) -> Path:
    folder = tmp_path / "rig"
    folder.mkdir()
    (folder / "bench.py").write_text(RIG)
    (folder / "questions.json").write_text(json.dumps([{"id": "q1"}, {"id": "q2"}]))
    (tmp_path / "systems.toml").write_text(SYSTEMS)
    return folder


def _arena(rig: Path, *args: str) -> subprocess.CompletedProcess[str]:
    systems, out = rig.parent / "systems.toml", rig.parent / "out"
    command = [sys.executable, str(ARENA), "--rig", str(rig), "--systems", str(systems)]
    command += ["--out", str(out), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_systems_stand_in_one_table_and_a_second_start_runs_none_again(rig: Path) -> None:
    first = _arena(rig)
    assert "| weak | 2 | 0.3 [" in first.stdout, first.stderr
    assert "| strong | 2 | 0.7 [" in first.stdout
    again = _arena(rig)
    assert again.stdout == first.stdout
    assert "4 of 4 bouts are there already" in again.stderr
    drawn = (rig.parent / "out" / "frontier-world.svg").read_text()
    assert drawn.count("<circle") == 2
    assert "weak" in (rig.parent / "out" / "frontier-tokens.svg").read_text()


def test_faults_of_models_are_not_tried_on_systems_without_one(rig: Path) -> None:
    told = _arena(rig, "--faults", "badjson", "search500", "--questions", "q1")
    assert "| weak | badjson | q1 | 0 | 1 of 5 |" in told.stdout
    assert "| strong | search500 | q1 |" in told.stdout
    assert "| strong | badjson" not in told.stdout


def test_a_system_that_is_not_there_is_told(rig: Path) -> None:
    told = _arena(rig, "--only", "nobody")
    assert told.returncode
    assert "no system is called 'nobody': weak, strong" in told.stderr


def test_questions_of_ones_own_stand_beside_those_of_the_rig(rig: Path) -> None:
    more = rig.parent / "more.json"
    more.write_text(json.dumps([{"id": "p1"}]))
    told = _arena(rig, "--more", str(more))
    assert "| weak | 3 | " in told.stdout, told.stderr
    assert json.loads((rig / "questions.json").read_text()) == [{"id": "q1"}, {"id": "q2"}]
    more.write_text(json.dumps([{"id": "q1"}]))
    twice = _arena(rig, "--more", str(more))
    assert twice.returncode
    assert "twice" in twice.stderr
