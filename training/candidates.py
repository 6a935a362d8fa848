"""What the reader is measured on: manuals and ClapNQ, as questions with their candidates.

python -m training.candidates --manuals DIR --questions FILE --clapnq FILE --out DIR
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.passages import folder_passages, written_questions

DEPTH = 100
COSINE_SHARE = 0.7  # of the static cosine beside BM25 over its best; measured on SciFact
PASSAGES = 8  # of ClapNQ, from which sentences are chosen
_WORD = re.compile(r"\w+")
_ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " ", "`": ""})


def plain(text: str) -> str:
    """As the questions' patterns expect it."""
    return re.sub(r"\s+", " ", text.translate(_ALIKE).replace("**", "")).strip()


def word_stems(text: str) -> list[str]:
    """Small letters and no plural."""
    return [re.sub(r"(?<=\w{3})(?:ing|ed|es|s)$", "", word) for word in _WORD.findall(text.lower())]


def keyword_scores(texts: Sequence[str], questions: Sequence[str]) -> np.ndarray:
    """BM25, one row a question."""
    import bm25s

    words = [word_stems(text) for text in texts]
    index = bm25s.BM25()
    index.index(words, show_progress=False)
    known = set().union(*words)
    asked = [[word for word in word_stems(text) if word in known] for text in questions]
    return np.stack([index.get_scores(list(dict.fromkeys(row))) for row in asked])


def static_scores(texts: Sequence[str], questions: Sequence[str]) -> np.ndarray:
    from leadline.reader.static import StaticEmbedder

    embedder = StaticEmbedder()
    return np.asarray(embedder.embed(questions) @ embedder.embed(texts).T)


def manual_rows(docs: Path, questions: Path) -> list[dict[str, Any]]:
    """The answerable questions, each with the hybrid's first hundred passages of its manual."""
    asked = [json.loads(line) for line in questions.read_text("utf-8").splitlines() if line]
    rows = []
    for folder in sorted({row["folder"] for row in asked}):
        mine = [row for row in asked if row["folder"] == folder and row["gold"]]
        passages = list({p.text: p for p in folder_passages(docs / folder)}.values())
        lines, words = [p.line for p in passages], [row["question"] for row in mine]
        bm25 = keyword_scores(lines, words)
        hybrid = bm25 / bm25.max(axis=1, keepdims=True)
        hybrid = hybrid + COSINE_SHARE * static_scores(lines, words)
        for at, row in enumerate(mine):
            best = np.argsort(-hybrid[at], kind="stable")[:DEPTH]
            rows.append({key: row[key] for key in ("id", "question", "gold")})
            rows[-1]["lines"] = [lines[n] for n in best]
            rows[-1]["texts"] = [plain(passages[n].text) for n in best]
            rows[-1]["hybrid"] = [round(float(hybrid[at, n]), 4) for n in best]
            rows[-1]["bm25"] = [round(float(bm25[at, n]), 4) for n in best]
    return rows


def clapnq_rows(path: Path) -> list[dict[str, Any]]:
    """Questions with the sentences of the passage that answers and of seven like it."""
    asked = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    passages = [row["passages"][0] for row in asked]
    texts = [f"{p['title']}: {p['text']}" for p in passages]
    scores = keyword_scores(texts, [row["input"] for row in asked])
    rows = []
    for at, row in enumerate(asked):
        others = [int(n) for n in np.argsort(-scores[at], kind="stable") if n != at]
        nearest = [at, *others[: PASSAGES - 1]]
        random.Random(at).shuffle(nearest)
        gold = {s for output in row["output"] for s in output.get("selected_sentences", ())}
        found = [
            (passages[n]["title"], s, n == at) for n in nearest for s in passages[n]["sentences"]
        ]
        rows.append({"question": row["input"], "lines": [f"{t}: {s}" for t, s, _ in found]})
        rows[-1]["gold"] = [int(own and s in gold) for _, s, own in found]
    return rows


def written_rows(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Questions written for passages of manuals not trained on; the right passage stands first."""
    rows = []
    for folder in folders:
        passages = list({p.text: p for p in folder_passages(folder)}.values())
        pairs = list(written_questions(Path(__file__).parent / "written.tsv", passages))
        scores = keyword_scores([p.line for p in passages], [question for question, _ in pairs])
        for (question, right), row in zip(pairs, scores, strict=True):
            best = [passages[n] for n in np.argsort(-row, kind="stable")[:DEPTH]]
            others = [p.line for p in best if p.text != right.text]
            rows.append({"question": question, "lines": [right.line, *others]})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("manuals", "questions", "clapnq", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--pages", type=Path, action="append", default=[], help="not trained on")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, rows in (
        ("manuals", manual_rows(options.manuals, options.questions)),
        ("clapnq", clapnq_rows(options.clapnq)),
        ("written", written_rows(options.pages)),
    ):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (options.out / f"{name}.jsonl").write_text("".join(lines), "utf-8")
        print(f"{name}: {len(rows)} questions")


if __name__ == "__main__":
    main()
