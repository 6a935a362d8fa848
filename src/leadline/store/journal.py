"""Writes runs and their steps to `runs.db`, one thread at a time and never in the event loop.

Whoever runs a run holds its `token`: a step or an outcome is written only while the row still has
it, so of two processes that believe a run to be theirs one writes.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from leadline.errors import BadInput, LeadlineError
from leadline.results import Failure, Place, Record
from leadline.store.logbook import Entry, broken_store
from leadline.store.schema import connect

T = TypeVar("T")


class NotOurs(LeadlineError):
    """The run was cancelled or taken over while we were at it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who runs a run from now on: a process, its token for this life of the run, its version."""

    executor: str
    token: str
    version: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What a fork takes over: the other run's id, its seconds and its first records."""

    run_id: str = ""
    seconds: float = 0.0
    records: Mapping[Place, Record] = field(default_factory=dict)


class Journal:
    """The writing side of one store; `close` it."""

    def __init__(self, path: Path) -> None:
        """Opens the store; hold its door meanwhile. `StoreBroken` when it cannot be written."""
        self._path = path
        self._connection = connect(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        turn: Turn,
        at: datetime,
        origin: Origin = Origin(),  # noqa: B008 - frozen
    ) -> None:
        """A new run with what it takes over, all or nothing. `BadInput` when the id is taken."""
        if "/" in run_id:
            raise BadInput(f"the id of a run has no slash, which names its children: {run_id!r}")
        values = (
            run_id,
            request["task"],
            json.dumps(request["settings"]),
            turn.executor,
            turn.token,
            turn.version,
            _ms(at),
            _ms(at),
            origin.run_id,
            origin.seconds,
        )
        taken = sorted(origin.records.items(), key=lambda one: one[1]["seq"])
        steps = [(*_row(run_id, place), json.dumps(record)) for place, record in taken]

        def insert(connection: sqlite3.Connection) -> None:
            sql = """INSERT INTO runs (id, task, settings, status, executor, token, version,
                                       created_ms, updated_ms, origin, origin_s)
                     VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)"""
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute(sql, values)
                connection.executemany(
                    "INSERT INTO steps (run, number, record) VALUES (?, ?, ?)", steps
                )
                connection.execute("COMMIT")
            except sqlite3.IntegrityError as error:
                raise BadInput(f"a run with the id {run_id} exists already") from error
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

        await self._do(insert)

    async def claim(self, entry: Entry, turn: Turn, at: datetime) -> bool:
        """Make a run ours if its row still stands as it was seen: one statement, one winner."""
        sql = """UPDATE runs SET status = 'running', executor = ?, token = ?, version = ?,
                                 updated_ms = ?, failure = NULL
                 WHERE id = ? AND status = ? AND token = ?"""
        seen = (entry.info.id, entry.state, entry.token)
        ours = (turn.executor, turn.token, turn.version, _ms(at))
        return await self._changed(sql, (*ours, *seen))

    async def write(self, run_id: str, token: str, place: Place, record: Record) -> None:
        """One finished step."""
        sql = """INSERT INTO steps (run, number, record)
                 SELECT ?, ?, ? FROM runs WHERE id = ? AND token = ? AND status = 'running'"""
        step = (*_row(run_id, place), json.dumps(record))
        if not await self._changed(sql, (*step, run_id, token)):
            raise NotOurs(f"run {run_id} is no longer run here")

    async def finish(self, run_id: str, token: str, result: Any, at: datetime) -> None:
        """The run's outcome, where it is still ours."""
        sql = """UPDATE runs SET status = 'finished', result = ?, updated_ms = ?
                 WHERE id = ? AND token = ? AND status = 'running'"""
        await self._changed(sql, (json.dumps(result), _ms(at), run_id, token))

    async def fail(self, run_id: str, token: str, failure: Failure, at: datetime) -> None:
        """Why the run failed, where it is still ours."""
        sql = """UPDATE runs SET status = 'failed', failure = ?, updated_ms = ?
                 WHERE id = ? AND token = ? AND status = 'running'"""
        await self._changed(sql, (json.dumps(failure), _ms(at), run_id, token))

    async def cancel(self, run_id: str, at: datetime) -> bool:
        """Mark a run cancelled unless it is finished; whoever runs it will see."""
        sql = """UPDATE runs SET status = 'cancelled', updated_ms = ?
                 WHERE id = ? AND status <> 'finished'"""
        return await self._changed(sql, (_ms(at), run_id))

    async def lost(self, tokens: dict[str, str]) -> set[str]:
        """Which of these runs, each with our token for it, are no longer ours."""

        def look(connection: sqlite3.Connection) -> set[str]:
            marks = ", ".join("?" * len(tokens))
            sql = f"SELECT id, token FROM runs WHERE status = 'running' AND id IN ({marks})"  # noqa: S608
            ours = dict(connection.execute(sql, tuple(tokens)).fetchall())
            return {run_id for run_id, token in tokens.items() if ours.get(run_id) != token}

        return await self._do(look)

    async def close(self) -> None:
        """Let go of the file when what was begun is written."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._connection.close)
        self._thread.shutdown(wait=False)

    async def _changed(self, sql: str, values: tuple[Any, ...]) -> bool:
        return bool(await self._do(lambda connection: connection.execute(sql, values).rowcount))

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def in_thread() -> T:
            with broken_store(self._path):
                return work(self._connection)

        return await asyncio.get_running_loop().run_in_executor(self._thread, in_thread)


def _row(run_id: str, place: Place) -> tuple[str, int]:
    """A child's steps stand under the run's id, a slash and the child's name."""
    child, number = place
    return f"{run_id}/{child}" if child else run_id, number


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
