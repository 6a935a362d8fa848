"""What memory saves: each question asked, asked again, and a related one with and without memory.

    python bench/memory_runs.py --docs docs [--questions pairs.jsonl]

A line of the file is {"first": …, "related": …}; without one, questions about Leadline's own docs.
Counts searches, pages and verified claims; "claims kept" is the share of the claims that a run
without memory proves which the run with memory proves too, by their quotes' places.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from leadline.research import run_research_sync
from leadline.settings import Settings
from leadline.types import AgentResponse

PAIRS = (
    ("How does the novelty gate decide what to keep?", "When does the gate discard a batch?"),
    ("How is a run resumed after a crash?", "What happens to a run that is interrupted?"),
    ("How do I add a search provider?", "Which search providers are there?"),
    ("Which report formats are there?", "How is a report written as PDF?"),
    ("How are claims verified?", "What happens to a claim that is not supported?"),
    ("Where are runs kept?", "What does the data folder hold?"),
    ("Which addresses may be fetched?", "Is robots.txt respected?"),
    ("Which models can be used?", "How do I use Ollama?"),
    ("How many hours is a search kept in the cache?", "How many hours is the cache kept?"),
    ("How many characters may a page give?", "How many characters of a page reach the writer?"),
    ("How many batches are always accepted?", "How many first batches are accepted?"),
)


def proven(response: AgentResponse) -> set[tuple[str, int]]:
    return {(one.quote.page, one.quote.start) for one in response.claims if one.quote}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, required=True)
    parser.add_argument("--questions", type=Path)
    given = parser.parse_args()
    pairs: tuple[tuple[str, str], ...] = PAIRS
    if given.questions:
        rows = [json.loads(line) for line in given.questions.read_text("utf-8").splitlines()]
        pairs = tuple((row["first"], row["related"]) for row in rows)
    total: dict[str, list[int]] = {}
    kept: dict[str, list[float]] = {"again": [], "related": []}
    for first, related in pairs:
        with tempfile.TemporaryDirectory() as folder:

            def ask(question: str, *, memory: bool = True, data: str = folder) -> AgentResponse:
                settings = Settings(
                    docs=(given.docs.resolve(),), data_dir=Path(data), no_model=True, memory=memory
                )
                return run_research_sync(question, settings=settings)

            runs = {
                "first": ask(first),
                "again": ask(first),
                "related, no memory": ask(related, memory=False),
                "related": ask(related),
            }
        for name, run in runs.items():
            row = total.setdefault(name, [0, 0, 0])
            for at, value in enumerate((run.usage.searches, run.usage.pages, len(run.claims))):
                row[at] += value
        for name, base in (("again", "first"), ("related", "related, no memory")):
            wanted = proven(runs[base])
            kept[name].append(len(wanted & proven(runs[name])) / len(wanted) if wanted else 1.0)
    for name, (searches, pages, claims) in total.items():
        same = f"  claims kept {sum(kept[name]) / len(kept[name]):.3f}" if name in kept else ""
        sys.stdout.write(
            f"{name:<20} searches {searches:>4}  pages {pages:>4}  claims {claims:>4}{same}\n"
        )


if __name__ == "__main__":
    main()
