"""HotpotQA and 2WikiMultihopQA: gold sentences and answers in what a reader sees first.

With `--all-gold` also how often all gold documents are kept, by the bench of the package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.baselines import Baselines
from benchmarks.folders import as_folder
from benchmarks.gold import drawn, read_rows, share_held, tally, words_of
from benchmarks.options import Figures, Options
from benchmarks.product import Answer, Cost, ask_all, lengths

SETS = ("hotpotqa", "2wikimultihopqa")
_QUESTIONS = 100


def run(options: Options) -> Figures:
    figures: Figures = {}
    for name in SETS:
        figures |= {f"{name}.{key}": value for key, value in _measured(name, options).items()}
    return figures


def _measured(name: str, options: Options) -> Figures:
    data = options.data / name
    corpus = read_rows(data / "corpus.jsonl")
    documents = ((row["_id"], row.get("title", ""), row["text"]) for row in corpus)
    docs = as_folder(documents, options.work / "folders" / name)
    rows = read_rows(data / "questions.jsonl")[:_QUESTIONS]
    rows = drawn(rows, options)
    cost = Cost()
    answered = ask_all([row["question"] for row in rows], docs, name, options)
    figures: Figures = {"questions": len(rows)} | cost.figures(len(rows)) | lengths(answered)
    _score(figures, "product", rows, answered)
    if options.baselines:
        plain = Baselines(docs, options.work / "baselines" / name)
        texts = ["\n\n".join(plain.hybrid(row["question"])) for row in rows]
        _score(figures, "hybrid", rows, [Answer(text, text, True) for text in texts])
    if options.all_gold:
        figures |= _all_gold(data, options)
    return figures


def _score(
    figures: Figures, variant: str, rows: list[dict[str, Any]], answered: list[Answer]
) -> None:
    proofs = [_proofs(row) for row in rows]
    both = [(row["answers"], one) for row, one in zip(rows, answered, strict=True)]
    said = [(strings, one) for strings, one in both if strings[0].lower() not in {"yes", "no"}]
    held = [(gold, one) for gold, one in zip(proofs, answered, strict=True) if gold]
    tally(
        figures,
        variant,
        {
            "sentences_first_two": [share_held(gold, _first_two(one)) for gold, one in held],
            "sentences_report": [share_held(gold, one.report) for gold, one in held],
            "answer_first_two": [_holds(strings, _first_two(one)) for strings, one in said],
            "answer_report": [_holds(strings, one.report) for strings, one in said],
        },
    )


def _first_two(answer: Answer) -> str:
    return "\n".join(answer.paragraphs[:2])


def _holds(strings: list[str], text: str) -> bool:
    shown = words_of(text)
    return any(words_of(one) in shown for one in strings)


def _proofs(row: dict[str, Any]) -> list[str]:
    texts = row.get("sentences") or {}
    return [
        texts[title][number]
        for title, number in row.get("supporting_facts") or ()
        if number < len(texts.get(title, ()))
    ]


def _all_gold(data: Path, options: Options) -> Figures:
    from leadline.bench.multihop import run as measured
    from leadline.bench.options import BenchOptions

    found = measured(data, BenchOptions(limit=options.limit or _QUESTIONS, seed=options.seed))
    return {key: value for key, value in found.items() if key.startswith("all_gold10.")}
