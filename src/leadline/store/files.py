"""Runs on one machine: `runs.db` in the data folder, and a locked file for each that goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from leadline.store.journal import Journal
from leadline.store.locks import RunLocks
from leadline.store.logbook import Logbook
from leadline.store.schema import connect, door
from leadline.store.writer import Writer


class FileStore(Logbook, Journal):
    """`RunStore` over `DATA_DIR/runs.db`."""

    wait_s = 0.1

    def __init__(self, data_dir: Path) -> None:
        self._locks = RunLocks(data_dir / "locks")
        super().__init__(data_dir / "runs.db", self._locks.held)

    async def open(self) -> None:
        with door(self._path):
            self._opened = Writer(self._path, connect(self._path))
            self._locks.sweep()

    async def close(self) -> None:
        self._reading.close()  # first: only a writer clears up behind itself
        if self._opened is not None:
            await self._opened.close()
            self._opened = None
        self._locks.close()

    def hear(self, tell: Callable[[str], None]) -> None:
        """Nobody tells: the file is looked at often, which costs little."""

    async def hold(self, run_id: str, patience_s: float = 0.0) -> bool:
        return await self._locks.take(run_id, patience_s)

    def let_go(self, run_id: str) -> None:
        self._locks.free(run_id)
