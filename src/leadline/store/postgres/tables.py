"""Makes the tables in PostgreSQL, in a schema of their own, all or nothing, whoever comes first."""

from __future__ import annotations

from typing import Any

import psycopg

SCHEMA = "leadline"
_LOCK = 0x1EAD_0001  # held while tables are made

# As in SQLite (`store/schema.py`), with who is alive in a table, since no file lock spans machines:
# a worker is dead when it has not beaten for `lease_s` by the database's own clock.
_TABLES = (
    """CREATE TABLE IF NOT EXISTS workers (
        executor TEXT PRIMARY KEY,
        beat_at TIMESTAMPTZ NOT NULL,
        lease_s DOUBLE PRECISION NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS runs (
        position BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
        id TEXT PRIMARY KEY,
        task TEXT NOT NULL,
        settings TEXT NOT NULL,
        status TEXT NOT NULL
            CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
        executor TEXT NOT NULL,
        token TEXT NOT NULL,
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
        lives INTEGER NOT NULL DEFAULT 0,
        UNIQUE (owner, key)
    )""",
    "CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created_ms, position)",
    "CREATE INDEX IF NOT EXISTS runs_by_owner ON runs (owner, created_ms)",
    """CREATE INDEX IF NOT EXISTS runs_open ON runs (priority DESC, position)
        WHERE status IN ('queued', 'running') AND queued""",
    "CREATE INDEX IF NOT EXISTS runs_by_executor ON runs (executor) WHERE status = 'running'",
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


def make_tables(connection: psycopg.Connection[Any]) -> None:
    """The tables, where they are not there yet."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        found = connection.execute("SELECT to_regnamespace(%s) IS NOT NULL", (SCHEMA,)).fetchone()
        if not (found and found[0]):
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
        for table in _TABLES:
            connection.execute(table)
