"""The answer bench on a corpus small enough to know the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.bench.answer import load, normal, run
from leadline.bench.options import BenchOptions
from leadline.errors import BadInput

CORPUS = {
    "Lantern Bay": "Lantern Bay is a harbour town. Its lighthouse was designed by Ottilie Brandt.",
    "Ottilie Brandt": "Ottilie Brandt was an engineer born in Graufeld in 1871.",
    "Tides": "Tides rise twice a day in most harbours. Spring tides follow the new moon.",
    "Ropes": "A ship's rope is measured in fathoms. Hemp ropes rot when stored wet.",
}


def multihop(folder: Path) -> Path:
    folder.mkdir()
    ids = {title: f"d{number}" for number, title in enumerate(CORPUS)}
    documents = [{"_id": ids[t], "title": t, "text": text} for t, text in CORPUS.items()]
    question: dict[str, Any] = {
        "question": "Where was the designer of the Lantern Bay lighthouse born?",
        "answers": ["Graufeld"],
        "gold_doc_ids": [ids["Lantern Bay"], ids["Ottilie Brandt"]],
        "supporting_facts": [["Ottilie Brandt", 0]],
        "sentences": {"Ottilie Brandt": [CORPUS["Ottilie Brandt"]]},
    }
    yes_no = question | {"question": "Are tides and ropes alike?", "answers": ["no"]}
    _write(folder / "corpus.jsonl", documents)
    _write(folder / "questions.jsonl", [question, yes_no])
    return folder


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


@pytest.mark.contract("Z2")
def test_it_counts_gold_answers_and_sentences_beside_baselines_of_the_same_length(
    tmp_path: Path,
) -> None:
    figures = run(multihop(tmp_path / "set"), BenchOptions())
    assert figures["n"] == 2
    assert figures["answer.extractive"] == 1.0
    assert figures["answer.direct"] == 1.0
    assert figures["sentence.extractive"] > 0
    assert figures["chars.lead"] <= figures["chars.extractive"]
    assert figures["chars.topk"] <= figures["chars.extractive"]
    assert figures["found.invented"] == 1.0
    assert 0 <= figures["found.removed"] <= 1
    assert figures["cpu_s.extractive"] >= 0
    assert "found.unanswerable" not in figures


@pytest.mark.contract("Z2")
def test_questions_of_the_sets_beside_it_should_not_be_found(tmp_path: Path) -> None:
    data = multihop(tmp_path / "set")
    other = tmp_path / "other"
    other.mkdir()
    _write(other / "questions.jsonl", [{"question": "Who wrote the Amberfell ledger of Quill?"}])
    assert run(data, BenchOptions(limit=1))["found.unanswerable"] == 1.0


def test_clapnq_has_its_own_layout(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "id": "7",
        "input": "how often do tides rise",
        "passages": [{"title": "Tides", "text": CORPUS["Tides"]}],
        "output": [{"selected_sentences": ["Tides rise twice a day in most harbours."]}],
    }
    _write(tmp_path / "clapnq_dev_answerable.jsonl", [row])
    corpus, questions = load(tmp_path, BenchOptions(format="clapnq"))
    assert [document.title for document in corpus] == ["Tides"]
    assert questions[0].proofs == ("Tides rise twice a day in most harbours.",)
    assert run(tmp_path, BenchOptions(format="clapnq"))["sentence.extractive"] == 1.0


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        run(tmp_path, BenchOptions())


def test_markup_and_citations_do_not_count() -> None:
    assert normal("The `fetch()` **call** [3], 1.5") == "the fetch call 1 5"
