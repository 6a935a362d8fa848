"""The file of one project's memory: its tables, made by numbered migrations, and its connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.errors import StoreBroken
from leadline.store.schema import door

BUSY_S = 30.0
_LOG_BYTES = 8_000_000  # what the write-ahead log may keep on disk between writes

# Each is applied once, in order, in one transaction with its number. A released one never changes.
MIGRATIONS = (
    (
        """CREATE TABLE observations (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            task TEXT NOT NULL,
            asked TEXT NOT NULL,
            type TEXT NOT NULL,
            quality REAL NOT NULL,
            run_id TEXT NOT NULL,
            created TEXT NOT NULL,
            updated TEXT NOT NULL
        )""",
        "CREATE INDEX observations_by_question ON observations (asked)",
        """CREATE TABLE findings (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            observation INTEGER NOT NULL REFERENCES observations (number) ON DELETE CASCADE,
            text TEXT NOT NULL,
            quote TEXT NOT NULL,
            url TEXT NOT NULL,
            title TEXT NOT NULL,
            kind TEXT NOT NULL,
            page TEXT NOT NULL,
            start INTEGER NOT NULL,
            end INTEGER NOT NULL,
            found TEXT NOT NULL,
            published TEXT NOT NULL,
            confirmed TEXT NOT NULL,
            standing TEXT NOT NULL,
            rivals TEXT NOT NULL
        )""",
        "CREATE INDEX findings_by_observation ON findings (observation)",
        # Which runs have been remembered, so that one that is resumed is not remembered twice.
        """CREATE TABLE runs (
            run_id TEXT PRIMARY KEY,
            observation INTEGER REFERENCES observations (number) ON DELETE CASCADE,
            kept TEXT NOT NULL
        )""",
        # The words of each observation, cut as everywhere else in the program.
        "CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = 'unicode61')",
        # In how many observations each word is; FTS5 would read its whole list to tell.
        "CREATE TABLE terms (term TEXT PRIMARY KEY, docs INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
        # The signs of the vectors, `sketch.BLOCK` to a row: a first sieve that is read whole.
        "CREATE TABLE sketches (block INTEGER PRIMARY KEY, bits BLOB NOT NULL)",
        # What another vector store has yet to be told; an observation in here is not yet held.
        """CREATE TABLE outbox (
            place INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL,
            vector BLOB
        )""",
        "CREATE INDEX outbox_by_id ON outbox (id)",
        """CREATE TABLE quarantine (
            id TEXT PRIMARY KEY,
            at TEXT NOT NULL,
            why TEXT NOT NULL,
            observation TEXT NOT NULL
        )""",
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ),
)


def connect(path: Path, *, alone: bool = False) -> sqlite3.Connection:
    """The file, made and migrated if need be. Deleted text is overwritten, not only let go.

    `alone`, it is all there is: then a power cut may cost the last observation, and nobody waits
    for the disk. Another store beside it must never know more than the file.
    """
    with broken_memory(path), door(path):
        db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(f"PRAGMA synchronous={'NORMAL' if alone else 'FULL'}")
            db.execute(f"PRAGMA journal_size_limit={_LOG_BYTES}")
            db.execute("PRAGMA secure_delete=ON")
            db.execute("PRAGMA foreign_keys=ON")
            _migrate(db, path)
        except BaseException:
            db.close()
            raise
    path.chmod(0o600)
    return db


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    done = db.execute("PRAGMA user_version").fetchone()[0]
    if done > len(MIGRATIONS):
        raise StoreBroken(
            f"{path} was written by a later version of Leadline (format {done}, this one knows "
            f"{len(MIGRATIONS)}); upgrade, or move the file away"
        )
    for number, statements in enumerate(MIGRATIONS[done:], done + 1):
        with writing(db):
            for statement in statements:
                db.execute(statement)
            db.execute(f"PRAGMA user_version={number}")


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """A transaction that holds the write lock from its start."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


@contextmanager
def broken_memory(path: Path) -> Iterator[None]:
    """SQLite's and the disk's errors as ours, with the file's name."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreBroken(
            f"the memory {path} cannot be used: {error}; go on without: --no-memory"
        ) from error
    except OSError as error:
        raise StoreBroken(f"the memory {path} cannot be used: {error.strerror}") from error
