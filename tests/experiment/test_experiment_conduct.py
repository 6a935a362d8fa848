"""Experiments go on where they were, keep every row, and say what the rows say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from experiment_world import SPEC, Instant, written

from leadline.cli.app import outcome
from leadline.errors import BadInput
from leadline.experiment import conduct, load_spec
from leadline.experiment.analysis import analyse
from leadline.experiment.report import write_reports

pytestmark = pytest.mark.contract("Z1")
Made = list[tuple[str, str, int]]


def _instant(made: Made, stop_after: int = 10**9) -> Callable[[], Instant]:
    return lambda: Instant(made, stop_after)


def test_an_interrupted_experiment_goes_on_and_makes_no_run_twice(tmp_path: Path) -> None:
    spec, out = load_spec(written(tmp_path)), tmp_path / "out"
    made: Made = []
    with pytest.raises(KeyboardInterrupt):
        conduct(spec, out, worker=_instant(made, 7))
    assert len(made) == 7
    done = conduct(spec, out, worker=_instant(made))
    assert done.made == 11
    assert len(made) == len(set(made)) == len(done.rows) == 18
    assert conduct(spec, out, worker=_instant(made)).made == 0


def test_a_row_that_a_crash_cut_off_is_made_again(tmp_path: Path) -> None:
    spec, out = load_spec(written(tmp_path)), tmp_path / "out"
    conduct(spec, out, worker=_instant([]))
    rows = out / "rows.jsonl"
    rows.write_bytes(rows.read_bytes()[:-20])
    made: Made = []
    done = conduct(spec, out, worker=_instant(made))
    assert len(made) == 1
    assert len(done.rows) == 18
    assert all(json.loads(line) for line in rows.read_text().splitlines())


def test_a_changed_experiment_is_refused_and_says_what_changed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    conduct(load_spec(written(tmp_path)), out, worker=_instant([]))
    other = load_spec(written(tmp_path, SPEC.replace("replications = 2", "replications = 3")))
    with pytest.raises(BadInput, match="replications changed since"):
        conduct(other, out, worker=_instant([]))


def test_a_failed_run_is_kept_told_and_tried_again(tmp_path: Path) -> None:
    spec, out = load_spec(written(tmp_path)), tmp_path / "out"
    failing = Instant([])
    failing.failing = {"none b"}
    done = conduct(spec, out, worker=lambda: failing)
    assert done.failed == 2
    finding = analyse(spec, done.rows)[0]
    assert finding.notes[0] == "Left out, since a level of them has no run: b."
    assert len(finding.groups[0].values) == 2
    made: Made = []
    again = conduct(spec, out, worker=_instant(made))
    assert {(level, task) for level, task, _ in made} == {("none", "b")}
    assert again.failed == 0


def test_a_setting_is_tested_within_tasks_and_a_constant_is_not_tested(tmp_path: Path) -> None:
    spec, out = load_spec(written(tmp_path)), tmp_path / "out"
    done = conduct(spec, out, worker=_instant([]))
    claims, searches = analyse(spec, done.rows)
    assert claims.tested.test == "permutation test within tasks"
    assert claims.tested.p == pytest.approx(1 / 36)  # 3 tasks, every deal alike but the 6 turns
    assert claims.tested.effect == pytest.approx(1.0)
    assert [pair.difference.value for pair in claims.pairs] == pytest.approx([-1, -5, -4])
    assert [pair.delta for pair in claims.pairs] == [-1, -1, -1]
    assert searches.tested.p == 1
    assert claims.p_holm == pytest.approx(2 / 36)


def test_the_report_the_page_and_the_rows_are_written(tmp_path: Path) -> None:
    spec, out = load_spec(written(tmp_path)), tmp_path / "out"
    done = conduct(spec, out, worker=_instant([]))
    report, page, rows = write_reports(spec, done.rows, out)
    text, html = report.read_text(), page.read_text()
    assert "because every task has every level" in text
    assert "would have been found 8 times in 10" in text or "less than 8 times in 10" in text
    assert html.count('src="data:image/svg+xml') == 2
    assert "<script" not in html
    assert "http://" not in html
    assert len(rows.read_text().splitlines()) == 19


def test_a_real_experiment_runs_from_the_command_line_and_resumes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = SPEC.replace('["none", "heuristic", "semantic"]', '["none", "semantic"]')
    text = text.replace("replications = 2", "replications = 1")
    path, out = written(tmp_path, text), tmp_path / "out"
    assert outcome(["experiment", str(path), "--out", str(out), "--parallel", "2"]) == 0
    told = capfd.readouterr()
    assert "run 6 of 6" in told.err
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    assert all(row["values"]["claims"] >= 1 and row["run_id"] for row in rows)
    assert outcome(["experiment", str(path), "--out", str(out)]) == 0
    assert "6 of 6 runs are there already" in capfd.readouterr().err


def test_a_dry_run_makes_none(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path)
    assert outcome(["experiment", str(path), "--out", str(tmp_path / "out"), "--dry-run"]) == 0
    assert "18 runs of gates" in capfd.readouterr().out
    assert not (tmp_path / "out").exists()


def test_a_missing_experiment_is_bad_input(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["experiment", str(tmp_path / "none.toml")]) == 2
    assert "cannot read the experiment" in capfd.readouterr().err
