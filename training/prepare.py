"""Training data for the reader: questions, the passages that answer them, and a pool of others.

python -m training.prepare --answers answer.jsonl.gz --pages SOURCE=DIR … --written FILE --out DIR
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from leadline.values import replace
from training.passages import MOST, Passage, folder_passages, written_questions

SEED = 11
_ASKING = re.compile(
    r"(?:how|what|why|when|where|who|which|can|could|do|does|is|are|should|i)\b", re.I
)
SOURCE_PASSAGES = 4000  # of one source, so that a large manual does not drown the others
ENGLISH = {" the ", " is ", " to "}  # a page in another language lacks these


class Pool:
    """Every passage once, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.pages: list[str] = []

    def add(self, line: str, page: str) -> int:
        number = self.numbers.setdefault(line, len(self.numbers))
        if number == len(self.pages):
            self.pages.append(page)
        return number


def answer_rows(path: Path, pool: Pool) -> Iterator[dict[str, Any]]:
    """Questions whose answering sentences people marked, as sentences and as paragraphs."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            title, page = row.get("title") or "", f"{row['source']}/{row.get('title')}"
            if "pos" in row:
                right = [pool.add(line, page) for line in _lines(title, row["pos"])]
                wrong = [pool.add(line, page) for line in _lines(title, row["neg"])]
                yield {"q": row["q"], "kind": row["source"], "pos": right, "neg": wrong}
            elif row["gold"] and not row.get("multihop"):
                yield _sentence_row(row, title, page, pool)


def _lines(title: str, texts: Iterable[str]) -> list[str]:
    return [f"{title}: {text}" if title else text for text in texts]


def _sentence_row(row: dict[str, Any], title: str, page: str, pool: Pool) -> dict[str, Any]:
    sentences, gold = row["context_sentences"], set(row["gold"])
    right, wrong, start = [], [], 0
    while start < len(sentences):
        stop, size = start, 0
        while stop < len(sentences) and (stop == start or size + len(sentences[stop]) <= MOST):
            size += len(sentences[stop])
            stop += 1
        (line,) = _lines(title, [" ".join(sentences[start:stop])])
        (right if gold & set(range(start, stop)) else wrong).append(pool.add(line, page))
        start = stop
    weak = bool(row.get("weak_negatives"))
    good = _lines(title, [sentences[at] for at in sorted(gold)])
    bad = [] if weak else _lines(title, [s for at, s in enumerate(sentences) if at not in gold])
    kind = row["source"]
    return {"q": row["q"], "kind": kind, "pos": right, "neg": [] if weak else wrong} | {
        "good": good,
        "bad": bad[:12],
    }


def asked_rows(
    passages: list[Passage], pool: Pool, draw: random.Random
) -> Iterator[dict[str, Any]]:
    """Headings that are questions, as in lists of frequent ones, and what stands under them.

    The passages under all other headings are there to be wrong.
    """
    under: dict[tuple[str, tuple[str, ...]], list[Passage]] = defaultdict(list)
    for passage in passages:
        under[passage.page, passage.headings].append(passage)
    for (page, headings), group in under.items():
        question = headings[-1] if headings else ""
        asks = bool(_ASKING.match(question)) and len(question.split()) > 3
        # Half of the answers must be found by what they say, without the question above them.
        lines = [_bare(p).line if asks and draw.random() < 0.5 else p.line for p in group]
        numbers = [pool.add(line, page) for line in lines]
        if asks:
            yield {"q": question, "kind": "faq", "pos": numbers[:2], "neg": [], "same": numbers[2:]}


def _bare(passage: Passage) -> Passage:
    return replace(passage, headings=passage.headings[:-1])


def some_pages(passages: list[Passage], draw: random.Random) -> list[Passage]:
    """English pages of a source, at random up to the limit."""
    pages: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        pages[passage.page].append(passage)
    kept: list[Passage] = []
    order = sorted(pages)
    draw.shuffle(order)
    for page in order:
        text = " ".join(passage.text for passage in pages[page][:12])
        if all(word in text for word in ENGLISH):
            kept += pages[page][:200]
        if len(kept) >= SOURCE_PASSAGES:
            break
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--pages", action="append", default=[], metavar="SOURCE=DIR")
    parser.add_argument("--written", type=Path, default=Path(__file__).parent / "written.tsv")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    draw, pool = random.Random(SEED), Pool()
    rows = list(answer_rows(options.answers, pool))
    for spec in options.pages:
        source, folder = spec.split("=", 1)
        passages = folder_passages(Path(folder))
        more = list(asked_rows(some_pages(passages, draw), pool, draw))
        for question, passage in written_questions(options.written, passages):
            more.append({"q": question, "kind": "written", "neg": []})
            more[-1]["pos"] = [pool.add(passage.line, passage.page)]
        print(f"{source}: {len(passages)} passages, {len(more)} questions")
        rows += more
    options.out.mkdir(parents=True, exist_ok=True)
    _write(options.out / "questions.jsonl", rows)
    _write(options.out / "pool.jsonl", zip(pool.numbers, pool.pages, strict=True))
    print(f"{len(rows)} questions, {len(pool.pages)} passages")


def _write(path: Path, rows: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
