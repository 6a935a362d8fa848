"""The queue in PostgreSQL: which run a worker takes next, with one winner for each."""

from __future__ import annotations

import json
from typing import Any

from leadline.queueing import QueueState
from leadline.store.postgres.link import Connection
from leadline.store.postgres.pulse import ALIVE
from leadline.store.runstore import MAX_LIVES, Caps, Turn, worn_out

_LOCK = 0x1EAD_0002  # held while a run is taken under a ceiling, so that two cannot pass it at once
_AT_ONCE = 20  # candidates looked at; of many workers each finds one that the others left

_DUE = f"""
    WITH going AS (
        SELECT r.owner, count(*) AS n FROM runs r JOIN workers w ON w.executor = r.executor
        WHERE r.queued AND r.status = 'running' AND {ALIVE} GROUP BY r.owner
    )
    SELECT r.id, r.status, r.token, r.lives
    FROM runs r
    LEFT JOIN workers w ON w.executor = r.executor
    LEFT JOIN going ON going.owner = r.owner
    WHERE r.queued AND r.status IN ('queued', 'running')
      AND ((r.status = 'queued' AND NOT %(orphans)s) OR (r.status = 'running' AND NOT {ALIVE}))
      AND (r.version = %(version)s OR r.token = '')
      AND (%(per_owner)s = 0 OR coalesce(going.n, 0) < %(per_owner)s)
      AND (%(total)s = 0 OR (SELECT coalesce(sum(n), 0) FROM going) < %(total)s)
    ORDER BY r.status = 'running' DESC, r.priority DESC, r.position
    LIMIT {_AT_ONCE}
"""  # noqa: S608 - no value in it
# As it was seen, or not at all; a row that somebody is at is left to them.
_TAKE = f"""
    UPDATE runs SET status = 'running', executor = %(executor)s, token = %(token)s,
                    version = %(version)s, updated_ms = %(at)s, failure = NULL, lives = lives + 1
    WHERE id = (
        SELECT id FROM runs WHERE id = %(id)s AND status = %(status)s AND token = %(seen)s
        FOR UPDATE SKIP LOCKED)
      AND NOT (status = 'running' AND EXISTS (
          SELECT FROM workers w WHERE w.executor = runs.executor AND {ALIVE}))
"""  # noqa: S608
_WEAR_OUT = """UPDATE runs SET status = 'failed', failure = %s, updated_ms = %s
               WHERE id = %s AND status = 'running' AND token = %s"""
_STATE = f"""
    SELECT count(*) FILTER (WHERE r.status = 'queued' OR NOT {ALIVE}),
           count(*) FILTER (WHERE r.status = 'running' AND {ALIVE}),
           (SELECT count(*) FROM workers w WHERE {ALIVE})
    FROM runs r LEFT JOIN workers w ON w.executor = r.executor
    WHERE r.queued AND r.status IN ('queued', 'running')
"""  # noqa: S608


def take_next(
    connection: Connection, turn: Turn, caps: Caps, at: int, orphans: bool = False
) -> str | None:
    """The id of the run that is due, made ours; None when there is none.

    Done a second time with the same turn, it finds what it took the first time.
    """
    with connection.transaction():
        if caps.total or caps.per_owner:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        sql = "SELECT id FROM runs WHERE status = 'running' AND executor = %s AND token = %s"
        if row := connection.execute(sql, (turn.executor, turn.token)).fetchone():
            return str(row[0])
        ours: dict[str, Any] = {
            "executor": turn.executor,
            "token": turn.token,
            "version": turn.version,
            "at": at,
        }
        ceilings = {
            "version": turn.version,
            "total": caps.total,
            "per_owner": caps.per_owner,
            "orphans": orphans,
        }
        for run_id, status, token, lives in connection.execute(_DUE, ceilings).fetchall():
            if status == "running" and lives >= MAX_LIVES:
                why = json.dumps(worn_out(lives))
                connection.execute(_WEAR_OUT, (why, at, run_id, token))
                continue
            seen = {"id": run_id, "status": status, "seen": token}
            if connection.execute(_TAKE, ours | seen).rowcount:
                return str(run_id)
    return None


def queue_state(connection: Connection) -> QueueState:
    """How full the queue is."""
    row = connection.execute(_STATE).fetchone()
    return QueueState(*row) if row else QueueState(0, 0, 0)
