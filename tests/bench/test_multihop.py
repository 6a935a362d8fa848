"""The multi-hop bench: iterating finds what one search cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.bench.multihop import run
from leadline.bench.options import BenchOptions
from leadline.errors import BadInput

VARIANTS = ("single", "fair", "fixed", "saturation", "reflective")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film, its director under words the question lacks, and sixty other directors."""
    folder = tmp_path_factory.mktemp("multihop")
    corpus = [
        ("film", "The Long Tide", "The Long Tide is a 1961 film directed by Ada Brandt."),
        ("ada", "Ada Brandt", "Ada Brandt (4 May 1921 - 2 June 1990) lived in Port Velden."),
    ]
    corpus += [
        (f"d{i}", f"Director {i}", f"Number {i} was a film director. The director was born at sea.")
        for i in range(60)
    ]
    rows = [{"_id": key, "title": title, "text": text} for key, title, text in corpus]
    asked = {
        "_id": "q",
        "question": "Where was the director of the film The Long Tide born?",
        "gold_doc_ids": ["film", "ada"],
    }
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "questions.jsonl").write_text(json.dumps(asked) + "\n")
    return folder


@pytest.mark.contract("Z2", "R5")
def test_only_following_the_name_finds_the_second_document(data: Path) -> None:
    figures = run(data, BenchOptions())
    assert figures["all_gold10.reflective"] == 1
    assert figures["all_gold10.single"] == figures["all_gold10.fair"] == 0
    assert figures["gain.reflective"] == 1


@pytest.mark.contract("Z2")
def test_every_variant_is_measured_within_its_searches(data: Path) -> None:
    figures = run(data, BenchOptions(no_titles=True))
    for name in VARIANTS:
        assert 0 <= figures[f"r5.{name}"] <= 1
        assert 1 <= figures[f"searches.{name}"] <= 5
    assert figures["searches.fixed"] == 2
    assert figures["n"] == 1


@pytest.mark.contract("Z2")
def test_a_folder_without_questions_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}\n')
    with pytest.raises(BadInput, match=r"questions\.jsonl"):
        run(tmp_path, BenchOptions())
