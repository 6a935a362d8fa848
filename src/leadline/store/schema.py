"""Makes the tables of `runs.db`, all or nothing, whoever comes first."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.errors import StoreBroken

BUSY_S = 30.0

# A run's row says which `turn` at it is the last (`runstore.py`) and what came of it; for a fork,
# which run it comes from (`origin`) and how many of its seconds were that one's; for one of the
# queue (`queued`), whose it is, how urgent, and its key.
_RUNS = """CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY,
        task TEXT NOT NULL,
        settings TEXT NOT NULL,
        status TEXT NOT NULL
            CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
        turn INTEGER NOT NULL DEFAULT 1000,
        version TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        result TEXT,
        failure TEXT,
        origin TEXT NOT NULL DEFAULT '',
        origin_s REAL NOT NULL DEFAULT 0,
        queued INTEGER NOT NULL DEFAULT 0,
        owner TEXT NOT NULL DEFAULT '',
        priority INTEGER NOT NULL DEFAULT 0,
        key TEXT
    )"""
# A step's row is written once and never changed; rows are read in the order of writing. A child's
# steps have the run's id with the child's name behind a slash.
_TABLES = (
    _RUNS,
    "CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created_ms)",
    "CREATE UNIQUE INDEX IF NOT EXISTS runs_by_key ON runs (owner, key)",
    """CREATE INDEX IF NOT EXISTS runs_at_work ON runs (status)
        WHERE status IN ('queued', 'running')""",
    """CREATE TABLE IF NOT EXISTS steps (
        position INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        number INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (run, number)
    )""",
    # What people tell a run while it goes on, and what it asks them.
    """CREATE TABLE IF NOT EXISTS words (
        run TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (run, name)
    ) WITHOUT ROWID""",
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
        connection.row_factory = sqlite3.Row
        try:
            # Stays with the file: readers and the one writer do not wait for each other.
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")  # `Writer` says for what it is more
            connection.execute("BEGIN IMMEDIATE")
            _widen(connection)
            for table in _TABLES:
                connection.execute(table)
            connection.execute("COMMIT")
        except sqlite3.DatabaseError:
            connection.close()
            raise
    return connection


def _widen(connection: sqlite3.Connection) -> None:
    """A file of an earlier version: the same rows in the table of today."""
    columns = [row["name"] for row in connection.execute("PRAGMA table_info(runs)")]
    if not columns or "turn" in columns:
        return
    for index in ("runs_by_time", "runs_by_key", "runs_open"):
        connection.execute(f"DROP INDEX IF EXISTS {index}")
    connection.execute("ALTER TABLE runs RENAME TO runs_before")
    connection.execute(_RUNS)
    today = {row["name"] for row in connection.execute("PRAGMA table_info(runs)")}
    both = ", ".join(name for name in columns if name in today)
    connection.execute(
        f"INSERT INTO runs ({both}) SELECT {both} FROM runs_before ORDER BY rowid"  # noqa: S608
    )
    connection.execute(
        "UPDATE runs SET turn = turn + 1 WHERE EXISTS (SELECT 1 FROM steps WHERE run = runs.id)"
    )
    connection.execute("DROP TABLE runs_before")


@contextmanager
def broken_store(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a bad file or disk into `StoreBroken`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise store_broken(path, str(error)) from error


def store_broken(path: Path, why: str) -> StoreBroken:
    """The error for a store that cannot be used, with what to do about it."""
    if "malformed" in why or "not a database" in why:
        return StoreBroken(
            f"{path} is damaged ({why}); move it away and Leadline starts a new one "
            f"(the runs in it are lost to it)"
        )
    return StoreBroken(f"cannot use {path} ({why}); free or unlock the disk and try again")
