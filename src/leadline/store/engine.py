"""Durable runs: every finished step is a row, and the store knows which process has which run.

A run is a task of the event loop. Its steps are written to the store as they finish; a run that is
taken up again, here or elsewhere, reads them back and goes on after the last one.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leadline.errors import BadInput, LeadlineError, StoreBroken
from leadline.ports import Row, Run, RunInfo
from leadline.pulse import Clock, Past
from leadline.queueing import Finished, QueueState
from leadline.records import before
from leadline.results import Failure, Place, Record, failure
from leadline.run import JournaledRun, Ledger, ended
from leadline.store.files import FileStore
from leadline.store.following import Following
from leadline.store.ledger import StepLedger
from leadline.store.news import News
from leadline.store.runstore import Caps, Entry, NotOurs, Origin, RunStore, Ticket, Turn
from leadline.store.work import work

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]

VERSION = "7"  # of the loop's order of steps: a run recorded under another cannot be resumed
OWN_POLL_S = 0.5  # how often a run of our own is looked at: it may be cancelled from outside
FINISH = "finish"  # the word that a run is to write its report now


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return time.monotonic()


class DurableEngine:
    """`queueing.Queue` over a store: by default `DATA_DIR/runs.db`.

    `body` is what a run does with its request `{"task": …, "settings": …}`; it returns JSON.
    `hide` takes keys out of what is stored of a failure.
    """

    def __init__(
        self,
        data_dir: Path,
        body: Body,
        *,
        clock: Clock | None = None,
        store: RunStore | None = None,
        caps: Caps = Caps(),  # noqa: B008 - frozen
        hide: Callable[[str], str] = str,
    ) -> None:
        self._body, self._hide = body, hide
        self._clock: Clock = clock or SystemClock()
        self._store: RunStore = store or FileStore(data_dir)
        self._caps = caps
        self._executor = ""
        self._opening = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._tokens: dict[str, str] = {}
        self._runs: dict[str, JournaledRun] = {}
        self._broken: dict[str, StoreBroken] = {}
        self._watch: asyncio.Task[None] | None = None
        self._news = News()
        self._following = Following(self._store, self._news, self._tokens, self._broken)

    # ── what faces ask ──────────────────────────────────────────────────────────────────────

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        turn = await self._turn()
        request = {"task": task, "settings": settings}
        await self._store.begin(run_id, request, turn, self._clock.now())
        self._play(run_id, turn, request)
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
        turn, request = await self._turn(), {"task": task, "settings": settings}
        ticket, now = Ticket(owner, priority, key), self._clock.now()
        begun = await self._store.begin(run_id, request, turn, now, ticket=ticket)
        self._news.tell("")  # a worker of ours may be waiting
        return begun

    async def requeue(self, run_id: str) -> None:
        entry = await self._store.entry(run_id)
        if not entry.info.unfinished:
            return
        _refuse_other_version(entry)
        await self._turn()
        await self._store.requeue(entry, self._clock.now())
        self._news.tell(run_id)

    async def result(self, run_id: str) -> Any:
        while True:
            news = self._news.of(run_id)
            status = await self._store.status(run_id)
            if status == "finished":
                return await self._store.result(run_id)
            if status not in ("running", "queued"):
                raise ended((await self._store.entry(run_id)).info)
            if run_id in self._broken:
                raise self._broken[run_id]
            await self._following.wait(run_id, news)

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[Row, None]:
        async with aclosing(self._following.rows(run_id, after)) as rows:
            async for row in rows:
                yield row

    async def rows(self, run_id: str) -> list[Row]:
        await self._store.status(run_id)
        return (await self._store.rows(run_id))[0]

    async def records(self, run_id: str) -> dict[Place, Record]:
        await self._store.status(run_id)
        return await self._store.records(run_id)

    async def list(self, limit: int = 50, owner: str | None = None) -> list[RunInfo]:
        return [entry.info for entry in await self._store.entries(limit, owner)]

    async def info(self, run_id: str) -> RunInfo:
        return (await self._store.entry(run_id)).info

    async def queue(self) -> QueueState:
        return await self._store.queue()

    async def find_unfinished(self, task: str, settings: dict[str, Any]) -> RunInfo | None:
        for entry in await self._store.unfinished():
            if (entry.info.task, entry.info.settings) == (task, settings):
                return entry.info
        return None

    async def cancel(self, run_id: str) -> None:
        await self._store.status(run_id)
        await self._turn()
        if not await self._store.cancel(run_id, self._clock.now()):
            raise BadInput(f"run {run_id} is finished; there is nothing to cancel")
        await self.halt(run_id)
        self._news.tell(run_id)

    def under_way(self, run_id: str) -> tuple[tuple[str, str], ...]:
        return self._runs[run_id].under_way if run_id in self._runs else ()

    async def finish(self, run_id: str) -> None:
        if await self._store.status(run_id) == "finished":
            raise BadInput(f"run {run_id} is finished; it has its report")
        await self.say(run_id, FINISH, True)
        if run_id in self._runs:
            self._runs[run_id].finish()

    async def say(self, run_id: str, name: str, value: Any) -> None:
        await self._turn()
        await self._store.say(run_id, name, value)
        self._news.tell(run_id)

    async def said(self, run_id: str, name: str) -> Any:
        return (await self._store.said([run_id], name)).get(run_id)

    async def resume(self, run_id: str) -> None:
        await self._store.status(run_id)
        turn = await self._turn()
        entry = await self._store.entry(run_id)
        if entry.info.status == "finished" or self._plays(run_id, entry):
            return
        _refuse_other_version(entry)
        idle = entry.info.unfinished or entry.info.status == "queued"
        if not (idle and await self._store.claim(entry, turn, self._clock.now())):
            raise BadInput(
                f"run {run_id} is running in another process; "
                f"to stop it there: leadline runs cancel {run_id}"
            )
        self._play(run_id, turn, {"task": entry.info.task, "settings": entry.info.settings})

    async def fork(
        self, run_id: str, step: str, settings: dict[str, Any], new_id: str, queued: bool = False
    ) -> str:
        entry = await self._store.entry(run_id)
        _refuse_other_version(entry)
        request = {"task": entry.info.task, "settings": settings}
        records = await self._store.records(run_id)
        kept = await before(step, new_id, records, request, self._body)
        origin = Origin(run_id, Past.of(kept.values()).elapsed, kept)
        turn, ticket = await self._turn(), Ticket(entry.info.owner, queued=queued)
        await self._store.begin(new_id, request, turn, self._clock.now(), origin, ticket)
        if queued:
            self._news.tell("")
        else:
            self._play(new_id, turn, request)
        return new_id

    async def work(
        self,
        concurrency: int,
        stop: asyncio.Event | None = None,
        grace_s: float = 0.0,
        finished: Finished | None = None,
    ) -> None:
        self._store.hear(self._news.tell)
        await work(self, self._news, concurrency, stop or asyncio.Event(), grace_s, finished)

    async def close(self) -> None:
        for run_id in list(self._tasks):
            await self.halt(run_id)
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait({self._watch})
            self._watch = None
        self._executor = ""
        await self._store.close()

    async def __aenter__(self) -> DurableEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # ── what a worker asks ──────────────────────────────────────────────────────────────────

    async def take(self, orphans: bool = False) -> tuple[str, asyncio.Task[None]] | None:
        """Begin the next run of the queue here; None where there is none to be had."""
        turn = await self._turn()
        entry = await self._store.take(turn, self._caps, self._clock.now(), orphans)
        if entry is None:
            return None
        request = {"task": entry.info.task, "settings": entry.info.settings}
        return entry.info.id, self._play(entry.info.id, turn, request)

    def token(self, run_id: str) -> str:
        """Our token for a run that goes on here."""
        return self._tokens[run_id]

    async def release(self, run_id: str, token: str) -> None:
        """Give a run back to the queue, so that others need not wait for us to die."""
        await self._store.release(run_id, token, self._clock.now())
        self._broken.pop(run_id, None)

    async def halt(self, run_id: str) -> None:
        """Stop a run where it is, without an outcome."""
        task = self._tasks.get(run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    # ── one run ─────────────────────────────────────────────────────────────────────────────

    def _play(self, run_id: str, turn: Turn, request: dict[str, Any]) -> asyncio.Task[None]:
        self._broken.pop(run_id, None)
        self._tokens[run_id] = turn.token
        task = asyncio.get_running_loop().create_task(self._perform(run_id, turn, request))
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._over(run_id, task))
        self._news.tell(run_id)  # who follows it need not look for it any more
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._watching())
        return task

    def _plays(self, run_id: str, entry: Entry) -> bool:
        return entry.info.status == "running" and run_id in self._tasks

    async def _perform(self, run_id: str, turn: Turn, request: dict[str, Any]) -> None:
        """The run to its outcome. A store that broke, or a run that is no longer ours, has none."""
        work = asyncio.ensure_future(self._whole(run_id, turn, request))
        try:
            await asyncio.wait({work})
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait({work})
        error = work.exception()
        if isinstance(error, StoreBroken):
            raise error
        now = self._clock.now()
        if error is None:
            await self._store.finish(run_id, turn.token, work.result(), now)
        elif not isinstance(error, NotOurs):
            said = _written(error)
            said["message"] = self._hide(said["message"])
            await self._store.fail(run_id, turn.token, said, now)

    async def _whole(self, run_id: str, turn: Turn, request: dict[str, Any]) -> Any:
        records = await self._store.records(run_id)
        run = JournaledRun(
            run_id,
            self._ledger(run_id, turn, records),
            self._clock,
            seed=int(request["settings"].get("seed", 0)),
            started=self._clock.now(),
            past=Past.of(records.values(), (await self._store.entry(run_id)).origin_s),
        )
        self._runs[run_id] = run
        try:
            if await self.said(run_id, FINISH):
                run.finish()
            await run.begin()
            return await self._body(run, request)
        finally:
            if self._runs.get(run_id) is run:  # else another life of it has begun
                del self._runs[run_id]
            await run.close()

    def _ledger(self, run_id: str, turn: Turn, kept: Mapping[Place, Record]) -> Ledger:
        async def keep(place: Place, record: Record) -> None:
            await self._store.write(run_id, turn.token, place, record)
            self._following.wrote(run_id, record)

        async def sure() -> None:
            await self._store.sure(run_id, turn.token)

        return StepLedger(keep, kept, sure, self._hide)

    def _over(self, run_id: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id], self._tokens[run_id]
        if not task.cancelled() and isinstance(error := task.exception(), StoreBroken):
            self._broken[run_id] = error
        self._news.tell(run_id)

    async def _watching(self) -> None:
        """Stop runs that were cancelled or taken over from outside, and end those told to."""
        while True:
            await asyncio.sleep(OWN_POLL_S)
            if not self._tokens:
                continue
            try:
                lost = await self._store.lost(dict(self._tokens))
                told = await self._store.said(list(self._runs), FINISH)
            except StoreBroken:
                continue  # nobody can have taken them over through a store that is not there
            for run_id in lost:
                await self.halt(run_id)
            for run_id in told.keys() & self._runs.keys():
                self._runs[run_id].finish()

    # ── this process ────────────────────────────────────────────────────────────────────────

    async def _turn(self) -> Turn:
        """A turn at a run, with the store opened for writing."""
        async with self._opening:
            if not self._executor:
                self._executor = await self._store.open()
        return Turn(self._executor, secrets.token_hex(16), VERSION)


def _refuse_other_version(entry: Entry) -> None:
    if entry.version != VERSION:
        raise BadInput(
            f"run {entry.info.id} was made by another version of Leadline (its steps are of "
            f"version {entry.version}, this one's of {VERSION}); ask the question again instead"
        )


def _written(error: BaseException) -> Failure:
    """Why a run failed; an error that is not ours says its type too."""
    said = failure(error)
    if not isinstance(error, LeadlineError):
        said["message"] = f"{said['kind']}: {said['message']}"
    return said
