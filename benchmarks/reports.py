"""Whole reports to read with one's own eyes, with the question above each."""

from __future__ import annotations

from itertools import groupby

from benchmarks.gold import drawn, read_questions
from benchmarks.options import Figures, Options
from benchmarks.own_docs import DOCS, QUESTIONS
from benchmarks.product import ask_all

_REPORTS = 10


def run(options: Options) -> Figures:
    manuals = options.source == "manuals"
    path = options.data / "manuals" / "questions.jsonl" if manuals else QUESTIONS
    questions = drawn(read_questions(path), options)[: options.limit or _REPORTS]
    for folder, group in groupby(questions, key=lambda one: one.folder):
        rows = list(group)
        docs = options.manuals / folder if manuals else DOCS
        name = folder if manuals else "own_docs"
        answered = ask_all([row.text for row in rows], docs, name, options)
        for row, answer in zip(rows, answered, strict=True):
            print(f"{'═' * 100}\n{row.id}  {row.text}\n{'─' * 100}\n{answer.printed}")
    return {"reports": len(questions)}
