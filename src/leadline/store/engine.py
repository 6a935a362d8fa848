"""Durable runs on one machine: DBOS does each step once, a file lock says who is alive.

Starting, resuming and cancelling launch DBOS; listing, inspecting and following only read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.errors import BadInput, StoreBroken
from leadline.ports import Row, Run, RunInfo
from leadline.run import Clock, JournaledRun, Record, ended
from leadline.store.liveness import FileLiveness
from leadline.store.logbook import Logbook

if TYPE_CHECKING:
    from leadline.store.host import Host, Play

Body = Callable[[Run, dict[str, Any]], Awaitable[Any]]

POLL_S = 0.1  # how often a run of another process is looked at
OWN_POLL_S = 1.0  # and one of our own, which tells us of everything but a cancel from outside


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return time.monotonic()


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
        self._host: Host | None = None
        self._mine: set[str] = set()
        self._news = asyncio.Event()

    async def start(self, task: str, settings: dict[str, Any], run_id: str) -> str:
        host = self._launched()
        await host.start(run_id, {"task": task, "settings": settings}, self._play(run_id))
        return run_id

    async def result(self, run_id: str) -> Any:
        while True:
            entry = self._logbook.entry(run_id)
            if entry.info.status == "finished":
                return self._logbook.result(run_id)
            if entry.info.unfinished:
                raise ended(entry.info)
            if broken := self._broke(run_id):
                raise broken
            await self._wait(run_id)

    async def follow(self, run_id: str, after: int = 0) -> AsyncIterator[Row]:
        position = 0
        while True:
            live = self._logbook.entry(run_id).info.status in ("running", "queued")
            live = live and not self._broke(run_id)
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
        if self._logbook.entry(run_id).info.status == "finished":
            raise BadInput(f"run {run_id} is finished; there is nothing to cancel")
        await self._launched().cancel(run_id)
        self._tell()

    async def resume(self, run_id: str) -> None:
        from leadline.store.host import VERSION

        entry = self._logbook.entry(run_id)
        if entry.info.status == "finished" or (
            entry.info.status == "running" and run_id in self._mine
        ):
            return
        if entry.version != VERSION:
            raise BadInput(
                f"run {run_id} was made by another version of Leadline (its steps are of version "
                f"{entry.version}, this one's of {VERSION}); ask the question again instead"
            )
        taken = entry.info.unfinished and await self._launched().take_over(
            entry, self._play(run_id)
        )
        if not taken:
            raise BadInput(
                f"run {run_id} is running in another process; "
                f"to stop it there: leadline runs cancel {run_id}"
            )

    async def close(self) -> None:
        if self._host is not None:
            await self._host.halt(self._mine)
            await self._host.leave()
            self._host = None

    async def __aenter__(self) -> DurableEngine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _broke(self, run_id: str) -> StoreBroken | None:
        return self._host.broke(run_id) if self._host else None

    def _launched(self) -> Host:
        if self._host is None:
            from leadline.store.host import Host

            self._host = Host.join(self._path, self._liveness)
        return self._host

    def _play(self, run_id: str) -> Play:
        async def play(request: dict[str, Any]) -> Any:
            self._own(run_id)
            run = JournaledRun(
                run_id,
                self,
                self._clock,
                seed=int(request["settings"].get("seed", 0)),
                started=self._clock.now(),
                past=self._logbook.past(run_id),
            )
            await run.begin()
            return await self._body(run, request)

        return play

    def _own(self, run_id: str) -> None:
        """The run is ours for as long as its task lives, which is until its outcome is kept."""

        def over(_: object) -> None:
            self._mine.discard(run_id)
            self._tell()

        task = asyncio.current_task()
        assert task is not None
        self._mine.add(run_id)
        task.add_done_callback(over)

    async def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        """`run.Ledger`: DBOS keeps the record, and whoever follows hears of it."""
        try:
            return await self._launched().once(name, do)
        finally:
            self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _wait(self, run_id: str) -> None:
        """Until a row of ours was written, or it is time to look again."""
        waiting = asyncio.ensure_future(self._news.wait())
        try:
            await asyncio.wait({waiting}, timeout=OWN_POLL_S if run_id in self._mine else POLL_S)
        finally:
            waiting.cancel()
