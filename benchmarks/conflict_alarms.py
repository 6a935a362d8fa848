"""Paragraphs of HotpotQA, 2Wiki and MuSiQue and passages of the project's own docs, fifteen a
question: how often are two of them called contradictory? Hardly any are."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.gold import read_rows
from benchmarks.options import Figures, Options
from leadline.check.conflicts import conflicts
from leadline.text.words import content_words
from leadline.types import Passage

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
QUESTIONS = 100  # of each set
MOST = 15  # passages of the docs a question
DOCS = Path(__file__).resolve().parents[1] / "docs"
_ANSWER = 600  # characters of the first three passages that stand for an answer

Question = tuple[str, str, list[tuple[str, str]]]  # its set, its words, titles and passages


def run(options: Options) -> Figures:
    figures: Figures = {}
    alarms, began = 0, time.process_time()
    questions = [*_paragraphs(options), *_own_docs(options)]
    for name, question, texts in questions:
        passages = [Passage(n, text, f"{n}", 0, len(text)) for n, (_, text) in enumerate(texts, 1)]
        titles = {n: title for n, (title, _) in enumerate(texts, 1)}
        answer = " ".join(one.text[:_ANSWER] for one in passages[:3])
        found = conflicts(passages, question, titles)
        wider = conflicts(passages, question, titles, answer=answer)
        alarms += bool(found)
        figures[name] = int(figures.get(name, 0)) + bool(found)
        figures["with an answer"] = int(figures.get("with an answer", 0)) + bool(wider)
        for one in found or wider:
            print(f"{question}\n  {one.one.text}\n  {one.other.text}", file=sys.stderr)
    figures["questions"] = len(questions)
    figures["alarms per 100 questions"] = 100 * alarms / len(questions)
    figures["ms a question"] = 500 * (time.process_time() - began) / len(questions)
    return figures


def _paragraphs(options: Options) -> Iterator[Question]:
    for name in SETS:
        corpus = {row["_id"]: row for row in read_rows(options.data / name / "corpus.jsonl")}
        rows = list(read_rows(options.data / name / "questions.jsonl"))
        dice = Random(options.seed)
        for row in dice.sample(rows, min(len(rows), options.limit or QUESTIONS)):
            found = [corpus[one] for one in row["context_doc_ids"]]
            yield name, row["question"], [(one["title"], one["text"]) for one in found]


def _own_docs(options: Options) -> Iterator[Question]:
    """Each heading as a question, with the sections that share most of its words."""
    sections: list[tuple[str, str]] = []
    for path in sorted(DOCS.rglob("*.md")):
        title, *parts = path.read_text("utf-8").split("\n## ")
        sections += [(title.splitlines()[0].lstrip("# "), part) for part in (title, *parts)]
    words = [set(content_words(text)) for _, text in sections]
    heads = [text.splitlines()[0] for _, text in sections]
    dice = Random(options.seed)
    for head in dice.sample(heads, min(len(heads), options.limit or QUESTIONS)):
        asked = set(content_words(head))
        order = sorted(range(len(sections)), key=lambda at: -len(asked & words[at]))
        yield "docs", head, [sections[at] for at in order[:MOST]]
