"""Makes the tables in PostgreSQL, in a schema of their own, all or nothing, whoever comes first."""

from __future__ import annotations

from typing import Any

import psycopg

SCHEMA = "leadline"
_LOCK = 0x1EAD_0001  # held while tables are made

# As in SQLite (`store/schema.py`), and which generation of a run Temporal was told of (`sent`).
_TABLES = (
    """CREATE TABLE IF NOT EXISTS runs (
        position BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
        id TEXT PRIMARY KEY,
        task TEXT NOT NULL,
        settings TEXT NOT NULL,
        status TEXT NOT NULL
            CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
        turn BIGINT NOT NULL DEFAULT 1000,
        sent BIGINT NOT NULL DEFAULT 0,
        version TEXT NOT NULL,
        created_ms BIGINT NOT NULL,
        updated_ms BIGINT NOT NULL,
        result TEXT,
        stop_reason TEXT,
        failure TEXT,
        origin TEXT NOT NULL DEFAULT '',
        origin_s DOUBLE PRECISION NOT NULL DEFAULT 0,
        queued BOOLEAN NOT NULL DEFAULT false,
        owner TEXT NOT NULL DEFAULT '',
        priority INTEGER NOT NULL DEFAULT 0,
        key TEXT,
        UNIQUE (owner, key)
    )""",
    "CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created_ms, position)",
    "CREATE INDEX IF NOT EXISTS runs_by_owner ON runs (owner, created_ms)",
    """CREATE INDEX IF NOT EXISTS runs_at_work ON runs (status)
        WHERE status IN ('queued', 'running')""",
    "CREATE INDEX IF NOT EXISTS runs_unfinished ON runs (position) WHERE status <> 'finished'",
    """CREATE TABLE IF NOT EXISTS steps (
        position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run TEXT NOT NULL,
        child TEXT NOT NULL,
        number INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (run, child, number)
    )""",
    "CREATE INDEX IF NOT EXISTS steps_in_order ON steps (run, position)",
    # What people tell a run while it goes on, and what it asks them.
    """CREATE TABLE IF NOT EXISTS words (
        run TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (run, name)
    )""",
    # What models answered (`models/kept.py`).
    """CREATE TABLE IF NOT EXISTS calls (
        position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run TEXT NOT NULL,
        asked TEXT,
        role TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_tokens BIGINT NOT NULL,
        completion_tokens BIGINT NOT NULL,
        cost DOUBLE PRECISION NOT NULL,
        seconds DOUBLE PRECISION NOT NULL,
        error TEXT NOT NULL,
        letters DOUBLE PRECISION NOT NULL,
        answer TEXT,
        cut BOOLEAN NOT NULL,
        called TEXT NOT NULL DEFAULT '[]',
        kept_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (run, asked)
    )""",
    """CREATE TABLE IF NOT EXISTS sizes (
        run TEXT NOT NULL,
        role TEXT NOT NULL,
        "window" INTEGER NOT NULL,
        chars_per_token DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (run, role)
    )""",
    # Pages that were fetched (`keep/pages.py`).
    """CREATE TABLE IF NOT EXISTS snapshots (
        hash TEXT PRIMARY KEY,
        packed BYTEA NOT NULL,
        kept_at DOUBLE PRECISION NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS visits (
        url TEXT NOT NULL,
        hash TEXT NOT NULL,
        at DOUBLE PRECISION NOT NULL,
        final_url TEXT NOT NULL,
        content_type TEXT NOT NULL,
        page TEXT NOT NULL,
        PRIMARY KEY (url, hash)
    )""",
    "CREATE INDEX IF NOT EXISTS visits_by_hash ON visits (hash)",
    """CREATE TABLE IF NOT EXISTS citations (
        run TEXT NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (run, hash)
    )""",
    "CREATE INDEX IF NOT EXISTS citations_by_hash ON citations (hash)",
)

# A database of before Temporal: nobody is at its runs any more, and those that went on wait again.
_WIDEN = """
    ALTER TABLE runs ADD COLUMN turn BIGINT NOT NULL DEFAULT 1000,
                     ADD COLUMN sent BIGINT NOT NULL DEFAULT 0,
                     DROP COLUMN executor, DROP COLUMN token, DROP COLUMN lives;
    UPDATE runs SET turn = turn + 1 WHERE EXISTS (SELECT FROM steps WHERE run = runs.id);
    UPDATE runs SET status = 'queued', queued = true WHERE status = 'running';
    DROP TABLE workers
"""


def make_tables(connection: psycopg.Connection[Any]) -> None:
    """The tables, where they are not there yet."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        found = connection.execute("SELECT to_regnamespace(%s) IS NOT NULL", (SCHEMA,)).fetchone()
        if not (found and found[0]):
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
        if _columns(connection) and "turn" not in _columns(connection):
            connection.execute(_WIDEN)
        for table in _TABLES:
            connection.execute(table)


def _columns(connection: psycopg.Connection[Any]) -> set[str]:
    sql = """SELECT column_name FROM information_schema.columns
             WHERE table_schema = %s AND table_name = 'runs'"""
    return {name for (name,) in connection.execute(sql, (SCHEMA,))}
