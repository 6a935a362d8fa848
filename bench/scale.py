"""How cost, memory and time grow with documents, questions, memory and concurrent runs.

`concurrent` are runs over documents, which only work; `waiting` are runs over a simulated web with
a simulated model in another process, which mostly wait.

    python bench/scale.py [--out DIR] [--only documents …] [--small]

Each grows ten-fold three times. Each size is measured in a process of its own, so that its peak of
memory is its own, and its line is written down before the next; a second start measures only what
is missing. Everything is made up and offline: growth is what counts here. The exponent is the slope
between logarithms, over all sizes and over the last ten-fold step, where fixed costs weigh least.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.bench.made import write_made, write_pages
from leadline.bench.measures import percentile
from leadline.render.charts import Line, growth, number_of
from leadline.stats.intervals import exponent

SIZES = {
    "documents": (30, 300, 3000, 30_000),
    "questions": (1, 10, 100, 1000),
    "memory": (100, 1000, 10_000, 100_000),
    "concurrent": (1, 10, 100, 1000),
    "waiting": (1, 10, 100, 1000),
}
NAMES = {
    "memory": "observations in memory", "concurrent": "runs at once that work",
    "waiting": "runs at once that mostly wait",
}  # fmt: skip
REPEATS = (3, 3, 2, 1)  # the smallest sizes are the noisiest
LOOKUPS = 100
LIMIT_S = 1200
MARGIN = 0.1  # of an exponent, for noise
Figures = dict[str, float]


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_s() -> float:
    """Processor time of this process and of those that it started and that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


# ── what grows ──────────────────────────────────────────────────────────────────────────────


def documents(count: int, folder: Path) -> Figures:
    """A folder of so many pages: indexing, one query, one whole question."""
    from leadline.documents import DocIndex
    from leadline.reader.static import StaticEmbedder

    pages = made_pages(folder, count)
    embedder = StaticEmbedder()
    embedder.embed(["load the weights"])
    began = cpu_s()
    index = DocIndex.open(folder / "index", pages, embedder)
    index.update()
    built = cpu_s() - began
    taken = []
    for number in range(LOOKUPS):
        began = time.process_time()
        index.search(f"Where was the founder of number {number} born?", 10)
        taken.append(1000 * (time.process_time() - began))
    index.close()
    found = {"build_cpu_s": built, "query_cpu_ms": percentile(taken, 0.5)}
    found["index_mb"] = size_mb(folder / "index")
    asyncio.run(ask(folder, pages, 1, at_once=1))  # loads the program and indexes its own copy
    began = cpu_s()
    asyncio.run(ask(folder, pages, 1, at_once=1))
    return found | {"question_cpu_s": cpu_s() - began}


def questions(count: int, folder: Path) -> Figures:
    """So many questions one after another in one process."""
    pages = warm(folder)
    began = cpu_s()
    asyncio.run(ask(folder, pages, count, at_once=1))
    spent = cpu_s() - began
    return {"all_cpu_s": spent, "runs_mb": size_mb(folder / "data")}


def concurrent(count: int, folder: Path) -> Figures:
    """So many questions at the same time in one process."""
    pages = warm(folder)
    began, wall = cpu_s(), time.perf_counter()
    asyncio.run(ask(folder, pages, count, at_once=count))
    return {"all_cpu_s": cpu_s() - began, "all_wall_s": time.perf_counter() - wall}


