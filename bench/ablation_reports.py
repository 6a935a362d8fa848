"""What each stage after the search is worth, in the report: memory, revision, pages, the chunker.

    python bench/ablation_reports.py --data DIR [--data DIR …] [--limit 60] --work DIR

The documents of a multi-hop set become a folder, and the product answers its questions from it as a
user's: no model, standard tier. `found` is the gold answer in the report, `share` that of the gold
sentences (of the answer where a set tells none), `context` the letters of the report. Rows go to
WORK/reports.jsonl; what is there is not run again. The two rows of memory are made together, all
questions once and then all of them again, since what is remembered depends on what was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ablation import Row, Rows, table
from leadline.bench.answer import Asked, load, normal
from leadline.bench.data import one_of
from leadline.bench.made import write_pages
from leadline.bench.options import BenchOptions
from leadline.session import Session, open_session
from leadline.settings import load as load_settings

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "no stop rule": {"stop_rule": "gate"},
    "no pages read": {"url_enrich_count": 0},
    "chunker pieces": {"chunker": "pieces"},
    "chunker first": {"chunker": "first"},
    "revision by rules": {"revise": 3},
}
ONCE, AGAIN = "memory on, first time", "memory on, asked again"


def over(data: Path, limit: int, seed: int, rows: Rows, work: Path) -> None:
    corpus = one_of(data, "corpus.jsonl", "corpus*")
    _, questions = load(data, BenchOptions())
    asked = [one for one in questions if one.answers[0].lower() not in ("yes", "no")]
    asked = random.Random(seed).sample(asked, min(limit, len(asked)))
    pages = work / data.name / "pages"
    if not pages.exists():
        write_pages(pages, corpus)
    for name, changed in VARIANTS.items():
        left = [one for one in asked if not rows.has(data.name, name, one.text)]
        if left:
            given = changed | {"memory": False}
            asyncio.run(answered(data.name, (name,), left, pages, work, given, rows))
    if not all(rows.has(data.name, AGAIN, one.text) for one in asked):
        shutil.rmtree(work / data.name / "memory", ignore_errors=True)
        both = (ONCE, AGAIN)
        asyncio.run(answered(data.name, both, asked, pages, work, {"memory": True}, rows))


async def answered(
    where: str,
    names: Sequence[str],
    asked: Sequence[Asked],
    pages: Path,
    work: Path,
    changed: dict[str, Any],
    rows: Rows,
) -> None:
    """The rows of `asked`, once for each of `names`, in one session."""
    home = work / where / ("memory" if changed["memory"] else "data")
    given = {"docs": [pages], "data_dir": home, "no_model": True, "tier": "standard"} | changed
    async with open_session(load_settings(env={}, overrides=given)) as session:
        session.prepare()
        for name in names:
            for one in asked:
                row = await _row(session, where, name, one)
                if not rows.has(where, name, one.text):
                    rows.add(row)


async def _row(session: Session, where: str, name: str, one: Asked) -> Row:
    began = time.process_time()
    response = await session.response(await session.start(one.text))
    spent = time.process_time() - began
    said = f" {normal(response.final_answer)} "
    held = any(f" {normal(answer)} " in said for answer in one.answers)
    told = [normal(proof) in said for proof in one.proofs]
    return Row(
        where,
        name,
        one.text,
        float(held),
        sum(told) / len(told) if told else float(held),
        response.usage.searches,
        len(response.final_answer),
        round(spent, 4),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", required=True)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    rows = Rows(given.work / "reports.jsonl")
    for data in given.data:
        over(data, given.limit, given.seed, rows, given.work)
    print(table(rows.all))


if __name__ == "__main__":
    main()
