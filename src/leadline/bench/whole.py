"""`bench all`: every measure in one table beside its baselines, each in a process of its own.

What was measured with the same options and the same program is not measured again, so that an
interrupted start goes on where it was. One that fails or takes too long loses no other.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.bench.made import write_made, write_pages
from leadline.bench.plan import MADE, MEASURES, Compared, Measure, compared
from leadline.experiment.report import number_of
from leadline.experiment.version import code_version

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Result:
    """What a measure gave, or why it gave nothing."""

    measure: Measure
    figures: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    why: str = ""
    lacks_data: bool = False


class Whole:
    """All measures over a folder of data, kept in the folder `work`."""

    def __init__(self, data: Path | None, work: Path, seed: int, limit: int = 0) -> None:
        self._data, self._work, self._seed, self._limit = data, work, seed, limit
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False
        work.mkdir(parents=True, exist_ok=True)

    def run(self, jobs: int, progress: Progress) -> list[Result]:
        """Every result, in the order of the plan; interrupted, what was measured is kept."""
        measures = MEASURES if self._data else MADE
        if self._data is None:
            made = write_made(self._work / "made-data" / "made", self._seed)
            write_pages(self._work / "made-data" / "made-pages", made / "corpus.jsonl")
        with ThreadPoolExecutor(jobs) as pool:
            try:
                return list(pool.map(lambda one: self.result(one, progress), measures))
            except KeyboardInterrupt:
                self._stop()
                pool.shutdown(cancel_futures=True)
                raise

    def result(self, measure: Measure, progress: Progress) -> Result:
        """What one measure gives, or gave to an earlier start."""
        folder = (self._data or self._work / "made-data") / measure.data
        if not folder.exists():
            why = f"no data: {folder.name} is not in {folder.parent.name}"
            return Result(measure, why=why, lacks_data=True)
        path = self._work / f"{measure.bench}-{measure.data}-{self._key(measure, folder)}.json"
        if path.exists():
            kept = json.loads(path.read_text("utf-8"))
            return Result(measure, kept["figures"], kept["seconds"])
        began = time.monotonic()
        figures, why = self._measured(measure, folder)
        took = round(time.monotonic() - began, 1)
        progress(f"{measure.title}: {why or f'{took:.0f} s'}")
        if not why:
            part = path.with_suffix(".part")
            part.write_text(json.dumps({"figures": figures, "seconds": took}), "utf-8")
            part.replace(path)
        return Result(measure, figures, took, why)

    def _key(self, measure: Measure, folder: Path) -> str:
        size = folder.stat().st_size if folder.is_file() else _sizes(folder)
        parts = [code_version(), str(folder.resolve()), size, self._limit_of(measure), self._seed]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]

    def _limit_of(self, measure: Measure) -> int:
        limits = [limit for limit in (measure.limit, self._limit) if limit]
        return min(limits, default=0)

    def _measured(self, measure: Measure, folder: Path) -> tuple[dict[str, Any], str]:
        command = [sys.executable, "-m", "leadline", "bench", measure.bench, "--data", str(folder)]
        command += ["--json", "--intervals", "--seed", str(self._seed)]
        command += ["--limit", str(self._limit_of(measure)), "--data-dir", str(self._work / "runs")]
        with self._lock:
            if self._stopped:
                return {}, "stopped"
            process = subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            out, err = process.communicate(timeout=measure.seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
            return {}, f"not done within {measure.seconds} s"
        finally:
            self._running.discard(process)
        if process.returncode:
            said = err.decode("utf-8", "replace").strip().splitlines()
            return {}, said[-1] if said else f"ended with code {process.returncode}"
        figures: dict[str, Any] = json.loads(out)
        return figures, ""

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _sizes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


# ── the table ───────────────────────────────────────────────────────────────────────────────


def as_json(results: Sequence[Result], seed: int) -> str:
    """Everything that was measured, and the rows of the table."""
    measured = [
        {
            "bench": one.measure.bench,
            "data": one.measure.data,
            "limit": one.measure.limit,
            "seconds": one.seconds,
            "failed": one.why,
            "figures": one.figures,
        }
        for one in results
    ]
    table = [row for one in results for row in _rows(one)]
    whole = {"code": code_version(), "seed": seed, "measures": measured, "table": table}
    return json.dumps(whole, indent=1) + "\n"


def as_markdown(results: Sequence[Result], seed: int) -> str:
    """One table: each figure of ours with its interval, beside it the baselines with theirs."""
    lines = [
        "# Every measure beside its baselines",
        "",
        f"Program {code_version()}, seed {seed}. In brackets the 95 % bootstrap interval over "
        "questions, where a figure is a mean or an AUC; times are of this machine and vary. "
        "“Of” says how many were measured; a star marks a sample of the data.",
        "",
        "| bench | data | of | measure | ours | beside it |",
        "|---|---|---:|---|---|---|",
    ]
    for one in results:
        if one.why:
            lines.append(f"| {one.measure.bench} | {one.measure.data} | | {one.why} | | |")
        for row in _rows(one):
            beside = "; ".join(f"{name} {_figure(found)}" for name, found in row["beside"].items())
            star = "*" if row["sampled"] else ""
            lines.append(
                f"| {row['bench']} | {row['data']} | {row['n']}{star} | {row['measure']} "
                f"| **{_figure(row['ours'])}** | {beside} |"
            )
    total = sum(one.seconds for one in results)
    spent = sum(one.figures.get("bench_cpu_s", 0.0) for one in results)
    lines += [
        "",
        f"The benches took {total / 60:.1f} minutes in all, one after another, of which the "
        f"processor was at work for {spent / 60:.1f}.",
    ]
    return "\n".join(lines) + "\n"


def _rows(one: Result) -> Iterator[dict[str, Any]]:
    count = one.figures.get("n", one.figures.get("questions", ""))
    for row in compared(one.measure.bench, one.figures):
        yield {
            "bench": one.measure.bench,
            "data": one.measure.data,
            "n": count,
            "sampled": bool(one.measure.limit and count == one.measure.limit),
            "measure": row.name,
            "ours": _found(one.figures, row.ours),
            "beside": {_named(key, row): _found(one.figures, key) for key in row.others},
        }


def _found(figures: dict[str, Any], key: str) -> list[float]:
    return [figures[name] for name in (key, f"{key}.low", f"{key}.high") if name in figures]


def _figure(found: list[float]) -> str:
    if len(found) == 3:
        return f"{number_of(found[0])} [{number_of(found[1])}–{number_of(found[2])}]"
    return number_of(found[0])


def _named(key: str, row: Compared) -> str:
    """What tells a baseline's key from ours."""
    ours = set(re.split(r"[._]", row.ours))
    return " ".join(part for part in re.split(r"[._]", key) if part not in ours) or key