def waiting(count: int, folder: Path) -> Figures:
    """So many runs at the same time whose searches, pages and model answer after a while."""
    command = [sys.executable, __file__, "--world"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as world:
        assert world.stdout
        base = world.stdout.readline().strip()
        given = {
            "search_providers": ["searxng"], "searxng_url": base,
            "fetch_allow_hosts": ["127.0.0.1"],
            "model": f"vllm:sim@{base}/v1", "memory": False, "tier": "simple",
            "max_execution_time_s": LIMIT_S, "search_concurrency": 100, "search_per_second": 1000,
        }  # fmt: skip
        try:
            asyncio.run(run_all(given | {"data_dir": folder / "warm"}, [place(0)]))
            began, wall = time.process_time(), time.perf_counter()
            asked = [place(number) for number in range(1, count + 1)]
            asyncio.run(run_all(given | {"data_dir": folder / "data"}, asked))
            spent, passed = time.process_time() - began, time.perf_counter() - wall
        finally:
            world.terminate()
    return {"all_cpu_s": spent, "all_wall_s": passed}


def place(number: int) -> str:
    return f"How deep is the harbour of Port{number}?"


async def run_all(given: dict[str, Any], asked: list[str]) -> None:
    from leadline.session import open_session
    from leadline.settings import load

    async with open_session(load(env={}, overrides=given)) as session:
        ids = [await session.start(one) for one in asked]
        for response in await asyncio.gather(*(session.response(one) for one in ids)):
            if not response.claims:
                raise SystemExit(f"{response.run_id} proved nothing: {response.stop_reason}")


def serve_world() -> None:
    """The simulated world, until it is told to end."""
    from sim_world import World, open_world

    with open_world(World()) as base:
        print(base, flush=True)
        signal.pause()


def memory(count: int, folder: Path) -> Figures:
    """A memory of so many observations: loading it, one lookup, one write."""
    from leadline.bench import memory as bench

    found = bench._speed(count, 0)
    return {
        "load_cpu_s": found["load_cpu_s"],
        "lookup_cpu_ms": found["get_context_cpu_ms_p50"],
        "write_cpu_ms": found["write_cpu_ms_p50"],
        "file_mb": found["file_mb"],
    }


def made_pages(folder: Path, count: int) -> Path:
    """So many made-up pages of three sentences or so."""
    made = write_made(folder / "made", companies=math.ceil(count / 3))
    pages = write_pages(folder / "pages", made / "corpus.jsonl")
    for extra in sorted(pages.iterdir())[count:]:
        extra.unlink()
    return pages


def warm(folder: Path) -> Path:
    """A few pages, and one question asked of them, so that loading the program is not counted."""
    pages = made_pages(folder, 30)
    asyncio.run(ask(folder / "warm", pages, 1, at_once=1))
    return pages


async def ask(folder: Path, pages: Path, count: int, at_once: int) -> None:
    from leadline.session import open_session
    from leadline.settings import load

    given = {
        "docs": [pages], "data_dir": folder / "data", "no_model": True, "memory": False,
        "tier": "simple",
    }  # fmt: skip
    async with open_session(load(env={}, overrides=given)) as session:
        session.prepare()
        room = asyncio.Semaphore(at_once)

        async def one(number: int) -> None:
            async with room:
                run_id = await session.start(f"What is town number {number} known for?")
                await session.response(run_id)

        await asyncio.gather(*(one(number) for number in range(count)))


GROWS: dict[str, Callable[[int, Path], Figures]] = {
    "documents": documents,
    "questions": questions,
    "memory": memory,
    "concurrent": concurrent,
    "waiting": waiting,
}


# ── measuring ───────────────────────────────────────────────────────────────────────────────


def measured(what: str, count: int, repeat: int, path: Path) -> dict[str, Any] | None:
    command = [sys.executable, __file__, "--one", what, str(count)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        print(f"{what} {count}: not done within {LIMIT_S} s", file=sys.stderr)
        return None
    if made.returncode:
        print(f"{what} {count} failed: {made.stderr.strip()[-400:]}", file=sys.stderr)
        return None
    row: dict[str, Any] = {"what": what, "count": count, "repeat": repeat}
    row |= json.loads(made.stdout)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return row


def grown(rows: list[dict[str, Any]], what: str) -> list[str]:
    """The lines of a table: each figure at each size, and how it grows."""
    own = [row for row in rows if row["what"] == what]
    counts = sorted({row["count"] for row in own})
    lines = []
    for name in [key for key in own[0] if key not in ("what", "count", "repeat")]:
        points = [(row["count"], row[name]) for row in own if row[name] > 0]
        means = {count: _mean([v for c, v in points if c == count]) for count in counts}
        if len({count for count, _ in points}) < 3:
            continue
        fit = exponent([float(c) for c, _ in points], [v for _, v in points])
        last = math.log10(means[counts[-1]] / means[counts[-2]])
        bar = 1 + math.log10(math.log(counts[-1]) / math.log(max(counts[-2], 2))) + MARGIN
        cells = " | ".join(number_of(means[count]) for count in counts)
        said = "more than n log n" if last > bar else "no more"
        lines.append(
            f"| {what} | {name} | {cells} | {fit.value:.2f} [{fit.low:.2f}–{fit.high:.2f}] "
            f"| {last:.2f} | {said} |"
        )
    return lines


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def report(rows: list[dict[str, Any]], out: Path) -> str:
    parts = ["# How cost, memory and time grow", ""]
    for what in SIZES:
        own = [row for row in rows if row["what"] == what]
        if not own:
            continue
        counts = sorted({row["count"] for row in own})
        head = " | ".join(f"{count:,}" for count in counts)
        parts += [f"| | figure | {head} | exponent | last ten-fold | against n log n |"]
        parts += ["|---|---|" + "---:|" * len(counts) + "---|---:|---|", *grown(rows, what), ""]
        lines = []
        for name in [key for key in own[0] if key not in ("what", "count", "repeat")]:
            means = [(float(c), _mean([r[name] for r in own if r["count"] == c])) for c in counts]
            lines.append(Line(name, tuple(means)))
        name = NAMES.get(what, what)
        drawn = growth(f"With more {name}", name, "figure in its own unit", lines)
        (out / f"scale-{what}.svg").write_text(drawn, "utf-8")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("scale-results"))
    parser.add_argument("--only", nargs="*", choices=SIZES, default=list(SIZES))
    parser.add_argument("--small", action="store_true", help="leave out the largest size")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--world", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.world:
        serve_world()
        return
    if given.one:
        what, count = given.one[0], int(given.one[1])
        with tempfile.TemporaryDirectory() as scratch:
            found = GROWS[what](count, Path(scratch))
        print(json.dumps({k: round(v, 4) for k, v in found.items()} | {"peak_mb": peak_mb()}))
        return
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "rows.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line.endswith("}")]
    done = {(row["what"], row["count"], row["repeat"]) for row in rows}
    for what in given.only:
        sizes = SIZES[what][:-1] if given.small else SIZES[what]
        for count, repeats in zip(sizes, REPEATS, strict=False):
            for repeat in range(repeats):
                if (what, count, repeat) not in done:
                    row = measured(what, count, repeat, path)
                    rows += [row] if row else []
                    print(json.dumps(row), file=sys.stderr)
    text = report(rows, given.out)
    (given.out / "scale.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
