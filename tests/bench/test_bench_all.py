"""Every measure in one table: resumed, bounded, and none lost with another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.bench.agreement import auc
from leadline.bench.made import write_made
from leadline.bench.measures import mean, with_intervals
from leadline.bench.plan import MEASURES, Measure, compared
from leadline.bench.whole import Result, Whole, as_json, as_markdown
from leadline.cli.app import outcome

pytestmark = pytest.mark.contract("Z2")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that holds one of the sets, small."""
    folder = tmp_path / "sets" / "cranfield"
    write_made(folder, seed=1)
    return folder.parent


def _start(data: Path, tmp_path: Path) -> tuple[list[Result], list[str]]:
    told: list[str] = []
    results = Whole(data, tmp_path / "work", seed=0, limit=10).run(2, told.append)
    return results, told


def test_what_was_measured_is_not_measured_again_and_gives_the_same(
    data: Path, tmp_path: Path
) -> None:
    first, told = _start(data, tmp_path)
    again, silent = _start(data, tmp_path)
    assert [line.split(":")[0] for line in told] == ["retrieval cranfield"]
    assert silent == []
    assert first == again
    assert as_markdown(first, 0) == as_markdown(again, 0)


def test_a_set_that_is_not_there_is_told_and_loses_no_other(data: Path, tmp_path: Path) -> None:
    results, _ = _start(data, tmp_path)
    table = as_markdown(results, 0)
    assert sum(one.lacks_data for one in results) == len(MEASURES) - 1
    assert "| retrieval | cranfield | 10 | nDCG@10 |" in table
    assert "no data: musique is not in sets" in table


def test_a_bench_that_fails_is_told_and_loses_no_other(data: Path, tmp_path: Path) -> None:
    (data / "musique").mkdir()
    results, _ = _start(data, tmp_path)
    failed = [one for one in results if one.why and not one.lacks_data]
    assert {one.measure.data for one in failed} == {"musique"}
    assert all("holds none of" in one.why for one in failed)
    assert [one.measure.title for one in results if not one.why] == ["retrieval cranfield"]


def test_a_bench_that_takes_too_long_is_ended(data: Path, tmp_path: Path) -> None:
    slow = Measure("retrieval", "cranfield", seconds=0)
    whole = Whole(data, tmp_path / "work", seed=0)
    found = whole.result(slow, lambda text: None)
    assert found.why == "not done within 0 s"


def test_the_json_has_every_figure_and_the_rows_of_the_table(data: Path, tmp_path: Path) -> None:
    results, _ = _start(data, tmp_path)
    whole = json.loads(as_json(results, 0))
    row = next(row for row in whole["table"] if row["measure"] == "nDCG@10")
    value, low, high = row["ours"]
    assert low <= value <= high
    assert set(row["beside"]) == {"rank bm25", "bm25", "vector"}
    assert len(whole["measures"]) == len(MEASURES)


def test_sources_of_injections_are_never_pooled() -> None:
    figures = {"recall.a": 0.9, "recall.regex.a": 0.2, "fpr.b": 0.01, "fpr.regex.b": 0.1, "n": 4}
    rows = list(compared("injection", figures))
    assert [(row.name, row.others) for row in rows] == [
        ("attacks found: a", ("recall.regex.a",)),
        ("false alarms: b", ("fpr.regex.b",)),
    ]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_an_interval_of_a_mean_holds_the_mean(values: list[float]) -> None:
    found = with_intervals({"share.x": mean(values), "n": len(values)}, 0)
    assert found["share.x.low"] - 1e-3 <= found["share.x"] <= found["share.x.high"] + 1e-3
    assert found["n"] == len(values)
    assert "n.low" not in found


def test_an_interval_of_an_auc_narrows_with_more_cases() -> None:
    truth = [number % 2 == 0 for number in range(40)]
    scores = [number % 7 + (2 if yes else 0) for number, yes in enumerate(truth)]
    few = with_intervals({"auc": auc(truth, scores)}, 0)
    many = with_intervals({"auc": auc(truth * 20, scores * 20)}, 0)
    assert few["auc"] == pytest.approx(many["auc"])
    assert many["auc.high"] - many["auc.low"] < (few["auc.high"] - few["auc.low"]) / 2


def test_json_may_stand_alone_or_name_a_file(
    data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    common = ["--data", str(data / "cranfield"), "--data-dir", str(tmp_path / "d"), "--limit", "3"]
    target = tmp_path / "figures.json"
    assert outcome(["bench", "--json", "retrieval", *common]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert outcome(["bench", "retrieval", *common, "--json", str(target)]) == 0
    assert json.loads(target.read_text()) == printed
    assert "ndcg10.hybrid.low" not in printed


def test_a_bench_without_its_data_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["bench", "verify", "--data-dir", str(tmp_path / "d")]) == 2
    assert "bench verify needs --data DIR" in capfd.readouterr().err


def test_the_ends_of_an_interval_are_no_sources_of_attacks() -> None:
    figures = dict.fromkeys(("recall.mail", "recall.regex.mail"), 0.5)
    figures |= {f"{name}.{end}": 0.1 for name in figures for end in ("low", "high")}
    assert [one.ours for one in compared("injection", figures)] == ["recall.mail"]
