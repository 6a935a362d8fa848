"""How well a reader ranks: the manuals' questions and the sentences of ClapNQ.

python -m training.evaluate --candidates DIR MODEL.onnx …
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

ANSWER_CHARS = 1000
ANSWER_PASSAGES = 4
SENTENCES = 2  # chosen for a question of ClapNQ


class Ranker(Protocol):
    """What is measured."""

    def embed(self, texts: Sequence[str]) -> np.ndarray: ...
    def score_answers(self, question: str, texts: Sequence[str]) -> np.ndarray: ...


def spread(values: np.ndarray) -> np.ndarray:
    """Scores of one question's candidates, with mean 0 and deviation 1."""
    return np.asarray((values - values.mean()) / (values.std() + 1e-9))


def recipes(row: dict[str, Any], cosine: np.ndarray, answer: np.ndarray) -> dict[str, np.ndarray]:
    """The ways to rank that are compared, best first in each."""
    hybrid, bm25 = np.array(row["hybrid"]), np.array(row["bm25"])
    near = spread(cosine) + spread(hybrid) / 2
    ways = {"bm25": bm25, "hybrid": hybrid, "cosine": cosine, "answer": answer}
    ways |= {"cosine + half hybrid": near, "+ answer of all": near + spread(answer)}
    for depth in (20, 40):
        first = np.argsort(-near, kind="stable")[:depth]
        scores = near - 1000
        scores[first] = spread(near[first]) + spread(answer[first])
        ways[f"+ answer of the first {depth}"] = scores
    return {name: np.argsort(-scores, kind="stable") for name, scores in ways.items()}


def has_gold(row: dict[str, Any], text: str) -> bool:
    return any(re.search(pattern, text, re.I | re.S) for pattern in row["gold"])


def manual_figures(rows: Sequence[dict[str, Any]], ranker: Ranker) -> dict[str, list[float]]:
    """For each way to rank: gold in the first passage, 1,000 characters, four passages; MRR."""
    figures: dict[str, list[list[float]]] = {}
    for row in rows:
        vectors = ranker.embed([row["question"], *row["lines"]])
        answer = np.asarray(ranker.score_answers(row["question"], row["lines"]), dtype=float)
        golden = np.array([has_gold(row, text) for text in row["texts"]])
        for name, order in recipes(row, vectors[1:] @ vectors[0], answer).items():
            texts = [row["texts"][n] for n in order[:ANSWER_PASSAGES]]
            ranks = np.flatnonzero(golden[order])
            figures.setdefault(name, []).append(
                [
                    has_gold(row, texts[0]),
                    has_gold(row, " ".join(texts)[:ANSWER_CHARS]),
                    has_gold(row, " ".join(texts)),
                    1 / (1 + ranks[0]) if len(ranks) else 0.0,
                ]
            )
    return {name: list(np.mean(values, axis=0)) for name, values in figures.items()}


def sentence_figures(rows: Sequence[dict[str, Any]], ranker: Ranker) -> tuple[float, float]:
    """Of the two sentences chosen, the share that people chose too: by vectors, by score."""
    shares = []
    for row in rows:
        gold = np.array(row["gold"])
        vectors = ranker.embed([row["question"], *row["lines"]])
        answer = ranker.score_answers(row["question"], row["lines"])
        ways = (vectors[1:] @ vectors[0], answer)
        shares.append([gold[np.argsort(-way, kind="stable")[:SENTENCES]].mean() for way in ways])
    by_vectors, by_score = np.mean(shares, axis=0)
    return float(by_vectors), float(by_score)


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def report(name: str, ranker: Ranker, folder: Path) -> None:
    """Prints the figures."""
    print(f"\n{name}: first passage / 1,000 characters / four passages / reciprocal rank")
    figures = manual_figures(read_rows(folder / "manuals.jsonl"), ranker)
    for way, values in figures.items():
        print(f"  {way:32}" + " ".join(f"{value:5.3f}" for value in values))
    shares = sentence_figures(read_rows(folder / "clapnq.jsonl"), ranker)
    print(
        f"  ClapNQ, two sentences: by vectors {shares[0]:.3f}, by score {shares[1]:.3f}", flush=True
    )
    written = folder / "written.jsonl"
    if written.exists():
        print("  questions written for passages, reciprocal rank: vectors, score", end=" ")
        print(
            " ".join(f"{v:.3f}" for v in _written_figures(read_rows(written), ranker)), flush=True
        )


def _written_figures(rows: Sequence[dict[str, Any]], ranker: Ranker) -> tuple[float, float]:
    ranks = []
    for row in rows:  # its passage stands first among the candidates
        vectors = ranker.embed([row["question"], *row["lines"]])
        answer = ranker.score_answers(row["question"], row["lines"])
        ranks.append([1 / (1 + (w[1:] > w[0]).sum()) for w in (vectors[1:] @ vectors[0], answer)])
    by_vectors, by_score = np.mean(ranks, axis=0)
    return float(by_vectors), float(by_score)


def main() -> None:
    from leadline.reader.encoder import OnnxReader

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("models", type=Path, nargs="+")
    options = parser.parse_args()
    for path in options.models:
        started = time.process_time()
        report(str(path), OnnxReader(path), options.candidates)
        print(f"  {time.process_time() - started:.0f} s of CPU")


if __name__ == "__main__":
    main()
