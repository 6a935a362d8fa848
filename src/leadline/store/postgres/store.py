"""`RunStore` over PostgreSQL: what reads and writes runs; the queue is in `queue.py`.

Every write may be done twice, since a server that goes away may have done it without saying so:
the second time finds its own token and is content.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from psycopg.rows import dict_row

from leadline.errors import RunNotFound
from leadline.ports import Row, RunStatus
from leadline.queueing import QueueState
from leadline.results import Failure, Place, Record, row_of
from leadline.store.postgres.link import Connection, Link
from leadline.store.postgres.pulse import ALIVE, CHANNEL, LEASE_S, Pulse
from leadline.store.postgres.queue import queue_state, take_next
from leadline.store.runstore import (
    OWN,
    Caps,
    Entry,
    NotOurs,
    Origin,
    Ticket,
    Turn,
    info_of,
    ms,
    other_request,
    refuse_slash,
    shown,
    taken_id,
)

_STANDS = f"r.status, r.queued, {ALIVE} AS alive"
_RUNS = f"""
    SELECT r.id, r.task, r.settings, r.token, r.version, r.created_ms, r.updated_ms, r.failure,
           r.origin, r.origin_s, r.owner, r.stop_reason, {_STANDS},
           (SELECT count(*) FROM steps s WHERE s.run = r.id) AS steps
    FROM runs r LEFT JOIN workers w ON w.executor = r.executor
"""  # noqa: S608 - no value in it
_NEWEST = "ORDER BY r.created_ms DESC, r.position DESC"
# Locks the run's row against whoever would take it over until the step stands.
_WRITE = f"""
    WITH ours AS (
        SELECT id FROM runs WHERE id = %(run)s AND token = %(token)s AND status = 'running'
        FOR SHARE
    ), put AS (
        INSERT INTO steps (run, child, number, record)
        SELECT id, %(child)s, %(number)s, %(record)s FROM ours
        ON CONFLICT DO NOTHING RETURNING run
    )
    SELECT (SELECT count(*) FROM ours) AS ours, (SELECT count(*) FROM put) AS put,
           pg_notify('{CHANNEL}', %(run)s)
"""  # noqa: S608
_CLAIM = f"""
    UPDATE runs SET status = 'running', executor = %(executor)s, token = %(token)s,
                    version = %(version)s, updated_ms = %(at)s, failure = NULL
    WHERE id = %(id)s AND status = %(state)s AND token = %(seen)s
      AND NOT (status = 'running' AND EXISTS (
          SELECT FROM workers w WHERE w.executor = runs.executor AND {ALIVE}))
