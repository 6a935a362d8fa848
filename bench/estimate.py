"""Does the estimate made before a run hold what the run then takes?

    python bench/estimate.py [--docs DIR] [--runs 120] [--world 80] [--work DIR]

Real runs of mixed tasks and tiers: over documents without a model, and over a simulated web with a
simulated model (`sim_world.py`), some of them with revision. Afterwards every run is foreseen again
from twenty others drawn at random, and from all that went before it, as a user would have seen it.
`coverage.time` is the share of runs whose time lay in the range that was told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline import run_research
from leadline.fields.secret import SecretText
from leadline.kit import what_is_asked
from leadline.observe.estimate import estimate_from
from leadline.settings import Settings
from leadline.types import Estimate, Tier
from sim_world import World, open_world

PAST = 20  # runs before the one that is foreseen
DRAWS = 10  # for each run
FORMS = ("What is {0}?", "How does {0} work?", "When is {0} used and why?", "Compare {0} and {1}.")
PORTS = (
    "What did the annals record about the harbour of Port{0}?",
    "How deep is the harbour of Port{0}, and when was its lighthouse built?",
    "How many ships do the pilots of Port{0} guide each winter?",
)


@dataclass(frozen=True)
class Job:
    """A task with the settings that it is asked with."""

    task: str
    settings: Settings


@dataclass(frozen=True)
class Done:
    """A job and the record of its run."""

    job: Job
    record: dict[str, Any]


def document_jobs(docs: Path, count: int, data: Path, seed: int) -> list[Job]:
    """Questions made of the headings in a folder of Markdown."""
    heads = sorted(
        {
            head.strip()
            for file in docs.glob("*.md")
            for head in re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
        }
    )
    dice = random.Random(seed)
    settings = Settings(docs=(docs,), data_dir=data, memory=False)
    return [
        Job(
            dice.choice(FORMS).format(*(head.lower() for head in dice.sample(heads, 2))),
            settings.but(tier=dice.choice([None, *Tier])),
        )
        for _ in range(count)
    ]


def world_jobs(url: str, count: int, data: Path, seed: int) -> list[Job]:
    """Questions about places, to a model that is not always sure."""
    dice = random.Random(seed)
    settings = Settings(
        web=True,
        search_providers=("searxng",),
        searxng_url=url,
        fetch_allow_hosts=("127.0.0.1",),
        fetch_robots=False,
        model="openai:sim",
        openai_base_url=f"{url}/v1",
        openai_api_key=SecretText("sim"),
        memory=False,
        data_dir=data,
    )
    return [
        Job(
            dice.choice(PORTS).format(number),
            settings.but(tier=dice.choice(list(Tier)), revise=dice.choice([0, 0, 1])),
        )
        for number in range(count)
    ]


def ran(jobs: Sequence[Job], data: Path) -> list[Done]:
    """Every job run, one after the other, as the product runs it; what was run before is read."""
    made: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for record in _records(data):
        made.setdefault(_key(record["task"], record["settings"]), []).append(record)
    found: list[Done] = []
    for job in jobs:
        key = _key(job.task, job.settings.public())
        if not made.get(key):
            response = asyncio.run(run_research(job.task, settings=job.settings))
            fresh = next(one for one in _records(data) if one["run_id"] == response.run_id)
            made.setdefault(key, []).append(fresh)
        found.append(Done(job, made[key].pop(0)))
    return found


def _records(data: Path) -> list[dict[str, Any]]:
    path = data / "runs.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _key(task: str, settings: dict[str, Any]) -> tuple[object, ...]:
    return task, settings.get("tier"), settings.get("revise")


def foreseen(one: Done, past: Sequence[Done]) -> Estimate:
    return estimate_from(what_is_asked(one.job.task, one.job.settings), [p.record for p in past])


def held(one: Done, guess: Estimate) -> dict[str, bool]:
    """Did the run stay in the range of the estimate?"""
    usage = one.record["usage"]
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    pairs = {
        "time": (one.record["active_seconds"], guess.seconds),
        "tokens": (tokens, guess.tokens),
    }
    return {name: spread.low <= took <= spread.high for name, (took, spread) in pairs.items()}


def drawn(runs: Sequence[Done], seed: int) -> list[dict[str, bool]]:
    """Each run foreseen from twenty others, whatever their tier."""
    dice = random.Random(seed)
    return [
        held(one, foreseen(one, dice.sample(_without(runs, place), PAST)))
        for place, one in enumerate(runs)
        for _ in range(DRAWS)
        if len(runs) > PAST
    ]


def _without(runs: Sequence[Done], place: int) -> list[Done]:
    return [*runs[:place], *runs[place + 1 :]]


def in_order(runs: Sequence[Done]) -> list[dict[str, bool]]:
    """Each run after the twentieth foreseen from those that went before it."""
    return [held(runs[n], foreseen(runs[n], runs[:n])) for n in range(PAST, len(runs))]


def width(runs: Sequence[Done]) -> float:
    """The high end of the time told over the low end, in the middle of all: how much it says."""
    guesses = [foreseen(runs[n], runs[:n]).seconds for n in range(PAST, len(runs))]
    ratios = sorted(one.high / max(one.low, 0.001) for one in guesses)
    return ratios[len(ratios) // 2] if ratios else 0.0


def share(rows: Sequence[dict[str, bool]], name: str) -> float:
    return round(sum(row[name] for row in rows) / max(len(rows), 1), 4)


def measured(kind: str, runs: Sequence[Done], seed: int) -> dict[str, float]:
    found: dict[str, float] = {}
    ways: dict[str, Callable[[], list[dict[str, bool]]]] = {
        "drawn": lambda: drawn(runs, seed),
        "order": lambda: in_order(runs),
    }
    for way, rows in ((way, make()) for way, make in ways.items()):
        found[f"coverage.time.{kind}.{way}"] = share(rows, "time")
        if kind == "world":
            found[f"coverage.tokens.{kind}.{way}"] = share(rows, "tokens")
    return found | {f"width.time.{kind}": round(width(runs), 2), f"runs.{kind}": len(runs)}


def main() -> None:
    here = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, default=here / "docs")
    parser.add_argument("--runs", type=int, default=120)
    parser.add_argument("--world", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, help="folder that keeps the runs, to go on from")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or Path(folder)
        data = work / "documents"
        documents = ran(document_jobs(given.docs, given.runs, data, given.seed), data)
        with open_world(World(0.04, 0.02, letters=True, jitter=0.5)) as url:
            data = work / "world"
            world = ran(world_jobs(url, given.world, data, given.seed), data)
    found = measured("documents", documents, given.seed) | measured("world", world, given.seed)
    time = [found["coverage.time.documents.drawn"], found["coverage.time.world.drawn"]]
    sizes = [len(documents), len(world)]
    pooled = sum(one * size for one, size in zip(time, sizes, strict=True)) / max(sum(sizes), 1)
    found["coverage.time"] = round(pooled, 4)
    found["coverage.tokens"] = found["coverage.tokens.world.drawn"]
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
