"""Runs on one machine: `runs.db` in the data folder, and a locked file for each that goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from leadline.errors import StoreBroken
from leadline.ports import Row, RunStatus
from leadline.results import Failure, Place, Record
from leadline.store.journal import Journal
from leadline.store.locks import RunLocks
from leadline.store.logbook import Logbook
from leadline.store.runstore import OWN, Entry, Origin, Ticket
from leadline.store.schema import door


class FileStore:
    """`RunStore` over `DATA_DIR/runs.db`."""

    wait_s = 0.1

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "runs.db"
        self._locks = RunLocks(data_dir / "locks")
        self._logbook = Logbook(self._path, self._locks.held)
        self._journal: Journal | None = None

    async def open(self) -> None:
        with door(self._path):
            journal = Journal(self._path)
            self._locks.sweep()
        self._journal = journal

    async def close(self) -> None:
        self._logbook.close()  # first: only a writer clears up behind itself
        if self._journal is not None:
            await self._journal.close()
            self._journal = None
        self._locks.close()

    def hear(self, tell: Callable[[str], None]) -> None:
        """Nobody tells: the file is looked at often, which costs little."""

    async def hold(self, run_id: str, patience_s: float = 0.0) -> bool:
        return await self._locks.take(run_id, patience_s)

    def let_go(self, run_id: str) -> None:
        self._locks.free(run_id)

    # ── reading: short enough to be done in the event loop ──────────────────────────────────

    async def entry(self, run_id: str) -> Entry:
        return self._logbook.entry(run_id)

    async def status(self, run_id: str) -> RunStatus:
        return self._logbook.status(run_id)

    async def entries(self, limit: int, owner: str | None = None) -> list[Entry]:
        return self._logbook.entries(limit, owner)

    async def open_entries(self) -> list[Entry]:
        return self._logbook.open_entries()

    async def unfinished(self) -> list[Entry]:
        return self._logbook.unfinished()

    async def waiting(self, full: Collection[str] = ()) -> list[str]:
        return self._logbook.waiting(full)

    async def result(self, run_id: str) -> Any:
        return self._logbook.result(run_id)

    async def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        return self._logbook.rows(run_id, beyond)

    async def records(self, run_id: str) -> dict[Place, Record]:
        return self._logbook.records(run_id)

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        version: str,
        at: datetime,
        origin: Origin = Origin(),  # noqa: B008 - frozen
        ticket: Ticket = OWN,
    ) -> str:
        return await self._opened().begin(run_id, request, version, at, origin, ticket)

    async def claim(self, run_id: str, turn: int, version: str, at: datetime) -> bool:
        return await self._opened().claim(run_id, turn, version, at)

    async def reopen(self, entry: Entry, at: datetime, queued: bool) -> bool:
        return await self._opened().reopen(entry, at, queued)

    async def write(self, run_id: str, turn: int, place: Place, record: Record) -> None:
        await self._opened().write(run_id, turn, place, record)

    async def finish(self, run_id: str, turn: int, result: Any, at: datetime) -> None:
        await self._opened().finish(run_id, turn, result, at)

    async def fail(self, run_id: str, turn: int, failure: Failure, at: datetime) -> None:
        await self._opened().fail(run_id, turn, failure, at)

    async def release(self, run_id: str, turn: int, at: datetime) -> None:
        await self._opened().release(run_id, turn, at)

    async def cancel(self, run_id: str, at: datetime) -> bool:
        return await self._opened().cancel(run_id, at)

    async def say(self, run_id: str, name: str, value: Any) -> None:
        await self._opened().say(run_id, name, value)

    async def said(self, run_ids: Sequence[str], name: str) -> dict[str, Any]:
        return self._logbook.said(run_ids, name)

    async def lost(self, turns: dict[str, int]) -> set[str]:
        return await self._opened().lost(turns)

    def _opened(self) -> Journal:
        if self._journal is None:
            raise StoreBroken(f"{self._path} is closed")
        return self._journal