"""  # noqa: S608
_TELL = f"SELECT pg_notify('{CHANNEL}', %s)"


class PostgresStore:
    """Runs that any number of processes on any number of machines share."""

    wait_s = 2.0  # what changes is told at once; this is for when that got lost

    def __init__(self, url: str, lease_s: float = LEASE_S) -> None:
        self._url, self._lease_s = url, lease_s
        self._link: Link | None = None
        self._pulse: Pulse | None = None

    async def open(self) -> str:
        executor = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(6)}"
        pulse = Pulse(self._linked(), executor, self._lease_s)
        await asyncio.to_thread(pulse.start)
        self._pulse = pulse
        return executor

    async def close(self) -> None:
        if self._pulse is not None:
            await asyncio.to_thread(self._pulse.stop)
            self._pulse = None
        if self._link is not None:
            await asyncio.to_thread(self._link.close)
            self._link = None

    def hear(self, tell: Callable[[str], None]) -> None:
        if self._pulse is not None:
            self._pulse.hear(tell)

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    async def entry(self, run_id: str) -> Entry:
        found = await self._entries(f"{_RUNS} WHERE r.id = %s", (run_id,))
        if not found:
            raise _unknown(run_id)
        return found[0]

    async def status(self, run_id: str) -> RunStatus:
        sql = f"""SELECT {_STANDS} FROM runs r LEFT JOIN workers w ON w.executor = r.executor
                  WHERE r.id = %s"""  # noqa: S608
        for row in await self._read(sql, (run_id,)):
            return shown(row["status"], row["alive"], row["queued"])
        raise _unknown(run_id)

    async def entries(self, limit: int, owner: str | None = None) -> list[Entry]:
        if owner is None:
            return await self._entries(f"{_RUNS} {_NEWEST} LIMIT %s", (limit,))
        sql = f"{_RUNS} WHERE r.owner = %s {_NEWEST} LIMIT %s"
        return await self._entries(sql, (owner, limit))

    async def unfinished(self) -> list[Entry]:
        found = await self._entries(f"{_RUNS} WHERE r.status <> 'finished' {_NEWEST}", ())
        return [entry for entry in found if entry.info.unfinished]

    async def result(self, run_id: str) -> Any:
        found = await self._read("SELECT result FROM runs WHERE id = %s", (run_id,))
        return json.loads(found[0]["result"])

    async def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        sql = """SELECT position, record FROM steps WHERE run = %s AND position > %s
                 ORDER BY position"""
        found = await self._read(sql, (run_id, beyond))
        rows = [row_of(json.loads(row["record"])) for row in found]
        return rows, found[-1]["position"] if found else beyond

    async def records(self, run_id: str) -> dict[Place, Record]:
        sql = "SELECT child, number, record FROM steps WHERE run = %s"
        found = await self._read(sql, (run_id,))
        return {(row["child"], row["number"]): json.loads(row["record"]) for row in found}

    async def queue(self) -> QueueState:
        return await self._linked().do(queue_state)

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
        refuse_slash(run_id)
        holder = ("queued", "", "") if ticket.queued else ("running", turn.executor, turn.token)
        run = (
            *(run_id, request["task"], json.dumps(request["settings"]), *holder, turn.version),
            *(ms(at), ms(at), origin.run_id, origin.seconds),
            *(ticket.queued, ticket.owner, ticket.priority, ticket.key or None),
        )
        taken = sorted(origin.records.items(), key=lambda one: one[1]["seq"])
        steps = [(run_id, *place, json.dumps(record)) for place, record in taken]

        def insert(connection: Connection) -> str:
            with connection.transaction():
                if not connection.execute(_INSERT, run).rowcount:
                    return _earlier(connection, run_id, request["task"], turn, ticket)
                if steps:
                    connection.cursor().executemany(_STEP, steps)
                connection.execute(_TELL, ("" if ticket.queued else run_id,))
            return run_id

        return await self._linked().do(insert)

    async def claim(self, entry: Entry, turn: Turn, at: datetime) -> bool:
        seen = {"id": entry.info.id, "state": entry.state, "seen": entry.token}
        ours = {"executor": turn.executor, "token": turn.token, "version": turn.version}

        def change(connection: Connection) -> bool:
            if connection.execute(_CLAIM, seen | ours | {"at": ms(at)}).rowcount:
                return True
            sql = "SELECT FROM runs WHERE id = %s AND token = %s"
            return bool(connection.execute(sql, (entry.info.id, turn.token)).rowcount)

        return await self._linked().do(change)

    async def take(
        self, turn: Turn, caps: Caps, at: datetime, orphans: bool = False
    ) -> Entry | None:
        run_id = await self._linked().do(lambda one: take_next(one, turn, caps, ms(at), orphans))
        return await self.entry(run_id) if run_id else None

    async def sure(self, run_id: str, token: str) -> None:
        pulse = self._pulse
        if pulse is None or pulse.certain():
            return
        await self._linked().do(pulse.beat)
        if await self.lost({run_id: token}):
            raise NotOurs(f"run {run_id} was taken over while this process was away")

    async def write(self, run_id: str, token: str, place: Place, record: Record) -> None:
        child, number = place
        text = json.dumps(record)
        values = {"run": run_id, "token": token, "child": child, "number": number, "record": text}

        def put(connection: Connection) -> bool:
            found = connection.execute(_WRITE, values).fetchone()
            if found is None or not found[0]:
                return False
            if found[1]:
                return True
            sql = "SELECT FROM steps WHERE run = %s AND child = %s AND number = %s AND record = %s"
            return bool(connection.execute(sql, (run_id, child, number, text)).rowcount)

        if not await self._linked().do(put):
            raise NotOurs(f"run {run_id} is no longer run here")

    async def finish(self, run_id: str, token: str, result: Any, at: datetime) -> None:
        said = result.get("stop_reason") if isinstance(result, dict) else None
        sql = """UPDATE runs SET status = 'finished', result = %s, stop_reason = %s,
                                 updated_ms = %s
                 WHERE id = %s AND token = %s AND status = 'running'"""
        await self._change(run_id, sql, (json.dumps(result), said, ms(at), run_id, token))

    async def fail(self, run_id: str, token: str, failure: Failure, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'failed', failure = %s, updated_ms = %s
                 WHERE id = %s AND token = %s AND status = 'running'"""
        await self._change(run_id, sql, (json.dumps(failure), ms(at), run_id, token))

    async def release(self, run_id: str, token: str, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'queued', updated_ms = %s, lives = greatest(0, lives - 1)
                 WHERE id = %s AND token = %s AND status = 'running' AND queued"""
        await self._change("", sql, (ms(at), run_id, token))

    async def requeue(self, entry: Entry, at: datetime) -> bool:
        sql = """UPDATE runs SET status = 'queued', queued = true, lives = 0, updated_ms = %s,
                                 failure = NULL
                 WHERE id = %s AND status = %s AND token = %s"""
        return await self._change("", sql, (ms(at), entry.info.id, entry.state, entry.token))

    async def cancel(self, run_id: str, at: datetime) -> bool:
        sql = """UPDATE runs SET status = 'cancelled', updated_ms = %s
                 WHERE id = %s AND status <> 'finished'"""
        return await self._change(run_id, sql, (ms(at), run_id))

    async def say(self, run_id: str, name: str, value: Any) -> None:
        if value is None:
            sql = "DELETE FROM words WHERE run = %s AND name = %s"
            await self._change(run_id, sql, (run_id, name))
            return
        sql = """INSERT INTO words VALUES (%s, %s, %s)
                 ON CONFLICT (run, name) DO UPDATE SET value = excluded.value"""
        await self._change(run_id, sql, (run_id, name, json.dumps(value)))

    async def said(self, run_ids: Sequence[str], name: str) -> dict[str, Any]:
        sql = "SELECT run, value FROM words WHERE name = %s AND run = ANY(%s)"
        found = await self._read(sql, (name, list(run_ids)))
        return {row["run"]: json.loads(row["value"]) for row in found}

    async def lost(self, tokens: dict[str, str]) -> set[str]:
        sql = "SELECT id, token FROM runs WHERE status = 'running' AND id = ANY(%s)"
        ours = {row["id"]: row["token"] for row in await self._read(sql, (list(tokens),))}
        return {run_id for run_id, token in tokens.items() if ours.get(run_id) != token}

    # ── underneath ──────────────────────────────────────────────────────────────────────────

    def _linked(self) -> Link:
        if self._link is None:
            self._link = Link.to(self._url)
        return self._link

    async def _read(self, sql: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
        def select(connection: Connection) -> list[dict[str, Any]]:
            return connection.cursor(row_factory=dict_row).execute(sql, values).fetchall()

        return await self._linked().do(select)

    async def _entries(self, sql: str, values: tuple[Any, ...]) -> list[Entry]:
        return [_entry(row) for row in await self._read(sql, values)]

    async def _change(self, run_id: str, sql: str, values: tuple[Any, ...]) -> bool:
        def change(connection: Connection) -> bool:
            changed = bool(connection.execute(sql, values).rowcount)
            connection.execute(_TELL, (run_id,))
            return changed

        return await self._linked().do(change)


_INSERT = """INSERT INTO runs (id, task, settings, status, executor, token, version, created_ms,
                               updated_ms, origin, origin_s, queued, owner, priority, key)
             VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
             ON CONFLICT DO NOTHING"""
_STEP = "INSERT INTO steps (run, child, number, record) VALUES (%s, %s, %s, %s)"


def _earlier(connection: Connection, run_id: str, task: str, turn: Turn, ticket: Ticket) -> str:
    """What stands in the way of a new run: itself, the run of the same key, or another's id."""
    if ticket.key:
        sql = "SELECT id, task FROM runs WHERE owner = %s AND key = %s"
        if row := connection.execute(sql, (ticket.owner, ticket.key)).fetchone():
            if row[1] != task:
                raise other_request(ticket.key, row[0])
            return str(row[0])
    sql = "SELECT FROM runs WHERE id = %s AND token = %s AND token <> ''"
    if connection.execute(sql, (run_id, turn.token)).rowcount:
        return run_id
    raise taken_id(run_id)


def _entry(row: dict[str, Any]) -> Entry:
    status = shown(row["status"], row["alive"], row["queued"])
    failed = json.loads(row["failure"]) if row["failure"] else None
    info = info_of(row, status, json.loads(row["settings"]), failed)
    return Entry(info, row["status"], row["token"], row["version"], row["origin_s"], row["queued"])


def _unknown(run_id: str) -> RunNotFound:
    return RunNotFound(f"no run has the id {run_id}; see: leadline runs list")
