"""Writes to a SQLite file from one thread; what waits there together is written together.

Every row that was written outlives the process. That it also outlives a power cut, only the disk
can say, and it takes milliseconds. Who promises something to others (a queued run, a result) waits
for that word, all who are there at that moment for one; a step does not: it is asked for behind it,
and the worst that a power cut can do is to have the last step done again.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from leadline.errors import StoreBroken
from leadline.store.flushing import flush_soon, log_of
from leadline.store.schema import broken_store, store_broken

T = TypeVar("T")
Statement = tuple[str, tuple[Any, ...]]
MOST = 200  # statements made safe at once: others of this machine want to write too


class Writer:
    """The writing side of one file. What was asked for first is done first."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._waiting: deque[tuple[Statement, bool, Future[int]]] = deque()
        self._lock = threading.Lock()

    async def change(self, sql: str, values: tuple[Any, ...], *, safe: bool = True) -> int:
        """One statement; how many rows it changed, once that is written; `safe`, on the disk."""
        done: Future[int] = Future()
        with self._lock:
            self._waiting.append(((sql, values), safe, done))
            first = len(self._waiting) == 1
        if first:
            self._thread.submit(self._together)
        return await asyncio.wrap_future(done)

    async def do(self, work: Callable[[sqlite3.Connection], T], *, safe: bool = True) -> T:
        """Work that has a transaction of its own."""

        def in_thread() -> T:
            with broken_store(self._path), self._kept(safe):
                return work(self._connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, in_thread)

    async def close(self) -> None:
        """Let go of the file when what was begun is written."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._connection.close)
        self._thread.shutdown(wait=False)

    def _together(self) -> None:
        """Do what waits. Whoever comes while the disk is at it waits for the next time."""
        with self._lock:
            many = min(MOST, len(self._waiting))
            taken = [self._waiting.popleft() for _ in range(many)]
            if self._waiting:
                self._thread.submit(self._together)
        wanted = [one for one in taken if one[2].set_running_or_notify_cancel()]
        if wanted:
            self._settle(wanted)

    def _settle(self, taken: list[tuple[Statement, bool, Future[int]]]) -> None:
        outcomes: list[int | Exception] = []
        path, connection = self._path, self._connection
        try:
            with broken_store(path), self._kept(any(safe for _, safe, _ in taken)):
                if len(taken) > 1:
                    connection.execute("BEGIN IMMEDIATE")
                outcomes += [_one(path, connection, statement) for statement, _, _ in taken]
                if connection.in_transaction:
                    connection.execute("COMMIT")
        except StoreBroken as error:
            outcomes = [error] * len(taken)
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        for (_, _, done), outcome in zip(taken, outcomes, strict=True):
            if isinstance(outcome, Exception):
                done.set_exception(outcome)
            else:
                done.set_result(outcome)

    @contextmanager
    def _kept(self, safe: bool) -> Iterator[None]:
        """What is committed within is on the disk afterwards where it is to be `safe`, and on its
        way there otherwise."""
        if safe:
            self._connection.execute("PRAGMA synchronous=FULL")
        try:
            yield
        finally:
            if safe:
                with suppress(sqlite3.Error):
                    self._connection.execute("PRAGMA synchronous=NORMAL")
            else:
                flush_soon(log_of(self._path))


def _one(path: Path, connection: sqlite3.Connection, statement: Statement) -> int | Exception:
    """A row that cannot be there leaves the others as they are."""
    try:
        return connection.execute(*statement).rowcount
    except sqlite3.IntegrityError as error:
        return store_broken(path, str(error))
    except (sqlite3.InterfaceError, sqlite3.ProgrammingError, ValueError, OverflowError) as error:
        return error  # a value that is none for a row
