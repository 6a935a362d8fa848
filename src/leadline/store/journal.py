"""Writes runs and their steps to `runs.db`, one thread at a time and never in the event loop."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from leadline.results import Failure, Place, Record
from leadline.store.runstore import (
    MAX_LIVES,
    Caps,
    Entry,
    NotOurs,
    Origin,
    Ticket,
    Turn,
    ms,
    other_request,
    refuse_slash,
    taken_id,
    worn_out,
)
from leadline.store.schema import connect
from leadline.store.writer import Writer


class Journal:
    """The writing side of one store; `close` it."""

    def __init__(self, path: Path) -> None:
        """Opens the store; hold its door meanwhile. `StoreBroken` when it cannot be written."""
        self._writer = Writer(path, connect(path))

    async def begin(
        self,
        run_id: str,
        request: dict[str, Any],
        turn: Turn,
        at: datetime,
        origin: Origin,
        ticket: Ticket,
    ) -> str:
        refuse_slash(run_id)
        values = (
            run_id,
            request["task"],
            json.dumps(request["settings"]),
            *(("queued", "", "") if ticket.queued else ("running", turn.executor, turn.token)),
            turn.version,
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

    async def claim(self, entry: Entry, turn: Turn, at: datetime) -> bool:
        sql = """UPDATE runs SET status = 'running', executor = ?, token = ?, version = ?,
                                 updated_ms = ?, failure = NULL
                 WHERE id = ? AND status = ? AND token = ?"""
        seen = (entry.info.id, entry.state, entry.token)
        ours = (turn.executor, turn.token, turn.version, ms(at))
        return await self._changed(sql, (*ours, *seen))

    async def take(
        self, turn: Turn, caps: Caps, at: datetime, orphans: bool, alive: Callable[[str], bool]
    ) -> str | None:
        """The id of the next run of the queue, made ours."""

        def choose(connection: sqlite3.Connection) -> str | None:
            with _transaction(connection):
                for row in _open_to(connection, turn.version, caps, alive):
                    if orphans and row["status"] == "queued":
                        continue
                    if row["status"] == "running" and row["lives"] >= MAX_LIVES:
                        wear_out = "UPDATE runs SET status = 'failed', failure = ? WHERE id = ?"
                        connection.execute(
                            wear_out, (json.dumps(worn_out(row["lives"])), row["id"])
                        )
                        continue
                    ours = (turn.executor, turn.token, turn.version, ms(at), row["id"])
                    connection.execute(
                        """UPDATE runs SET status = 'running', executor = ?, token = ?,
                                  version = ?, updated_ms = ?, failure = NULL, lives = lives + 1
                           WHERE id = ?""",
                        ours,
                    )
                    return str(row["id"])
            return None

        return await self._writer.do(choose)

    async def write(self, run_id: str, token: str, place: Place, record: Record) -> None:
        sql = """INSERT INTO steps (run, number, record)
                 SELECT ?, ?, ? FROM runs WHERE id = ? AND token = ? AND status = 'running'"""
        step = (*_row(run_id, place), json.dumps(record))
        if not await self._changed(sql, (*step, run_id, token), safe=False):
            raise NotOurs(f"run {run_id} is no longer run here")

    async def finish(self, run_id: str, token: str, result: Any, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'finished', result = ?, updated_ms = ?
                 WHERE id = ? AND token = ? AND status = 'running'"""
        await self._changed(sql, (json.dumps(result), ms(at), run_id, token))

    async def fail(self, run_id: str, token: str, failure: Failure, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'failed', failure = ?, updated_ms = ?
                 WHERE id = ? AND token = ? AND status = 'running'"""
        await self._changed(sql, (json.dumps(failure), ms(at), run_id, token))

    async def release(self, run_id: str, token: str, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'queued', updated_ms = ?, lives = max(0, lives - 1)
                 WHERE id = ? AND token = ? AND status = 'running' AND queued"""
        await self._changed(sql, (ms(at), run_id, token))

    async def requeue(self, entry: Entry, at: datetime) -> bool:
        sql = """UPDATE runs SET status = 'queued', queued = 1, lives = 0, updated_ms = ?,
                                 failure = NULL
                 WHERE id = ? AND status = ? AND token = ?"""
        return await self._changed(sql, (ms(at), entry.info.id, entry.state, entry.token))

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

    async def lost(self, tokens: dict[str, str]) -> set[str]:
        def look(connection: sqlite3.Connection) -> set[str]:
            marks = ", ".join("?" * len(tokens))
            sql = f"SELECT id, token FROM runs WHERE status = 'running' AND id IN ({marks})"  # noqa: S608
            ours = {row["id"]: row["token"] for row in connection.execute(sql, tuple(tokens))}
            return {run_id for run_id, token in tokens.items() if ours.get(run_id) != token}

        return await self._writer.do(look)

    async def close(self) -> None:
        """Let go of the file when what was begun is written."""
        await self._writer.close()

    async def _changed(self, sql: str, values: tuple[Any, ...], *, safe: bool = True) -> bool:
        return bool(await self._writer.change(sql, values, safe=safe))


_INSERT = """INSERT INTO runs (id, task, settings, status, executor, token, version, created_ms,
                               updated_ms, origin, origin_s, queued, owner, priority, key)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


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


def _open_to(
    connection: sqlite3.Connection, version: str, caps: Caps, alive: Callable[[str], bool]
) -> list[sqlite3.Row]:
    """The runs that a worker may take now, in the order in which they are due."""
    rows = connection.execute(
        """SELECT id, status, executor, token, version, owner, lives FROM runs
           WHERE queued AND status IN ('queued', 'running')
           ORDER BY status = 'running' DESC, priority DESC, rowid"""
    ).fetchall()
    living = {name: alive(name) for name in {r["executor"] for r in rows if r["executor"]}}
    going = Counter(r["owner"] for r in rows if r["status"] == "running" and living[r["executor"]])
    if caps.total and going.total() >= caps.total:
        return []
    return [
        row
        for row in rows
        if (row["status"] == "queued" or not living[row["executor"]])
        and (row["version"] == version or not row["token"])
        and not (caps.per_owner and going[row["owner"]] >= caps.per_owner)
    ]


def _row(run_id: str, place: Place) -> tuple[str, int]:
    """A child's steps stand under the run's id, a slash and the child's name."""
    child, number = place
    return f"{run_id}/{child}" if child else run_id, number
