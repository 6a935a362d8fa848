"""Durable runs on one machine: every finished step is a row, a file lock says who is alive.

A run is a task of the event loop. Its steps are written to `runs.db` as they finish; a run that is
taken up again reads them back and goes on after the last one.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leadline.errors import BadInput, LeadlineError, StoreBroken
from leadline.ports import Row, Run, RunInfo
from leadline.records import before
from leadline.results import Failure, Place, Record, failure
from leadline.run import Clock, JournaledRun, Ledger, Past, ended
from leadline.store.journal import Journal, NotOurs, Origin, Turn
from leadline.store.liveness import FileLiveness
from leadline.store.logbook import Entry, Logbook
from leadline.store.schema import door

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]

VERSION = "3"  # of the loop's order of steps: a run recorded under another cannot be resumed
POLL_S = 0.1  # how often a run of another process is looked at
OWN_POLL_S = 0.5  # and one of our own, which may be cancelled from outside

# The loops of this process in which engines run, so that one nobody closed can be told from one
# that works: its loop is closed.
_LOOPS: dict[str, tuple[asyncio.AbstractEventLoop, FileLiveness]] = {}


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return time.monotonic()


class StepLedger:
    """`run.Ledger` over the journal: steps are told apart by the order in which they start."""

    def __init__(self, keep: Keep, kept: Mapping[Place, Record], within: str = "") -> None:
        self._keep, self._kept, self._within = keep, kept, within
        self._calls = 0

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        self._calls += 1
        return self._once(self._calls, name, do)

    def child(self, name: str) -> StepLedger:
        within = f"{self._within}/{name}" if self._within else name
        return StepLedger(self._keep, self._kept, within)

    def kept(self, name: str) -> list[Record]:
        return [record for record in self._kept.values() if record["name"] == name]

    async def _once(self, number: int, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        place = self._within, number
        record = self._kept.get(place)
        if record is None:
            record = await do()
            await self._keep(place, record)
        elif record["name"] != name:
            raise BadInput(
                f"this run was recorded by other code than runs now: step {number} was "
                f"{record['name']!r} and would be {name!r}"
            )
        return record


Keep = Callable[[Place, Record], Awaitable[None]]


class DurableEngine:
    """`ports.Engine` over `DATA_DIR/runs.db`.

    `body` is what a run does with its request `{"task": …, "settings": …}`; it returns JSON.
    """

    def __init__(self, data_dir: Path, body: Body, *, clock: Clock | None = None) -> None:
        self._path = data_dir / "runs.db"
        self._body = body
        self._clock: Clock = clock or SystemClock()
        self._liveness = FileLiveness(data_dir / "executors")
        self._logbook = Logbook(self._path, self._liveness)
        self._journal: Journal | None = None
        self._executor = ""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._tokens: dict[str, str] = {}
        self._broken: dict[str, StoreBroken] = {}
        self._watch: asyncio.Task[None] | None = None
        self._news: dict[str, asyncio.Event] = {}  # by run: a row wakes only who waits for it

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        journal, turn = self._launched(), self._turn()
        request = {"task": task, "settings": settings}
        await journal.begin(run_id, request, turn, self._clock.now())
        self._play(run_id, turn, request)
        return run_id

    async def result(self, run_id: str) -> Any:
        while True:
            entry = self._logbook.entry(run_id)
            if entry.info.status == "finished":
                return self._logbook.result(run_id)
            if entry.info.unfinished:
                raise ended(entry.info)
            if run_id in self._broken:
                raise self._broken[run_id]
            await self._wait(run_id)

    async def follow(self, run_id: str, after: int = 0) -> AsyncIterator[Row]:
        position = 0
        while True:
            live = self._logbook.entry(run_id).info.status in ("running", "queued")
            live = live and run_id not in self._broken
            rows, position = self._logbook.rows(run_id, position)
            for row in rows:
                if row.seq > after:
                    yield row
            if not live:
                return
            await self._wait(run_id)

    async def rows(self, run_id: str) -> list[Row]:
        self._logbook.entry(run_id)
        return self._logbook.rows(run_id)[0]

    async def records(self, run_id: str) -> dict[Place, Record]:
        self._logbook.entry(run_id)
        return self._logbook.records(run_id)

    async def list(self, limit: int = 50) -> list[RunInfo]:
        return [entry.info for entry in self._logbook.entries(limit)]

    async def info(self, run_id: str) -> RunInfo:
        return self._logbook.entry(run_id).info

    async def find_unfinished(self, task: str, settings: dict[str, Any]) -> RunInfo | None:
        for entry in self._logbook.unfinished():
            if (entry.info.task, entry.info.settings) == (task, settings):
                return entry.info
        return None

    async def cancel(self, run_id: str) -> None:
        self._logbook.entry(run_id)
        journal = self._launched()
        if not await journal.cancel(run_id, self._clock.now()):
            raise BadInput(f"run {run_id} is finished; there is nothing to cancel")
        await self._halt(run_id)
        self._tell(run_id)

    async def resume(self, run_id: str) -> None:
        self._logbook.entry(run_id)
        journal = self._launched()
        entry = self._logbook.entry(run_id)
        running = entry.info.status == "running"
        if entry.info.status == "finished" or (running and run_id in self._tasks):
            return
        _refuse_other_version(entry)
        turn = self._turn()
        if not (entry.info.unfinished and await journal.claim(entry, turn, self._clock.now())):
            raise BadInput(
                f"run {run_id} is running in another process; "
                f"to stop it there: leadline runs cancel {run_id}"
            )
        self._play(run_id, turn, {"task": entry.info.task, "settings": entry.info.settings})

    async def fork(self, run_id: str, step: str, settings: dict[str, Any], new_id: str) -> str:
        entry = self._logbook.entry(run_id)
        _refuse_other_version(entry)
        request = {"task": entry.info.task, "settings": settings}
        kept = await before(step, new_id, self._logbook.records(run_id), request, self._body)
        origin = Origin(run_id, Past.of(kept.values()).elapsed, kept)
        journal, turn = self._launched(), self._turn()
        await journal.begin(new_id, request, turn, self._clock.now(), origin)
        self._play(new_id, turn, request)
        return new_id

    async def close(self) -> None:
        for run_id in list(self._tasks):
            await self._halt(run_id)
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait({self._watch})
            self._watch = None
        if self._journal is not None:
            await self._journal.close()
            self._journal = None
            _retire(self._executor)

    async def __aenter__(self) -> DurableEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # ── one run ─────────────────────────────────────────────────────────────────────────────

    def _play(self, run_id: str, turn: Turn, request: dict[str, Any]) -> None:
        self._broken.pop(run_id, None)
        self._tokens[run_id] = turn.token
        task = asyncio.get_running_loop().create_task(self._perform(run_id, turn, request))
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._over(run_id, task))
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._watching())

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
        journal, now = self._launched(), self._clock.now()
        if error is None:
            await journal.finish(run_id, turn.token, work.result(), now)
        elif not isinstance(error, NotOurs):
            await journal.fail(run_id, turn.token, _written(error), now)

    async def _whole(self, run_id: str, turn: Turn, request: dict[str, Any]) -> Any:
        records = self._logbook.records(run_id)
        run = JournaledRun(
            run_id,
            self._ledger(run_id, turn, records),
            self._clock,
            seed=int(request["settings"].get("seed", 0)),
            started=self._clock.now(),
            past=Past.of(records.values(), self._logbook.entry(run_id).origin_s),
        )
        try:
            await run.begin()
            return await self._body(run, request)
        finally:
            await run.close()

    def _ledger(self, run_id: str, turn: Turn, kept: Mapping[Place, Record]) -> Ledger:
        async def keep(place: Place, record: Record) -> None:
            await self._launched().write(run_id, turn.token, place, record)
            self._tell(run_id)

        return StepLedger(keep, kept)

    def _over(self, run_id: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id], self._tokens[run_id]
        if not task.cancelled() and isinstance(error := task.exception(), StoreBroken):
            self._broken[run_id] = error
        self._tell(run_id)

    async def _halt(self, run_id: str) -> None:
        """Stop a run where it is, without an outcome."""
        task = self._tasks.get(run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _watching(self) -> None:
        """Stop runs that were cancelled or taken over from outside."""
        while True:
            await asyncio.sleep(OWN_POLL_S)
            if self._tokens:
                for run_id in await self._launched().lost(dict(self._tokens)):
                    await self._halt(run_id)

    # ── this process ────────────────────────────────────────────────────────────────────────

    def _launched(self) -> Journal:
        if self._journal is None:
            for executor, (loop, _) in list(_LOOPS.items()):
                if loop.is_closed():
                    _retire(executor)  # its engine was never closed
            self._executor = f"{os.getpid()}-{secrets.token_hex(6)}"
            with door(self._path):
                journal = Journal(self._path)
                self._liveness.sweep()
                self._liveness.announce(self._executor)
            _LOOPS[self._executor] = asyncio.get_running_loop(), self._liveness
            self._journal = journal
        return self._journal

    def _turn(self) -> Turn:
        return Turn(self._executor, secrets.token_hex(16), VERSION)

    def _tell(self, run_id: str) -> None:
        if news := self._news.pop(run_id, None):
            news.set()

    async def _wait(self, run_id: str) -> None:
        """Until a row of ours was written, or it is time to look again."""
        news = self._news.setdefault(run_id, asyncio.Event())
        waiting = asyncio.ensure_future(news.wait())
        try:
            await asyncio.wait({waiting}, timeout=OWN_POLL_S if run_id in self._tasks else POLL_S)
        finally:
            waiting.cancel()


def _refuse_other_version(entry: Entry) -> None:
    if entry.version != VERSION:
        raise BadInput(
            f"run {entry.info.id} was made by another version of Leadline (its steps are of "
            f"version {entry.version}, this one's of {VERSION}); ask the question again instead"
        )


def _retire(executor: str) -> None:
    _, liveness = _LOOPS.pop(executor)
    liveness.retire(executor)


def _written(error: BaseException) -> Failure:
    """Why a run failed; an error that is not ours says its type too."""
    said = failure(error)
    if not isinstance(error, LeadlineError):
        said["message"] = f"{said['kind']}: {said['message']}"
    return said
