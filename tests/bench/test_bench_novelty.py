"""`bench novelty` on small made-up files in the layouts of the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.bench.novelty import run
from leadline.bench.options import BenchOptions
from leadline.bench.paraphrase import load_pairs
from leadline.errors import BadInput

THINGS = [f"{a} {b}" for a in ("red", "old", "tall", "new") for b in
          ("bridge", "school", "market", "tower", "mill", "quay", "church", "theatre", "museum",
           "station", "garden", "harbour", "library", "hospital", "factory", "palace", "castle",
           "temple", "tunnel", "airport", "stadium", "prison")]  # fmt: skip


def write_mrpc(path: Path, things: list[str]) -> None:
    rows = ["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"]
    for number, thing in enumerate(things):
        first = f"The {thing} of town {number} was opened by the mayor in 19{number % 90 + 10}."
        same = f"In 19{number % 90 + 10} the mayor opened the {thing} of town {number}."
        other = f"The {thing} burned down during a storm and nobody was hurt."
        rows.append(f"{int(number % 4 > 0)}\t1\t2\t{first}\t{same if number % 4 else other}")
    path.write_text("\ufeff" + "\n".join(rows) + "\n", "utf-8")


def write_sts(path: Path) -> None:
    rows = []
    for number, thing in enumerate(THINGS[:20]):
        other = f"A {thing}" if number % 2 else "Some cat"
        rows.append(f"{4.5 if number % 2 else 1.2}\tA {thing} stands here.\t{other} is here.")
    path.write_text("\n".join([*rows, "no grade\tis here\tat all"]), "utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_mrpc(tmp_path / "msr-any-part.tsv", THINGS)
    write_sts(tmp_path / "anything.test.tsv")
    return tmp_path


@pytest.mark.contract("Z2", "G3")
def test_figures_are_flat_and_hold_both_scorers_and_their_baselines(data: Path) -> None:
    figures = run(data, BenchOptions(limit=len(THINGS) + 20))
    assert figures["n"] == figures["batches"] == len(THINGS) + 20
    for scorer in ("heuristic", "semantic", "jaccard", "cosine"):
        for collection in ("mrpc", "sts"):
            assert 0.0 <= figures[f"auc.{scorer}_{collection}"] <= 1.0
        assert figures[f"ms_batch.{scorer}"] > 0
        assert -1.0 <= figures[f"spearman.same_topic_{scorer}"] <= 1.0
    assert figures["spearman.unrelated_semantic"] > 0.8
    assert figures["auc.semantic_mrpc"] > 0.9


@pytest.mark.contract("Z2")
def test_the_training_part_is_left_out_where_there_is_another(data: Path) -> None:
    write_mrpc(data / "msr-para-train.tsv", THINGS[:8])
    assert not [pair for pair in load_pairs(data) if "train" in pair.file]
    (data / "msr-any-part.tsv").unlink()
    assert [pair for pair in load_pairs(data) if "train" in pair.file]


@pytest.mark.contract("Z2")
def test_a_folder_without_pairs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.tsv").write_text("one\ttwo\n", "utf-8")
    with pytest.raises(BadInput, match="no MRPC, STS or SICK"):
        run(tmp_path, BenchOptions())
