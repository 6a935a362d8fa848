"""Makes the tables of `runs.db`, all or nothing, whoever comes first."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.errors import StoreBroken
from leadline.store.logbook import broken_store

BUSY_S = 30.0

# A run's row says who runs it (`executor`, a process; `token`, its turn at it) and what came of it;
# for a fork, which run it comes from (`origin`) and how many of its seconds were that one's.
# A step's row is written once and never changed; rows are read in the order of writing. A child's
# steps have the run's id with the child's name behind a slash.
_TABLES = (
    """CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY,
        task TEXT NOT NULL,
        settings TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'cancelled')),
        executor TEXT NOT NULL,
        token TEXT NOT NULL,
        version TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        result TEXT,
        failure TEXT,
        origin TEXT NOT NULL DEFAULT '',
        origin_s REAL NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created_ms)",
    """CREATE TABLE IF NOT EXISTS steps (
        position INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        number INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (run, number)
    )""",
)


@contextmanager
def door(path: Path) -> Iterator[None]:
    """One process at a time: the first ones at a new file would disturb each other."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("wb")
    except OSError as error:
        raise StoreBroken(f"cannot write to {path.parent}: {error.strerror}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def connect(path: Path) -> sqlite3.Connection:
    """The store, made if need be. Every statement is a transaction unless one is begun."""
    with broken_store(path):
        connection = sqlite3.connect(
            path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            # Stays with the file: readers and the one writer do not wait for each other.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                connection.execute(table)
            connection.execute("COMMIT")
        except sqlite3.DatabaseError:
            connection.close()
            raise
    return connection
