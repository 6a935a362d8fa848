"""The stop bench: rules cut the same recorded searches, and are compared at equal cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.bench.options import BenchOptions
from leadline.bench.stop import Cut, cut, fixed, gated, mixed, run
from leadline.bench.trajectories import Point, Trajectory
from leadline.rank.stop_signals import Signs
from leadline.values import replace

SEEN = Signs(1, False, 1, 1, False, 3.0, 0.0, 0, 1, 9.0, 0.0, 1, 0.5)


def a_walk(*whole: bool, novelty: tuple[float, ...] = ()) -> Trajectory:
    scores = novelty or (9.0,) * len(whole)
    points = tuple(
        Point(done, float(done), replace(SEEN, searches=n, novelty=score), 100 * n)
        for n, (done, score) in enumerate(zip(whole, scores, strict=True), 1)
    )
    return Trajectory("q", points)


@pytest.mark.contract("Z2")
def test_a_rule_cuts_where_it_first_speaks_and_a_ceiling_where_it_never_does() -> None:
    walk = a_walk(False, True, True, True, True, True)
    assert cut(walk, lambda seen: seen.searches >= 2) == Cut(2, 1.0, 1.0, 200.0)
    assert cut(walk, lambda seen: False).searches == 5
    assert fixed(walk, 8).searches == 6


@pytest.mark.contract("Z2", "G5")
def test_what_the_gate_turns_away_is_paid_for_and_not_kept() -> None:
    walk = a_walk(False, False, True, True, novelty=(9, 1, 2, 9))
    assert gated(walk) == Cut(3, 0.0, 0.0, 200.0)


@pytest.mark.contract("Z2")
def test_the_mix_of_two_counts_costs_what_the_rule_costs() -> None:
    walks = [a_walk(False, True), a_walk(False, False)]
    counts = [[fixed(walk, n) for walk in walks] for n in (1, 2)]
    assert mixed(counts, 1.5) == [0.5, 0.0]
    assert mixed(counts, 1.0) == [0.0, 0.0]
    assert mixed(counts, 9.0) == [1.0, 0.0]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stop")
    corpus = [
        ("film", "The Long Tide", "The Long Tide is a 1961 film directed by Ada Brandt."),
        ("ada", "Ada Brandt", "Ada Brandt (4 May 1921 - 2 June 1990) lived in Port Velden."),
    ]
    corpus += [(f"d{i}", f"Director {i}", f"Number {i} was a film director.") for i in range(20)]
    rows = [{"_id": key, "title": title, "text": text} for key, title, text in corpus]
    asked = {
        "_id": "q",
        "question": "Where was the director of the film The Long Tide born?",
        "gold_doc_ids": ["film", "ada"],
    }
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "questions.jsonl").write_text(json.dumps(asked) + "\n")
    return folder


@pytest.mark.contract("Z2")
def test_a_second_pass_reads_the_records_and_says_the_same(data: Path, tmp_path: Path) -> None:
    options = BenchOptions(work=tmp_path)
    first = run(data, options)
    (records,) = tmp_path.glob("stop-*.jsonl")
    written = records.read_text()
    records.write_text(written + '{"question": "torn')
    assert run(data, options) == first
    assert records.read_text().startswith(written)
    assert first["all_gold10.chain"] == first["all_gold10.fixed5"] == 1
    assert first["searches.chain"] < first["searches.fixed5"]
