"""Questions in a user's words over real manuals: does the first paragraph answer?

Writes RESULTS.jsonl (`id`, `direct`, `report`, `found`) for a scorer of one's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from benchmarks.baselines import Baselines
from benchmarks.gold import Question, answers, drawn, mean, read_questions, refuses, tally
from benchmarks.options import Figures, Options
from benchmarks.product import Answer, Cost, ask_all, lengths


def run(options: Options) -> Figures:
    questions = drawn(read_questions(options.data / "manuals" / "questions.jsonl"), options)
    folders = {one.folder: [q for q in questions if q.folder == one.folder] for one in questions}
    cost = Cost()
    answered: dict[str, Answer] = {}
    for folder, rows in folders.items():
        docs = options.manuals / folder
        if not docs.is_dir():
            raise FileNotFoundError(2, "not there", str(docs))
        answered |= dict(
            zip(
                (row.id for row in rows),
                ask_all([row.text for row in rows], docs, folder, options),
                strict=True,
            )
        )
    figures: Figures = {"questions": len(questions)} | cost.figures(len(questions))
    rows_of = [(row, answered[row.id]) for row in questions]
    figures |= scored("product", rows_of) | lengths([one for _, one in rows_of])
    _write(options.results or options.work / "RESULTS.jsonl", rows_of)
    if options.baselines:
        figures |= _baselines(folders, options)
    return figures


def scored(variant: str, rows: list[tuple[Question, Answer]]) -> Figures:
    """Shares of the questions answered, by how much of the report is read; and of refusals."""
    can = [(row, one) for row, one in rows if row.answerable]
    cannot = [(row, one) for row, one in rows if not row.answerable]
    figures: Figures = {}
    tally(
        figures,
        variant,
        {
            "first_paragraph": [answers(row, one.direct) for row, one in can],
            "first_1000": [answers(row, one.report[:1000]) for row, one in can],
            "report": [answers(row, one.report) for row, one in can],
            "refused": [refuses(one.found, one.direct, one.report) for _, one in can],
        },
    )
    if cannot:
        told = mean(refuses(one.found, one.direct, one.report) for _, one in cannot)
        figures[f"absent_told.{variant}"] = told
    return figures


def _baselines(folders: dict[str, list[Question]], options: Options) -> Figures:
    rows: dict[str, list[tuple[Question, Answer]]] = {}
    for folder, questions in folders.items():
        plain = Baselines(options.manuals / folder, options.work / "baselines" / folder)
        for name, best in variants(plain).items():
            rows.setdefault(name, []).extend((row, shown(best(row.text))) for row in questions)
    figures: Figures = {}
    for name, some in rows.items():
        figures |= scored(name, some)
    return figures


def variants(plain: Baselines) -> dict[str, Callable[[str], list[str]]]:
    return {
        "bm25_chunks": plain.bm25_chunks,
        "bm25_paragraphs": plain.bm25_paragraphs,
        "hybrid": plain.hybrid,
    }


def shown(texts: list[str]) -> Answer:
    """Paragraphs as the report of a baseline."""
    report = "\n\n".join(texts)
    return Answer(report, report, bool(texts))


def _write(path: Path, rows: list[tuple[Question, Answer]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        {"id": row.id, "direct": one.direct, "report": one.report, "found": one.found}
        for row, one in rows
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
