"""Forty ordinary questions over this project's own docs, worded as users ask them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.baselines import Baselines
from benchmarks.gold import Question, answers, drawn, read_questions, tally
from benchmarks.manuals import shown, variants
from benchmarks.options import Figures, Options
from benchmarks.product import Answer, Cost, ask_all, lengths

QUESTIONS = Path(__file__).with_suffix(".jsonl")
DOCS = Path(__file__).parents[1] / "docs"


def run(options: Options) -> Figures:
    questions = drawn(read_questions(QUESTIONS), options)
    cost = Cost()
    answered = ask_all([row.text for row in questions], DOCS, "own_docs", options)
    figures: Figures = {"questions": len(questions)} | cost.figures(len(questions))
    figures |= scored("product", list(zip(questions, answered, strict=True))) | lengths(answered)
    if options.baselines:
        plain = Baselines(DOCS, options.work / "baselines" / "own_docs")
        for name, best in variants(plain).items():
            figures |= scored(name, [(row, shown(best(row.text))) for row in questions])
    return figures


def scored(variant: str, rows: list[tuple[Question, Answer]]) -> Figures:
    figures: Figures = {}
    tally(
        figures,
        variant,
        {
            "first_paragraph": [answers(row, one.direct) for row, one in rows],
            "first_three": [answers(row, "\n".join(one.paragraphs[:3])) for row, one in rows],
            "report": [answers(row, one.report) for row, one in rows],
            "refused": [not one.found for _, one in rows],
        },
    )
    return figures
