"""`RunStore` over PostgreSQL: the journal of many machines.

Every write may be done twice, since a server that goes away may have done it without saying so:
the second time finds its own turn and is content.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from psycopg.rows import dict_row

from leadline.errors import RunNotFound
from leadline.ports import Row, RunStatus
from leadline.results import Failure, Place, Record, row_of
from leadline.store.postgres.link import Connection, Link
from leadline.store.postgres.listener import CHANNEL, Listener
from leadline.store.runstore import (
    GENERATION,
    OWN,
    Entry,
    NotOurs,
    Origin,
    Ticket,
    info_of,
    ms,
    next_generation,
    other_request,
    refuse_slash,
    taken_id,
)

SENT_S = 10  # a run that waits for longer was told of, or never will be
_RUNS = """
    SELECT r.id, r.task, r.settings, r.status, r.turn, r.version, r.created_ms, r.updated_ms,
           r.failure, r.origin, r.origin_s, r.owner, r.stop_reason, r.priority,
           (SELECT count(*) FROM steps s WHERE s.run = r.id) AS steps
    FROM runs r
"""
_NEWEST = "ORDER BY r.created_ms DESC, r.position DESC"
# Locks the run's row against whoever would take it over until the step stands.
_WRITE = f"""
    WITH ours AS (
        SELECT id FROM runs WHERE id = %(run)s AND turn = %(turn)s AND status = 'running'
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
    UPDATE runs SET status = 'running', turn = %(turn)s, version = %(version)s, updated_ms = %(at)s
    WHERE id = %(id)s AND status IN ('queued', 'running')
      AND turn < %(turn)s AND turn / {GENERATION} = %(turn)s / {GENERATION}
"""  # noqa: S608
_UNSENT = f"""
    SELECT id FROM runs WHERE status = 'queued' AND sent < turn / {GENERATION}
      AND updated_ms < extract(epoch FROM clock_timestamp()) * 1000 - {SENT_S * 1000}
    ORDER BY priority DESC, position
"""  # noqa: S608
_TELL = f"SELECT pg_notify('{CHANNEL}', %s)"


class PostgresStore:
    """Runs that any number of processes on any number of machines share."""

    wait_s = 2.0  # what changes is told at once; this is for when that got lost

    def __init__(self, url: str) -> None:
        self._url = url
        self._link: Link | None = None
        self._listener: Listener | None = None

    async def open(self) -> None:
        await self._linked().do(lambda connection: connection.execute("SELECT"))

    async def close(self) -> None:
        if self._listener is not None:
            await asyncio.to_thread(self._listener.stop)
            self._listener = None
        if self._link is not None:
            await asyncio.to_thread(self._link.close)
            self._link = None

    def hear(self, tell: Callable[[str], None]) -> None:
        if self._listener is None:
            self._listener = Listener(self._linked(), tell)

    async def hold(self, run_id: str, patience_s: float = 0.0) -> bool:
        """Nothing of one machine says who has a run: that is its turn."""
        return True

    def let_go(self, run_id: str) -> None:
        """As there is nothing to hold."""

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    async def entry(self, run_id: str) -> Entry:
        found = await self._entries(f"{_RUNS} WHERE r.id = %s", (run_id,))
        if not found:
            raise _unknown(run_id)
        return found[0]

    async def status(self, run_id: str) -> RunStatus:
        for row in await self._read("SELECT status FROM runs WHERE id = %s", (run_id,)):
            status: RunStatus = row["status"]
            return status
        raise _unknown(run_id)

    async def entries(self, limit: int, owner: str | None = None) -> list[Entry]:
        if owner is None:
            return await self._entries(f"{_RUNS} {_NEWEST} LIMIT %s", (limit,))
        sql = f"{_RUNS} WHERE r.owner = %s {_NEWEST} LIMIT %s"
        return await self._entries(sql, (owner, limit))

    async def open_entries(self) -> list[Entry]:
        sql = f"{_RUNS} WHERE r.status IN ('queued', 'running') ORDER BY r.position"
        return await self._entries(sql, ())

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

    async def waiting(self, full: Collection[str] = ()) -> list[str]:
        return [row["id"] for row in await self._read(_UNSENT, ())]

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
        refuse_slash(run_id)
        stands = ("queued", GENERATION) if ticket.queued else ("running", GENERATION + 1)
        run = (
            *(run_id, request["task"], json.dumps(request["settings"]), *stands, version),
            *(ms(at), ms(at), origin.run_id, origin.seconds),
            *(ticket.queued, ticket.owner, ticket.priority, ticket.key or None),
        )
        taken = sorted(origin.records.items(), key=lambda one: one[1]["seq"])
        steps = [(run_id, *place, json.dumps(record)) for place, record in taken]

        def insert(connection: Connection) -> str:
            with connection.transaction():
                if not connection.execute(_INSERT, run).rowcount:
                    return _earlier(connection, run_id, request["task"], ms(at), ticket)
                if steps:
                    connection.cursor().executemany(_STEP, steps)
                connection.execute(_TELL, ("" if ticket.queued else run_id,))
            return run_id

        return await self._linked().do(insert)

    async def claim(self, run_id: str, turn: int, version: str, at: datetime) -> bool:
        ours = {"id": run_id, "turn": turn, "version": version, "at": ms(at)}

        def change(connection: Connection) -> bool:
            if connection.execute(_CLAIM, ours).rowcount:
                connection.execute(_TELL, (run_id,))
                return True
            sql = "SELECT FROM runs WHERE id = %s AND turn = %s AND status = 'running'"
            return bool(connection.execute(sql, (run_id, turn)).rowcount)

        return await self._linked().do(change)

    async def sent(self, run_id: str, turn: int) -> None:
        """Who carries runs out has heard of this generation of it."""
        sql = "UPDATE runs SET sent = %s WHERE id = %s"
        values = (turn // GENERATION, run_id)
        await self._linked().do(lambda connection: connection.execute(sql, values))

    async def reopen(self, entry: Entry, at: datetime, queued: bool) -> bool:
        sql = """UPDATE runs SET status = 'queued', turn = %s, queued = queued OR %s,
                                 updated_ms = %s, failure = NULL
                 WHERE id = %s AND turn = %s AND status <> 'finished'"""
        ours = (next_generation(entry.turn), queued, ms(at))
        return await self._change(entry.info.id, sql, (*ours, entry.info.id, entry.turn))

    async def write(self, run_id: str, turn: int, place: Place, record: Record) -> None:
        child, number = place
        text = json.dumps(record)
        values = {"run": run_id, "turn": turn, "child": child, "number": number, "record": text}

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

    async def finish(self, run_id: str, turn: int, result: Any, at: datetime) -> None:
        said = result.get("stop_reason") if isinstance(result, dict) else None
        sql = """UPDATE runs SET status = 'finished', result = %s, stop_reason = %s,
                                 updated_ms = %s
                 WHERE id = %s AND turn = %s AND status = 'running'"""
        await self._change(run_id, sql, (json.dumps(result), said, ms(at), run_id, turn))

    async def fail(self, run_id: str, turn: int, failure: Failure, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'failed', failure = %s, updated_ms = %s
                 WHERE id = %s AND turn = %s AND status = 'running'"""
        await self._change(run_id, sql, (json.dumps(failure), ms(at), run_id, turn))

    async def release(self, run_id: str, turn: int, at: datetime) -> None:
        sql = """UPDATE runs SET status = 'queued', updated_ms = %s
                 WHERE id = %s AND turn = %s AND status = 'running' AND queued"""
        await self._change(run_id, sql, (ms(at), run_id, turn))

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

    async def lost(self, turns: dict[str, int]) -> set[str]:
        sql = "SELECT id, turn FROM runs WHERE status = 'running' AND id = ANY(%s)"
        ours = {row["id"]: row["turn"] for row in await self._read(sql, (list(turns),))}
        return {run_id for run_id, turn in turns.items() if ours.get(run_id) != turn}

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


_INSERT = """INSERT INTO runs (id, task, settings, status, turn, version, created_ms, updated_ms,
                               origin, origin_s, queued, owner, priority, key)
             VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
             ON CONFLICT DO NOTHING"""
_STEP = "INSERT INTO steps (run, child, number, record) VALUES (%s, %s, %s, %s)"


def _earlier(connection: Connection, run_id: str, task: str, at: int, ticket: Ticket) -> str:
    """What stands in the way of a new run: itself, the run of the same key, or another's id."""
    if ticket.key:
        sql = "SELECT id, task FROM runs WHERE owner = %s AND key = %s"
        if row := connection.execute(sql, (ticket.owner, ticket.key)).fetchone():
            if row[1] != task:
                raise other_request(ticket.key, row[0])
            return str(row[0])
    sql = "SELECT FROM runs WHERE id = %s AND task = %s AND created_ms = %s"
    if connection.execute(sql, (run_id, task, at)).rowcount:
        return run_id  # by a server that went away before it could say so
    raise taken_id(run_id)


def _entry(row: dict[str, Any]) -> Entry:
    failed = json.loads(row["failure"]) if row["failure"] else None
    info = info_of(row, row["status"], json.loads(row["settings"]), failed)
    return Entry(info, row["turn"], row["version"], row["origin_s"], row["priority"])


def _unknown(run_id: str) -> RunNotFound:
    return RunNotFound(f"no run has the id {run_id}; see: leadline runs list")
