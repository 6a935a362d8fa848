"""What a durable step costs: a row in SQLite, beside a bare SQLite commit and a run in memory.

python bench/steps.py [--steps N] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from leadline.codec import dumped
from leadline.fakes.run import MemoryRun
from leadline.ports import Run
from leadline.store.engine import DurableEngine
from leadline.types import Batch, Hit, Query

HITS = tuple(Hit(f"page {n}", "title", "some words " * 40, ref=f"page#{n}") for n in range(10))
Figures = dict[str, float]


async def search(query: Query) -> Batch:
    return Batch(query, HITS, provider="bench")


@asynccontextmanager
async def clock(figures: Figures, name: str, per: int = 1) -> AsyncIterator[None]:
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    figures[f"cpu_ms.{name}"] = round(1000 * (time.process_time() - cpu) / per, 3)
    figures[f"wall_ms.{name}"] = round(1000 * (time.perf_counter() - wall) / per, 3)


async def take(run: Run, steps: int) -> None:
    for number in range(steps):
        await run.step("search", search, Query(f"query {number}"))


async def durable(folder: Path, steps: int, figures: Figures) -> None:
    async def body(run: Run, _: dict[str, Any]) -> None:
        async with clock(figures, "durable_step", steps):
            await take(run, steps)

    async with clock(figures, "import"):
        import leadline.store.engine  # noqa: F401
    for launch in ("first_launch", "launch"):
        engine = DurableEngine(folder, body)
        async with clock(figures, launch):
            await engine.start("task", {}, launch)
        await engine.result(launch)
        async with clock(figures, "close"):
            await engine.close()


async def bare(folder: Path, steps: int, figures: Figures) -> None:
    text = json.dumps(dumped(HITS))
    connection = sqlite3.connect(folder / "bare.db")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE steps (id INTEGER PRIMARY KEY, output TEXT)")
    async with clock(figures, "bare_commit", steps):
        for _ in range(steps):
            with connection:
                connection.execute("INSERT INTO steps (output) VALUES (?)", (text,))
    connection.close()


async def measure(steps: int) -> Figures:
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as name:
        await take(MemoryRun(), 1)
        await bare(Path(name), steps, figures)
        async with clock(figures, "memory_step", steps):
            await take(MemoryRun(), steps)
        await durable(Path(name), steps, figures)
    for kind in ("bare_commit", "memory_step"):
        ratio = figures["wall_ms.durable_step"] / figures[f"wall_ms.{kind}"]
        figures[f"durable_step_to_{kind}"] = round(ratio, 1)
    return figures | {"n": steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = asyncio.run(measure(given.steps))
    if given.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:32} {figure:10g}")


if __name__ == "__main__":
    main()
