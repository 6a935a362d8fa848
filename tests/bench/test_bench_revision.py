"""The bench of revision: an able model adds proven sentences, a careless one changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.bench.options import BenchOptions
from leadline.bench.revision import run

DOCS = {
    "selm": "Selm is a town on the Arl. Its harbour is 12 fathoms deep. It was founded in 1210.",
    "arl": "The Arl is a river of 90 kilometres. It rises on Mount Tor. Selm stands at its mouth.",
    "tor": "Mount Tor is 1,400 metres high. Snow lies on it until May.",
}


@pytest.mark.contract("Z2", "Q2", "Q3")
def test_every_variant_is_measured_and_nothing_unproven_ships(tmp_path: Path) -> None:
    docs = [{"_id": name, "title": name.title(), "text": text} for name, text in DOCS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, docs)))
    question = {
        "question": "How deep is the harbour of Selm?",
        "answers": ["12 fathoms"],
        "gold_doc_ids": ["selm"],
    }
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    found = run(tmp_path, BenchOptions())
    assert found["answer.off"] == 1
    assert found["claims.able"] >= found["claims.off"]
    assert found["calls.off"] == 0
    assert found["calls.able"] > 0
    assert found["shipped.careless"] == 0
    assert found["chars.careless"] == found["chars.off"]
    assert found["claims.cutting"] == found["claims.off"]
    assert not any(found[f"unproven.{name}"] for name in ("off", "able", "careless", "cutting"))
