"""Makes the runs of an experiment: in random order, each written down before the next begins."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from leadline.errors import BadInput
from leadline.experiment.design import Cell, Phase, schedule, settings_of
from leadline.experiment.rows import Row, RowFile
from leadline.experiment.spec import Spec
from leadline.experiment.version import code_version
from leadline.experiment.workers import Carries, Worker
from leadline.kit import prepare, uses_web
from leadline.settings import Settings, load
from leadline.values import replace

Progress = Callable[[str], None]
_SLACK_S = 120.0  # beyond the limits of a run: starting, indexing, a slow machine


@dataclass(frozen=True)
class Conducted:
    """What is there after an experiment: its rows, and how many runs failed."""

    spec: Spec
    rows: tuple[Row, ...]
    made: int  # by this start

    @property
    def failed(self) -> int:
        return sum(bool(row.why) for row in self.rows)


def conduct(
    spec: Spec,
    folder: Path,
    *,
    config: Path | None = None,
    progress: Progress = lambda text: None,
    worker: Callable[[], Carries] | None = None,
) -> Conducted:
    """Make every run that `folder` does not hold yet and return all rows.

    Started again after an interruption it goes on where it was. `worker` makes what runs are made
    with; processes of their own, unless something else is given.
    """
    kinds = resolved(spec, config)
    book = _book(spec, folder, kinds)
    web = any(uses_web(one) for one in kinds)
    work = folder / "work"
    if worker is None:
        _index(kinds, work, progress)
        limit = _SLACK_S + 3 * max(float(one.max_execution_time_s or 120) for one in kinds)
        worker = _processes(work, config, limit)
    freeze = spec.freeze and web
    made = 0
    for phase in ("warm-up", "run") if freeze else ("run",):
        made += asyncio.run(_made(spec, phase, freeze, book, worker, progress))
    return Conducted(spec, book.rows(), made)


def kept(spec: Spec, folder: Path, config: Path | None = None) -> Conducted:
    """The rows that are there, without making any."""
    if not (folder / "rows.jsonl").exists():
        raise BadInput(f"{folder} holds no rows yet; start the experiment first")
    return Conducted(spec, _book(spec, folder, resolved(spec, config)).rows(), 0)


def _book(spec: Spec, folder: Path, kinds: tuple[Settings, ...]) -> RowFile:
    held = json.dumps([one.public() for one in kinds], sort_keys=True, default=str)
    return RowFile(folder, spec, hashlib.sha256(held.encode()).hexdigest()[:16])


def resolved(spec: Spec, config: Path | None) -> tuple[Settings, ...]:
    """The settings of each level as its runs will have them; a clash is refused before any."""
    found = []
    for level in spec.factor.levels:
        cell = Cell(level, spec.tasks[0], 1)
        given = settings_of(spec, cell, "run", freeze=False)
        found.append(load(config=config, overrides=given, tell=lambda file: None))
    if any(one.review_plan for one in found):
        raise BadInput("an experiment cannot wait for a person: turn review_plan off")
    return tuple(found)


def _index(kinds: tuple[Settings, ...], work: Path, progress: Progress) -> None:
    for docs in dict.fromkeys(one.docs for one in kinds if one.docs):
        progress(f"Indexing {', '.join(path.name for path in docs)}")
        first = next(one for one in kinds if one.docs == docs)
        prepare(first.but(data_dir=work.absolute()))


def _processes(work: Path, config: Path | None, limit_s: float) -> Callable[[], Carries]:
    work.mkdir(parents=True, exist_ok=True)
    return lambda: Worker(work.absolute(), config, limit_s)


async def _made(
    spec: Spec,
    phase: Phase,
    freeze: bool,
    book: RowFile,
    worker: Callable[[], Carries],
    progress: Progress,
) -> int:
    """Make what is lacking of a phase, `parallel` at a time. Interrupted, no row is half there."""
    numbered = list(enumerate(schedule(spec), 1))
    left = [(order, cell) for order, cell in numbered if book.lacks(phase, cell)]
    if len(left) < len(numbered):
        progress(f"{len(numbered) - len(left)} of {len(numbered)} runs are there already")
    waiting = iter(left)
    began, done = time.monotonic(), 0

    async def carry() -> None:
        nonlocal done
        own = worker()
        try:
            for order, cell in waiting:
                settings = settings_of(spec, cell, phase, freeze)
                since = time.monotonic()
                outcome = await own.run(cell.task, settings, spec.responses)
                row = _row(phase, order, cell)
                book.append(
                    replace(row, values=outcome.values, why=outcome.why, run_id=outcome.run_id)
                )
                done += 1
                took = time.monotonic() - since
                remaining = (time.monotonic() - began) / done * (len(left) - done)
                end = f"failed: {outcome.why}" if outcome.why else f"{took:.1f} s"
                progress(
                    f"{phase} {len(numbered) - len(left) + done} of {len(numbered)}: {cell.key}: "
                    f"{end}, about {remaining:.0f} s left"
                )
        finally:
            await own.close()

    if left:
        await asyncio.gather(*(carry() for _ in range(min(spec.parallel, len(left)))))
    return done


def _row(phase: Phase, order: int, cell: Cell) -> Row:
    return Row(
        phase=phase,
        level=cell.level.name,
        task=cell.task.id,
        replication=cell.replication,
        order=order,
        code=code_version(),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
