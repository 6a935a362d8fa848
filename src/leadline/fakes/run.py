"""Runs that live in memory: the same steps, limits and replay as the durable ones, and no disk.

`MemoryRun` is one run for tests and benches; `MemoryEngine` keeps many, and another engine over
the same `MemoryStore` finds what a closed one left.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from leadline.errors import BadInput, LeadlineError, PlanDeclined, RunNotFound
from leadline.fakes.clock import START as START  # noqa: PLC0414 - for those who import it here
from leadline.fakes.clock import FakeClock as FakeClock  # noqa: PLC0414
from leadline.ports import Row, Run, RunInfo, RunStatus
from leadline.pulse import Clock, Past
from leadline.queueing import Finished
from leadline.records import before
from leadline.results import Place, Record, row_of
from leadline.run import JournaledRun, ended
from leadline.values import replace

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]


class MemoryLedger:
    """Keeps records in a dictionary by their place."""

    def __init__(
        self,
        records: dict[Place, Record] | None = None,
        on_row: Callable[[], None] = lambda: None,
        within: str = "",
    ) -> None:
        self.records = {} if records is None else records
        self._calls = 0
        self._on_row, self._within = on_row, within

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        self._calls += 1
        return self._once(self._calls, name, do)

    def child(self, name: str) -> MemoryLedger:
        within = f"{self._within}/{name}" if self._within else name
        return MemoryLedger(self.records, self._on_row, within)

    async def _once(self, number: int, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        place = self._within, number
        kept = self.records.get(place)
        if kept is None:
            kept = self.records[place] = await do()
            self._on_row()
        elif kept["name"] != name:
            raise BadInput(f"step {number} was {kept['name']!r} and is now {name!r}")
        return kept

    def rows(self) -> list[Row]:
        """The rows so far, in the order in which their steps finished."""
        return [row_of(kept) for kept in sorted(self.records.values(), key=lambda k: k["seq"])]


class MemoryRun(JournaledRun):
    """A run for tests and benches: same seed, same start, same ticks, same result."""

    def __init__(
        self,
        id: str = "run",
        *,
        seed: int = 0,
        started: datetime = START,
        clock: Clock | None = None,
        ledger: MemoryLedger | None = None,
        free: float = 0.0,
    ) -> None:
        self.ledger = ledger or MemoryLedger()
        clock = clock or FakeClock(started)
        past = Past.of(self.ledger.records.values(), free)
        super().__init__(id, self.ledger, clock, seed=seed, started=started, past=past)

    def rows(self) -> list[Row]:
        """The journal so far."""
        return self.ledger.rows()


@dataclass(slots=True)
class Kept:
    """One run in a `MemoryStore`."""

    info: RunInfo
    records: dict[Place, Record] = field(default_factory=dict)
    result: Any = None
    free: float = 0.0  # seconds of the run that it was forked from
    priority: int = 0
    key: str = ""
    words: dict[str, Any] = field(default_factory=dict)
    run: MemoryRun | None = None  # while it goes on, whichever engine has it


@dataclass(frozen=True)
class MemoryStore:
    """What outlives an engine."""

    runs: dict[str, Kept] = field(default_factory=dict)


class MemoryEngine:
    """`ports.Engine` without a disk."""

    def __init__(
        self, body: Body, *, store: MemoryStore | None = None, clock: Clock | None = None
    ) -> None:
        self._body = body
        self._store = store or MemoryStore()
        self._clock: Clock = clock or FakeClock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._news = asyncio.Event()

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        if run_id in self._store.runs:
            raise BadInput(f"a run with the id {run_id} exists already")
        now = self._clock.now()
        info = RunInfo(run_id, task, "running", now, now, settings=settings)
        self._store.runs[run_id] = Kept(info)
        self._play(run_id)
        return run_id

    async def enqueue(
        self,
        task: str,
        settings: dict[str, Any],
        run_id: str,
        *,
        owner: str = "",
        priority: int = 0,
        key: str = "",
    ) -> str:
        for other, kept in self._store.runs.items():
            if key and (kept.info.owner, kept.key) == (owner, key):
                if kept.info.task != task:
                    raise BadInput(f"the key {key!r} was used for another question")
                return other
        if run_id in self._store.runs:
            raise BadInput(f"a run with the id {run_id} exists already")
        now = self._clock.now()
        info = RunInfo(run_id, task, "queued", now, now, settings=settings, owner=owner)
        self._store.runs[run_id] = Kept(info, priority=priority, key=key)
        self._tell()
        return run_id

    async def requeue(self, run_id: str) -> None:
        if self._kept(run_id).info.unfinished:
            self._settle(run_id, "queued")

    async def work(
        self,
        concurrency: int,
        stop: asyncio.Event | None = None,
        grace_s: float = 0.0,
        finished: Finished | None = None,
    ) -> None:
        held: set[str] = set()
        stop = stop or asyncio.Event()
        try:
            while not stop.is_set():
                for run_id in held - set(self._tasks):
                    held.discard(run_id)
                    if finished:
                        with suppress(LeadlineError):  # it ended without a result
                            await finished(run_id)
                if len(held) < concurrency and (run_id := self._due()):
                    self._settle(run_id, "running")
                    self._play(run_id)
                    held.add(run_id)
                    continue
                await asyncio.sleep(0.01)
            if grace_s and (tasks := [self._tasks[one] for one in held & set(self._tasks)]):
                await asyncio.wait(tasks, timeout=grace_s)
        finally:
            for run_id in held:
                if run_id in self._tasks:
                    self._settle(run_id, "queued")
                    await self._halt(run_id)
                elif finished:
                    with suppress(LeadlineError):
                        await finished(run_id)

    async def serve(
        self, concurrency: int, stop: asyncio.Event, finished: Finished | None = None
    ) -> None:
        await self.work(concurrency, stop, finished=finished)

    @property
    def going(self) -> Collection[str]:
        return self._tasks

    async def fault(self) -> str:
        return ""

    def _due(self) -> str:
        waiting = [kept for kept in self._store.runs.values() if kept.info.status == "queued"]
        return max(waiting, key=lambda kept: kept.priority).info.id if waiting else ""

    async def result(self, run_id: str) -> Any:
        kept = self._kept(run_id)
        while kept.info.status in ("running", "queued"):
            await self._wait(run_id)
        if kept.info.status != "finished":
            raise ended(kept.info)
        return kept.result

    async def follow(self, run_id: str, after: int = 0) -> AsyncIterator[Row]:
        kept = self._kept(run_id)
        while True:
            live = kept.info.status in ("running", "queued")
            for row in await self.rows(run_id):
                if row.seq > after:
                    after = row.seq
                    yield row
            if not live:
                return
            await self._wait(run_id)

    def under_way(self, run_id: str) -> tuple[tuple[str, str], ...]:
        run = self._kept(run_id).run
        return run.under_way if run else ()

    async def rows(self, run_id: str) -> list[Row]:
        return MemoryLedger(self._kept(run_id).records).rows()

    async def records(self, run_id: str) -> dict[Place, Record]:
        return dict(self._kept(run_id).records)

    async def list(self, limit: int = 50, owner: str | None = None) -> list[RunInfo]:
        runs = self._store.runs.items()
        newest = [one for one, kept in runs if owner in (None, kept.info.owner)][::-1]
        return [await self.info(run_id) for run_id in newest][:limit]

    async def info(self, run_id: str) -> RunInfo:
        kept = self._kept(run_id)
        return replace(kept.info, steps=len(kept.records))

    async def open_runs(self) -> Sequence[RunInfo]:
        open_ = ("queued", "running", "interrupted")
        return [kept.info for kept in self._store.runs.values() if kept.info.status in open_]

    async def find_unfinished(self, task: str, settings: dict[str, Any]) -> RunInfo | None:
        for info in await self.list(limit=len(self._store.runs)):
            if info.unfinished and (info.task, info.settings) == (task, settings):
                return info
        return None

    async def cancel(self, run_id: str) -> None:
        if self._kept(run_id).info.status == "finished":
            raise BadInput(f"run {run_id} is finished already")
        self._settle(run_id, "cancelled", stop_reason="cancelled")
        await self._halt(run_id)

    async def finish(self, run_id: str) -> None:
        kept = self._kept(run_id)
        if kept.info.status == "finished":
            raise BadInput(f"run {run_id} is finished already")
        kept.words["finish"] = True
        if kept.run:
            kept.run.finish()

    async def say(self, run_id: str, name: str, value: Any) -> None:
        self._kept(run_id).words[name] = value

    async def said(self, run_id: str, name: str) -> Any:
        return self._kept(run_id).words.get(name)

    async def resume(self, run_id: str) -> None:
        kept = self._kept(run_id)
        if kept.info.status == "running" and run_id not in self._tasks:
            raise BadInput(f"run {run_id} is running elsewhere")
        if kept.info.unfinished or kept.info.status == "queued":
            self._settle(run_id, "running")
            self._play(run_id)

    async def fork(
        self, run_id: str, step: str, settings: dict[str, Any], new_id: str, queued: bool = False
    ) -> str:
        info = self._kept(run_id).info
        request = {"task": info.task, "settings": settings}
        kept = await before(step, new_id, await self.records(run_id), request, self._body)
        if new_id in self._store.runs:
            raise BadInput(f"a run with the id {new_id} exists already")
        now = self._clock.now()
        forked = RunInfo(
            new_id,
            info.task,
            "queued" if queued else "running",
            now,
            now,
            settings=settings,
            forked_from=run_id,
            owner=info.owner,
        )
        self._store.runs[new_id] = Kept(forked, kept, free=Past.of(kept.values()).elapsed)
        if not queued:
            self._play(new_id)
        return new_id

    async def close(self) -> None:
        for run_id in list(self._tasks):
            if self._kept(run_id).info.status == "running":
                self._settle(run_id, "interrupted")
            await self._halt(run_id)

    def _kept(self, run_id: str) -> Kept:
        if run_id not in self._store.runs:
            raise RunNotFound(f"no run has the id {run_id}")
        return self._store.runs[run_id]

    def _play(self, run_id: str) -> None:
        task = asyncio.get_running_loop().create_task(self._perform(run_id))
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._over(run_id, task))

    def _over(self, run_id: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id]

    async def _perform(self, run_id: str) -> None:
        kept = self._kept(run_id)
        ledger = MemoryLedger(kept.records, self._tell)
        seed = int(kept.info.settings.get("seed", 0))
        run = MemoryRun(run_id, seed=seed, clock=self._clock, ledger=ledger, free=kept.free)
        request = {"task": kept.info.task, "settings": kept.info.settings}
        if kept.words.get("finish"):
            run.finish()
        kept.run = run
        work = asyncio.ensure_future(self._whole(run, request))
        try:
            await asyncio.wait({work})
        finally:
            work.cancel()
            kept.run = None
        if error := work.exception():
            kind = "" if isinstance(error, LeadlineError) else f"{type(error).__name__}: "
            self._settle(run_id, "failed", stop_reason="error", reason=f"{kind}{error}")
            kept.info = replace(kept.info, mendable=isinstance(error, BadInput | PlanDeclined))
            return
        kept.result = work.result()
        reason = kept.result.get("stop_reason", "") if isinstance(kept.result, dict) else ""
        self._settle(run_id, "finished", stop_reason=reason)

    async def _whole(self, run: MemoryRun, request: dict[str, Any]) -> Any:
        try:
            await run.begin()
            return await self._body(cast(Run, run), request)
        finally:
            await run.close()

    async def _halt(self, run_id: str) -> None:
        task = self._tasks.get(run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    def _settle(
        self, run_id: str, status: RunStatus, *, stop_reason: str = "", reason: str = ""
    ) -> None:
        kept = self._kept(run_id)
        kept.info = replace(
            kept.info,
            status=status,
            updated_at=self._clock.now(),
            stop_reason=stop_reason,
            reason=reason,
            mendable=False,
        )
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _wait(self, run_id: str) -> None:
        """Until something was written, here or by another engine over the same store."""
        if run_id in self._tasks:
            await self._news.wait()
        else:
            await asyncio.sleep(0.01)
