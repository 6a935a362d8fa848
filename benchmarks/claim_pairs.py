"""Right and wrong answers made of the same names: what does the check say of each, without a model?

`claim_pairs.json` holds the answers, written by hand for questions of the training parts; their
passages are looked up under `--data`. A right answer is tried with all its ids, with one of them
and with none: it should be quoted or sourced, and find the sources that serve it. A wrong one
should not be called quoted; that nobody judged it is what *sourced* says.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.options import Figures, Options
from leadline.check.prover import Prover
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage

PAIRS = Path(__file__).with_name("claim_pairs.json")
SHOWN = ("quoted", "sourced")
FORMS = ("all", "one", "none")


@dataclass(frozen=True)
class Pair:
    """A right and a wrong answer with the passages of their question, the gold ones by number."""

    right: str
    wrong: str
    passages: tuple[Passage, ...]
    titles: Mapping[int, str]
    gold: tuple[int, ...]


def run(options: Options) -> Figures:
    embedder = StaticEmbedder()
    pairs = list(pairs_in(options.data))
    counts: Counter[str] = Counter()
    spent = 0.0
    for pair in pairs:
        prover = Prover(pair.passages, embedder, pair.titles)
        for kind, text in (("right", pair.right), ("wrong", pair.wrong)):
            for form in FORMS:
                began = time.process_time()
                standing = prover.prove(text, _ids(pair.gold, form)).claim.verdict.value
                spent += time.process_time() - began
                counts[f"{kind}.{form}.{standing}"] += 1
                if (standing in SHOWN) != (kind == "right") and standing != "sourced":
                    print(f"{kind}, {form} ids: {standing}: {text}", file=sys.stderr)
    claims = 2 * len(FORMS) * len(pairs)
    figures: Figures = {"pairs": len(pairs), "ms_per_claim": 1000 * spent / claims}
    for kind in ("right", "wrong"):
        for form in FORMS:
            for standing in (*SHOWN, "contradicted", "not_found"):
                name = f"{kind}.{form}.{standing}"
                figures[name] = counts[name] / len(pairs)
    return figures


def pairs_in(data: Path) -> Iterator[Pair]:
    """The pairs, with what `data` holds of their questions."""
    rows = json.loads(PAIRS.read_text("utf-8"))
    for name in dict.fromkeys(row["set"] for row in rows):
        documents = _manuals(data) if name == "manuals" else _paragraphs(data / name)
        for row in rows:
            if row["set"] == name:
                gold, found = documents[row["id"]]
                titles = {number: title for number, (title, _) in enumerate(found, 1)}
                passages = tuple(
                    Passage(number, text, f"page {number}", 0, len(text))
                    for number, (_, text) in enumerate(found, 1)
                )
                yield Pair(row["right"], row["wrong"], passages, titles, gold)


Documents = dict[str, tuple[tuple[int, ...], list[tuple[str, str]]]]


def _paragraphs(folder: Path) -> Documents:
    """The paragraphs of each question, the gold ones by number."""
    corpus = {row["_id"]: (row["title"], row["text"]) for row in _rows(folder / "corpus.jsonl")}
    found: Documents = {}
    for row in _rows(folder / "questions.jsonl"):
        ids = list(dict.fromkeys((*row["gold_doc_ids"], *row["context_doc_ids"])))
        gold = tuple(range(1, len(row["gold_doc_ids"]) + 1))
        found[row["_id"]] = gold, [corpus[one] for one in ids]
    return found


def _manuals(data: Path) -> Documents:
    """The sentences that answer each question of a folder, beside those of its other questions."""
    rows = [row for row in _rows(data / "manuals" / "questions.jsonl") if row.get("gold_sentence")]
    found: Documents = {}
    for row in rows:
        others = [one for one in rows if one["folder"] == row["folder"] and one is not row]
        texts = [(one["gold_file"][0], "\n\n".join(one["gold_sentence"])) for one in (row, *others)]
        found[row["id"]] = (1,), texts
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


def _ids(gold: Sequence[int], form: str) -> tuple[int, ...]:
    return {"all": tuple(gold), "one": tuple(gold[:1]), "none": ()}[form]
