"""Writes runs and their steps to `runs.db`, one thread at a time and never in the event loop."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from leadline.errors import StoreBroken
from leadline.results import Failure, Place, Record
from leadline.store.runstore import (
    GENERATION,
    OWN,
    Entry,
    NotOurs,
    Origin,
    Ticket,
    ms,
    next_generation,
    other_request,
    refuse_slash,
    taken_id,
)
from leadline.store.writer import Writer


class Journal:
    """The writing side of one store, once that is open."""

    _path: Path
    _opened: Writer | None = None

    @property
    def _writer(self) -> Writer:
        if self._opened is None:
            raise StoreBroken(f"{self._path} is closed")
        return self._opened

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        version: str,
        at: datetime,
        origin: Origin = Origin(),  # noqa: B008 - frozen
        ticket: Ticket = OWN,
    ) -> str:
        refuse_slash(run_id)
        values = (
            run_id,
            request["task"],
            json.dumps(request["settings"]),
            *(("queued", GENERATION) if ticket.queued else ("running", GENERATION + 1)),
            version,
            ms(at),
            ms(at),
            origin.run_id,
            origin.seconds,
            ticket.queued,
            ticket.owner,
            ticket.priority,
            ticket.key or None,
        )
        taken = sorted(origin.records.items(), key=lambda one: one[1]["seq"])
        steps = [(*_row(run_id, place), json.dumps(record)) for place, record in taken]

        def insert(connection: sqlite3.Connection) -> str:
            with _transaction(connection):
                if earlier := _used(connection, ticket, request["task"]):
                    return earlier
                try:
                    connection.execute(_INSERT, values)
                    connection.executemany(
                        "INSERT INTO steps (run, number, record) VALUES (?, ?, ?)", steps
                    )
                except sqlite3.IntegrityError as error:
                    raise taken_id(run_id) from error
            return run_id

        return await self._writer.do(insert, safe=ticket.queued)

    async def claim(self, run_id: str, turn: int, version: str, at: datetime) -> bool:
        sql = f"""UPDATE runs SET status = 'running', turn = ?1, version = ?2, updated_ms = ?3
                  WHERE id = ?4 AND status IN ('queued', 'running')
                    AND turn < ?1 AND turn / {GENERATION} = ?1 / {GENERATION}"""  # noqa: S608
        return await self._changed(sql, (turn, version, ms(at), run_id))

    async def reopen(self, entry: Entry, at: datetime, queued: bool) -> bool:
        sql = """UPDATE runs SET status = 'queued', turn = ?, queued = queued OR ?, updated_ms = ?,
                                 failure = NULL
                 WHERE id = ? AND turn = ? AND status <> 'finished'"""
        ours = (next_generation(entry.turn), queued, ms(at))
        return await self._changed(sql, (*ours, entry.info.id, entry.turn))

    async def write(self, run_id: str, turn: int, place: Place, record: Record) -> None:
        sql = """INSERT INTO steps (run, number, record)
                 SELECT ?, ?, ? FROM runs WHERE id = ? AND turn = ? AND status = 'running'"""
        step = (*_row(run_id, place), json.dumps(record))
        if not await self._changed(sql, (*step, run_id, turn), safe=False):
            raise NotOurs(f"run {run_id} is no longer run here")

    async def finish(self, run_id: str, turn: int, result: Any, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'finished', result = ?, updated_ms = ?
                 WHERE id = ? AND turn = ? AND status = 'running'"""
        await self._changed(sql, (json.dumps(result), ms(at), run_id, turn))

    async def fail(self, run_id: str, turn: int, failure: Failure, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'failed', failure = ?, updated_ms = ?
                 WHERE id = ? AND turn = ? AND status = 'running'"""
        await self._changed(sql, (json.dumps(failure), ms(at), run_id, turn))

    async def release(self, run_id: str, turn: int, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'queued', updated_ms = ?
                 WHERE id = ? AND turn = ? AND status = 'running' AND queued"""
        await self._changed(sql, (ms(at), run_id, turn))

    async def cancel(self, run_id: str, at: datetime) -> bool:
        sql = """UPDATE runs SET status = 'cancelled', updated_ms = ?
                 WHERE id = ? AND status <> 'finished'"""
        return await self._changed(sql, (ms(at), run_id))

    async def say(self, run_id: str, name: str, value: Any) -> None:
        if value is None:
            await self._changed("DELETE FROM words WHERE run = ? AND name = ?", (run_id, name))
            return
        sql = "INSERT OR REPLACE INTO words VALUES (?, ?, ?)"
        await self._changed(sql, (run_id, name, json.dumps(value)))

    async def lost(self, turns: dict[str, int]) -> set[str]:
        def look(connection: sqlite3.Connection) -> set[str]:
            marks = ", ".join("?" * len(turns))
            sql = f"SELECT id, turn FROM runs WHERE status = 'running' AND id IN ({marks})"  # noqa: S608
            ours = {row["id"]: row["turn"] for row in connection.execute(sql, tuple(turns))}
            return {run_id for run_id, turn in turns.items() if ours.get(run_id) != turn}

        return await self._writer.do(look)

    async def _changed(self, sql: str, values: tuple[Any, ...], *, safe: bool = True) -> bool:
        return bool(await self._writer.change(sql, values, safe=safe))


_INSERT = """INSERT INTO runs (id, task, settings, status, turn, version, created_ms, updated_ms,
                               origin, origin_s, queued, owner, priority, key)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Takes the writer's lock at once, so that of two processes one waits for the other."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _used(connection: sqlite3.Connection, ticket: Ticket, task: str) -> str:
    """The run that this owner's key stands for already, or ""."""
    if not ticket.key:
        return ""
    sql = "SELECT id, task FROM runs WHERE owner = ? AND key = ?"
    row = connection.execute(sql, (ticket.owner, ticket.key)).fetchone()
    if row is None:
        return ""
    if row["task"] != task:
        raise other_request(ticket.key, row["id"])
    return str(row["id"])


def _row(run_id: str, place: Place) -> tuple[str, int]:
    """A child's steps stand under the run's id, a slash and the child's name."""
    child, number = place
    return f"{run_id}/{child}" if child else run_id, number
