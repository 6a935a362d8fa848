"""Measure the service on one process: requests a second, its overhead, many runs at the same time.

    python bench/service.py --runs 100 --readers 500

Model, search engine and pages are simulated on loopback (`sim_world.py`), so that only Leadline's
own time is measured; the service is a real `leadline serve` in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx2

from sim_world import World, open_world

LIMITS = httpx2.Limits(max_connections=2000)


def question(number: int) -> str:
    return f"How deep is the harbour of Port{number} and who keeps its lighthouse?"


def surroundings(base: str, folder: Path) -> dict[str, str]:
    """The settings of the service and of the library alike."""
    return {
        "RESEARCH_DATA_DIR": str(folder),
        "RESEARCH_NO_MODEL": "0",
        "RESEARCH_MODEL": "openai:sim",
        "RESEARCH_OPENAI_API_KEY": "simulated",
        "RESEARCH_OPENAI_BASE_URL": f"{base}/v1",
        "RESEARCH_SEARCH_PROVIDERS": "searxng",
        "RESEARCH_SEARXNG_URL": base,
        "RESEARCH_SEARCH_CONCURRENCY": "500",  # the engine is ours: it may be asked by all
        "RESEARCH_SEARCH_PER_SECOND": "1000",
        "RESEARCH_FETCH_ALLOW_HOSTS": base.removeprefix("http://"),
        "RESEARCH_FETCH_ROBOTS": "0",
        "RESEARCH_URL_ENRICH_COUNT": "1",
        "RESEARCH_MEMORY": "0",
    }


@contextmanager
def serving(base: str, folder: Path) -> Iterator[tuple[int, str]]:
    """`leadline serve`, its process and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "leadline", "serve", "--port", "0"],
        env=os.environ | surroundings(base, folder),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    found = re.search(r"http://\S+", process.stderr.readline())
    assert found
    try:
        yield process.pid, found[0]
    finally:
        process.terminate()
        process.wait(30)


def share(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


async def rate(client: httpx2.AsyncClient, path: str, seconds: float, at_once: int = 8) -> None:
    """Requests a second and the 95th percentile of one address."""
    times: list[float] = []
    until = time.perf_counter() + seconds

    async def ask() -> None:
        while time.perf_counter() < until:
            began = time.perf_counter()
            answer = await client.get(path)
            assert answer.status_code == 200, answer.text
            times.append(time.perf_counter() - began)

    await asyncio.gather(*(ask() for _ in range(at_once)))
    late = 1000 * share(times, 0.95)
    print(f"{path:<28} {len(times) / seconds:8.0f} requests/s   p95 {late:6.1f} ms")


async def timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def overhead(client: httpx2.AsyncClient, base: str, folder: Path, times: int) -> None:
    """A run over HTTP against the same run in the bare library, taking turns."""
    from leadline import run_research
    from leadline.settings import load

    settings = load(env=surroundings(base, folder))
    bare, served = [], []
    for number in range(times + 1):
        own, other = question(1000 + number), question(2000 + number)
        bare.append(await timed(run_research(own, settings=settings)))
        served.append(await timed(client.post("/run", json={"task": other})))
    one, two = statistics.median(bare[1:]), statistics.median(served[1:])
    print(f"one run: library {one:.3f} s, service {two:.3f} s: {100 * (two / one - 1):+.1f} %")


@dataclass
class Watched:
    """What readers of events saw."""

    delays: list[float] = field(default_factory=list)
    done: int = 0

    async def follow(self, client: httpx2.AsyncClient, run_id: str) -> None:
        async with client.stream("GET", f"/runs/{run_id}/events") as answer:
            began = datetime.now(UTC)
            async for line in answer.aiter_lines():
                if line.startswith("event: done"):
                    self.done += 1
                elif line.startswith('data: {"seq"'):
                    finished = datetime.fromisoformat(json.loads(line[6:])["finished_at"])
                    if finished > began:
                        self.delays.append((datetime.now(UTC) - finished).total_seconds())


async def many(client: httpx2.AsyncClient, pid: int, runs: int, readers: int, first: int) -> None:
    """One run alone; then many at the same time, each followed; then one followed by a crowd."""
    alone = await timed(client.post("/run", json={"task": question(first)}))
    seen, crowd = Watched(), Watched()
    before = processor(pid)
    began = time.perf_counter()

    async def one(number: int) -> str:
        body = {"task": question(first + 1 + number), "async": True}
        answer = await client.post("/run", json=body)
        return str(answer.json()["run_id"])

    ids = await asyncio.gather(*(one(number) for number in range(runs)))
    started = time.perf_counter() - began
    await asyncio.gather(*(seen.follow(client, run_id) for run_id in ids))
    took = time.perf_counter() - began
    listed = (await client.get("/runs", params={"limit": runs})).json()["runs"]
    finished = sum(run["status"] == "finished" and run["id"] in ids for run in listed)
    times = took / alone
    print(f"one run alone {alone:.1f} s; {runs} at the same time {took:.1f} s ({times:.2f} ×)")
    print(f"  begun within {started:.2f} s; finished {finished} of {runs}")
    print(f"  peak memory {peak(pid)} MB; processor {processor(pid) - before:.1f} s of the service")
    print(
        f"  event delay p50 {1000 * share(seen.delays, 0.5):.0f} ms, "
        f"p95 {1000 * share(seen.delays, 0.95):.0f} ms ({len(seen.delays)} events)"
    )
    watched = await one(runs)
    await asyncio.gather(*(crowd.follow(client, watched) for _ in range(readers)))
    print(
        f"  {readers} readers of one run: {crowd.done} saw its end, "
        f"p95 {1000 * share(crowd.delays, 0.95):.0f} ms ({len(crowd.delays)} events)"
    )


def processor(pid: int) -> float:
    """Seconds of processor time so far, without those of the reader of pages."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def peak(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) // 1024 if found else 0


async def measure(options: argparse.Namespace, world: World, base: str, folder: Path) -> None:
    with serving(base, folder / "service") as (pid, url):
        async with httpx2.AsyncClient(base_url=url, timeout=300, limits=LIMITS) as client:
            world.model_s, world.web_s = 0.2, 0.05
            for number in range(3):
                await client.post("/run", json={"task": question(5000 + number)})
            await client.get("/search", params={"q": "Port1 harbour"})
            if not options.only_many:
                for path in ("/health", "/runs", "/search?q=Port1+harbour"):
                    await rate(client, path, options.seconds)
                await overhead(client, base, folder / "library", options.times)
            world.model_s, world.web_s = options.model_s, options.web_s
            await many(client, pid, options.runs, options.readers, 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each address")
    parser.add_argument("--times", type=int, default=5, help="runs for the overhead")
    parser.add_argument("--model-s", type=float, default=4.0, help="latency of the model")
    parser.add_argument("--web-s", type=float, default=1.0, help="latency of searches and pages")
    parser.add_argument("--only-many", action="store_true")
    options = parser.parse_args()
    world = World()
    with tempfile.TemporaryDirectory() as folder, open_world(world) as base:
        asyncio.run(measure(options, world, base, Path(folder)))


if __name__ == "__main__":
    main()
