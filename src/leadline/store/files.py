"""Runs on one machine: `runs.db` in the data folder, and a locked file for each living process."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from leadline.errors import StoreBroken
from leadline.ports import Row, RunStatus
from leadline.queueing import QueueState
from leadline.results import Failure, Place, Record
from leadline.store.journal import Journal
from leadline.store.liveness import FileLiveness
from leadline.store.logbook import Logbook
from leadline.store.runstore import OWN, Caps, Entry, Origin, Ticket, Turn
from leadline.store.schema import door

# The loops of this process in which stores are open, so that one nobody closed can be told from one
# that works: its loop is closed.
_LOOPS: dict[str, tuple[asyncio.AbstractEventLoop, FileLiveness]] = {}


class FileStore:
    """`RunStore` over `DATA_DIR/runs.db`."""

    wait_s = 0.1

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "runs.db"
        self._liveness = FileLiveness(data_dir / "executors")
        self._logbook = Logbook(self._path, self._liveness)
        self._journal: Journal | None = None
        self._executor = ""

    async def open(self) -> str:
        for executor, (loop, _) in list(_LOOPS.items()):
            if loop.is_closed():
                _retire(executor)  # its store was never closed
        self._executor = f"{os.getpid()}-{secrets.token_hex(6)}"
        with door(self._path):
            journal = Journal(self._path)
            self._liveness.sweep()
            self._liveness.announce(self._executor)
        _LOOPS[self._executor] = asyncio.get_running_loop(), self._liveness
        self._journal = journal
        return self._executor

    async def close(self) -> None:
        self._logbook.close()  # first: only a writer clears up behind itself
        if self._journal is not None:
            await self._journal.close()
            self._journal = None
            _retire(self._executor)

    def hear(self, tell: Callable[[str], None]) -> None:
        """Nobody tells: the file is looked at often, which costs little."""

    # ── reading: short enough to be done in the event loop ──────────────────────────────────

    async def entry(self, run_id: str) -> Entry:
        return self._logbook.entry(run_id)

    async def status(self, run_id: str) -> RunStatus:
        return self._logbook.status(run_id)

    async def entries(self, limit: int, owner: str | None = None) -> list[Entry]:
        return self._logbook.entries(limit, owner)

    async def unfinished(self) -> list[Entry]:
        return self._logbook.unfinished()

    async def result(self, run_id: str) -> Any:
        return self._logbook.result(run_id)

    async def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        return self._logbook.rows(run_id, beyond)

    async def records(self, run_id: str) -> dict[Place, Record]:
        return self._logbook.records(run_id)

    async def queue(self) -> QueueState:
        return self._logbook.queue()

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        turn: Turn,
        at: datetime,
        origin: Origin = Origin(),  # noqa: B008 - frozen
        ticket: Ticket = OWN,
    ) -> str:
        return await self._opened().begin(run_id, request, turn, at, origin, ticket)

    async def claim(self, entry: Entry, turn: Turn, at: datetime) -> bool:
        return await self._opened().claim(entry, turn, at)

    async def take(
        self, turn: Turn, caps: Caps, at: datetime, orphans: bool = False
    ) -> Entry | None:
        run_id = await self._opened().take(turn, caps, at, orphans, self._liveness.alive)
        return self._logbook.entry(run_id) if run_id else None

    async def sure(self, run_id: str, token: str) -> None:
        """Only death makes a process of this machine lose its lock."""

    async def write(self, run_id: str, token: str, place: Place, record: Record) -> None:
        await self._opened().write(run_id, token, place, record)

    async def finish(self, run_id: str, token: str, result: Any, at: datetime) -> None:
        await self._opened().finish(run_id, token, result, at)

    async def fail(self, run_id: str, token: str, failure: Failure, at: datetime) -> None:
        await self._opened().fail(run_id, token, failure, at)

    async def release(self, run_id: str, token: str, at: datetime) -> None:
        await self._opened().release(run_id, token, at)

    async def requeue(self, entry: Entry, at: datetime) -> bool:
        return await self._opened().requeue(entry, at)

    async def cancel(self, run_id: str, at: datetime) -> bool:
        return await self._opened().cancel(run_id, at)

    async def say(self, run_id: str, name: str, value: Any) -> None:
        await self._opened().say(run_id, name, value)

    async def said(self, run_ids: Sequence[str], name: str) -> dict[str, Any]:
        return self._logbook.said(run_ids, name)

    async def lost(self, tokens: dict[str, str]) -> set[str]:
        return await self._opened().lost(tokens)

    def _opened(self) -> Journal:
        if self._journal is None:
            raise StoreBroken(f"{self._path} is closed")
        return self._journal


def _retire(executor: str) -> None:
    _, liveness = _LOOPS.pop(executor)
    liveness.retire(executor)
