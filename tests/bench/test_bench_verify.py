"""`bench verify` on small made-up files in the layouts of the real ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from leadline.bench.claims import FORMATS, load_cases
from leadline.bench.options import BenchOptions
from leadline.bench.verify import run
from leadline.errors import BadInput

TOWNS = ("Varna", "Ronda", "Leeds", "Lodz", "Kobe", "Lima", "Graz", "Turin", "Bergen", "Cusco")


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return path.parent


def page(town: str, at: int) -> list[str]:
    return [
        f"About {town}",
        f"The museum of {town} was opened in 19{at + 10} by the mayor.",
        f"It shows {at + 200} paintings of the sea.",
        "Bread is baked every morning.",
    ]


@pytest.fixture
def wice(tmp_path: Path) -> Path:
    rows: list[dict[str, Any]] = []
    for at, town in enumerate(TOWNS):
        true = f"The mayor opened the museum of {town} in 19{at + 10}."
        half = f"The museum of {town} shows {at + 200} paintings and {at + 700} statues of kings."
        false = "Tigers were sold to a circus in another country."
        judged: tuple[tuple[str, str, list[list[int]]], ...] = (
            (true, "supported", [[1]]),
            (half, "partially_supported", [[2], [1, 2]]),
            (false, "not_supported", [[]]),
        )
        rows += [
            {"claim": c, "label": label, "supporting_sentences": gold, "evidence": page(town, at)}
            for c, label, gold in judged
        ]
    return write(tmp_path / "wice" / "entailment_retrieval_claim_any.jsonl", rows)


@pytest.mark.contract("Z2", "W3")
def test_figures_are_flat_and_stand_beside_their_baselines(wice: Path) -> None:
    figures = run(wice, BenchOptions())
    assert figures["n"] == 3 * len(TOWNS)
    for name in ("auc.supported", "auc.not_supported", "bacc.supported", "hit1", "hit3"):
        for suffix in ("", ".overlap", ".embedding"):
            assert 0.0 <= figures[name + suffix] <= 1.0
    assert figures["auc.supported"] > 0.95
    assert figures["auc.not_supported"] > 0.95
    assert figures["hit3"] == 1.0
    assert figures["ms_per_claim"] > 0
    assert figures["share.contradicted"] == 0.0
    assert not [value for value in figures.values() if math.isnan(value)]


@pytest.mark.contract("Z2")
def test_a_limit_takes_a_sample(wice: Path) -> None:
    assert run(wice, BenchOptions(limit=9, seed=1))["n"] == 9


@pytest.mark.contract("Z2")
def test_every_layout_is_read(tmp_path: Path, wice: Path) -> None:
    fever = [
        {"claim": "A is B.", "evidence": "A is B .", "gold_label": "SUPPORTS"},
        {"claim": "A is C.", "evidence": "A is B .", "gold_label": "REFUTES"},
    ]
    climate = [
        {"claim": "It warms.", "claim_label": label, "evidences": [{"evidence": "It warms."}] * 5}
        for label in ("SUPPORTS", "REFUTES", "DISPUTED", "NOT_ENOUGH_INFO")
    ]
    scifact = [
        {
            "_id": "1",
            "text": "It heals.",
            "cited_doc_ids": ["7", "8"],
            "evidence": [
                {"doc_id": "7", "label": "SUPPORT", "sentences": [1]},
                {"doc_id": "7", "label": "SUPPORT", "sentences": [2]},
            ],
        }
    ]
    corpus = [{"_id": n, "title": "T", "sentences": ["a b.", "It heals.", "Yes."]} for n in "78"]
    write(tmp_path / "fever_symmetric" / "part.jsonl", fever)
    write(tmp_path / "climate_fever" / "part.jsonl", climate)
    write(tmp_path / "scifact" / "corpus.jsonl", corpus)
    write(tmp_path / "scifact" / "queries_any.jsonl", scifact)
    labels = {name: [case.label for case in load_cases(tmp_path / name)] for name in FORMATS}
    assert labels["fever_symmetric"] == ["supported", "contradicted"]
    assert labels["climate_fever"] == ["supported", "contradicted", "contradicted", "none"]
    assert labels["scifact"] == ["supported", "none"]
    assert load_cases(tmp_path / "scifact")[0].gold == {1, 2}
    assert len(load_cases(tmp_path / "climate_fever")[0].sentences) == 5


@pytest.mark.contract("Z2")
def test_the_layout_may_be_told_and_a_strange_one_is_refused(tmp_path: Path, wice: Path) -> None:
    other = wice.rename(tmp_path / "somewhere")
    assert len(load_cases(other, "wice")) == 3 * len(TOWNS)
    with pytest.raises(BadInput, match="wice, fever_symmetric"):
        load_cases(other)
    with pytest.raises(BadInput, match="not a set"):
        load_cases(other, "fever")
