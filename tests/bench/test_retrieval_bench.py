"""The retrieval and index benches: measures against an oracle, figures that can be read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from leadline.bench import index as index_bench
from leadline.bench import retrieval
from leadline.bench.data import load_corpus, load_queries
from leadline.bench.index import distractor_rate
from leadline.bench.measures import baseline, ndcg, percentile, recall
from leadline.bench.options import BenchOptions
from leadline.documents import DocIndex
from leadline.errors import BadInput


@pytest.fixture
def data(tmp_path: Path) -> Path:
    subjects = ["tides", "ropes", "bread", "ships", "moon", "salt", "wind", "sand"]
    rows = [
        {
            "_id": f"d{n}",
            "title": subject.title(),
            "sentences": [f"All about {subject}.", "And sea."],
        }
        for n, subject in enumerate(subjects)
    ]
    packed = "\n".join(json.dumps(row) for row in rows).encode()
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(packed))
    queries = [{"_id": str(n), "text": f"what of {subject}?"} for n, subject in enumerate(subjects)]
    (tmp_path / "queries_train.jsonl").write_text("\n".join(map(json.dumps, queries)))
    judged = [f"{n}\td{n}\t1" for n in range(6)] + ["6\td6\t0"]
    (tmp_path / "qrels_train.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(judged))
    return tmp_path


@given(st.lists(st.integers(0, 4), min_size=2, max_size=15).filter(any))
def test_ndcg_is_what_scikit_learn_says(grades: list[int]) -> None:
    names = [str(n) for n in range(len(grades))]
    judged = {name: grade for name, grade in zip(names, grades, strict=True) if grade}
    ranks = [[float(len(grades) - n) for n in range(len(grades))]]
    assert ndcg(names, judged) == pytest.approx(ndcg_score([grades], ranks, k=10))


def test_recall_and_percentile_count() -> None:
    assert recall(["a", "b", "c"], {"b": 1, "x": 2}) == 0.5
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([], 0.5) == 0.0


@pytest.mark.contract("Z2")
def test_judged_collections_are_loaded_as_they_come(data: Path) -> None:
    corpus, queries = load_corpus(data), load_queries(data)
    assert corpus[0].text == "All about tides. And sea."
    assert load_corpus(data, titles=False)[0].title == ""
    assert [query.id for query in queries] == list("012345")
    assert queries[1].grades == {"d1": 1}


@pytest.mark.contract("Z2", "D2")
def test_the_retrieval_bench_prints_flat_figures(data: Path) -> None:
    found = retrieval.run(data, BenchOptions())
    assert (found["ndcg10.hybrid"], found["ndcg10.bm25"], found["n"]) == (1.0, 1.0, 6)
    assert {key.split(".")[1] for key in found if key.startswith("r10.")} == {
        "rank_bm25",
        "bm25",
        "vector",
        "hybrid",
    }
    assert retrieval.run(data, BenchOptions(limit=2))["n"] == 2


@pytest.mark.contract("Z2", "D6")
def test_the_index_bench_prints_flat_figures(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(30):
        (docs / f"page{number}.md").write_text(f"# Page {number}\n\nTide{number} and ropes.\n")
    found = index_bench.run(docs, BenchOptions(limit=10))
    assert (found["n"], found["files.ours"], found["updated.ours"]) == (30, 30, 1)
    for key in ("build_s.ours", "build_s.bm25s", "p50_ms.rank_bm25", "disk_mb.ours"):
        assert found[key] > 0
    assert found["build_ratio.bm25s"] == pytest.approx(
        found["build_s.ours"] / found["build_s.bm25s"], abs=0.01
    )
    assert (docs / "page0.md").read_text() == "# Page 0\n\nTide0 and ropes.\n"


@pytest.mark.contract("D6")
def test_the_distractor_rate_is_the_share_of_hits_from_elsewhere() -> None:
    docs = [("sea/a", "", "ropes here"), ("sea/b", "", "ropes there"), ("land/c", "", "ropes too")]
    index = DocIndex.in_memory(docs, None)
    assert distractor_rate(index, [("ropes", "sea/")]) == pytest.approx(1 / 3)
    assert distractor_rate(index, [("kraken", "sea/")]) == 0.0


def test_data_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="corpus"):
        load_corpus(tmp_path)
    (tmp_path / "x").write_text("x")
    with pytest.raises(BadInput, match="tar"):
        index_bench.run(tmp_path / "x", BenchOptions())
    with pytest.raises(BadInput, match="no-such"):
        baseline("no_such_package")
