"""Who may ask the service, and whose run is whose: `service.db`, keys as hashes only.

A key is `ll_ID_SECRET`; the secret is random and long, so one SHA-256 of it is enough at rest.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from leadline.errors import BadInput
from leadline.store.schema import broken_store

T = TypeVar("T")

FILE_NAME = "service.db"
DAY_MS = 86_400_000
_SHAPE = re.compile(r"ll_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
_OWNER = re.compile(r"[A-Za-z0-9._@-]{1,64}")
_NOBODY = hashlib.sha256(b"nobody").hexdigest()
_TABLES = (
    """CREATE TABLE IF NOT EXISTS keys (
        id TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        owner TEXT NOT NULL,
        runs_per_day INTEGER NOT NULL,
        concurrency INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        revoked_ms INTEGER
    )""",
    """CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        idempotency TEXT,
        UNIQUE (owner, idempotency)
    )""",
    "CREATE INDEX IF NOT EXISTS runs_of_owner ON runs (owner, created_ms)",
)


@dataclass(frozen=True)
class Key:
    """A key as it is listed: never the secret. Quotas of 0 set no limit."""

    id: str
    owner: str
    runs_per_day: int = 0
    concurrency: int = 0
    created_ms: int = 0
    revoked_ms: int | None = None


class Keyring:
    """The keys and the owners of runs in one data folder; safe for many processes."""

    def __init__(self, data_dir: Path, now_ms: Callable[[], int] | None = None) -> None:
        self._path = data_dir / FILE_NAME
        self._now = now_ms or (lambda: int(time.time() * 1000))
        self._turn = threading.Lock()
        self._open: sqlite3.Connection | None = None

    # ── keys ────────────────────────────────────────────────────────────────────────────────

    def create(self, owner: str, runs_per_day: int = 0, concurrency: int = 0) -> tuple[str, Key]:
        """A new key, told this once, and what is kept of it."""
        if not _OWNER.fullmatch(owner):
            raise BadInput(
                f"an owner has 1 to 64 letters, digits or any of ._@- in its name; got {owner!r}"
            )
        key = Key(secrets.token_hex(4), owner, runs_per_day, concurrency, self._now())
        secret = secrets.token_urlsafe(32)
        values = (key.id, _hashed(secret), owner, runs_per_day, concurrency, key.created_ms)
        sql = """INSERT INTO keys (id, hash, owner, runs_per_day, concurrency, created_ms)
                 VALUES (?, ?, ?, ?, ?, ?)"""
        self._do(lambda db: db.execute(sql, values))
        return f"ll_{key.id}_{secret}", key

    def keys(self) -> list[Key]:
        """All keys ever made, the newest first."""
        sql = "SELECT * FROM keys ORDER BY created_ms DESC, rowid DESC"
        return [_key(row) for row in self._do(lambda db: db.execute(sql).fetchall())]

    def any_valid(self) -> bool:
        """Whether somebody could ask at all."""
        return any(key.revoked_ms is None for key in self.keys())

    def revoke(self, key_id: str) -> Key:
        """From now on the key opens nothing. `BadInput` where there is none of that id."""
        sql = "UPDATE keys SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL"
        self._do(lambda db: db.execute(sql, (self._now(), key_id)))
        for key in self.keys():
            if key.id == key_id:
                return key
        raise BadInput(f"no key has the id {key_id!r}; see: leadline keys list")

    def check(self, given: str) -> Key | None:
        """The key if it is one of ours and not revoked. Takes as long for a wrong one."""
        shape = _SHAPE.fullmatch(given)
        key_id, secret = (shape[1], shape[2]) if shape else ("", given)
        sql = "SELECT * FROM keys WHERE id = ?"
        row = self._do(lambda db: db.execute(sql, (key_id,)).fetchone())
        same = hmac.compare_digest(_hashed(secret), row["hash"] if row else _NOBODY)
        return _key(row) if row and same and row["revoked_ms"] is None else None

    # ── whose run ───────────────────────────────────────────────────────────────────────────

    def own(self, run_id: str, owner: str, idempotency: str = "") -> None:
        """Write down whose run it is; "" is the local user's."""
        sql = "INSERT OR IGNORE INTO runs (id, owner, created_ms, idempotency) VALUES (?, ?, ?, ?)"
        values = (run_id, owner, self._now(), idempotency or None)
        self._do(lambda db: db.execute(sql, values))

    def owner(self, run_id: str) -> str | None:
        """Whose run it is; None where no service started it."""
        sql = "SELECT owner FROM runs WHERE id = ?"
        row = self._do(lambda db: db.execute(sql, (run_id,)).fetchone())
        return row["owner"] if row else None

    def runs(self, owner: str | None = None, limit: int = -1) -> list[str]:
        """The runs that a service started, or those of one owner, the newest first."""
        sql = """SELECT id FROM runs WHERE ?1 IS NULL OR owner = ?1
                 ORDER BY created_ms DESC, rowid DESC LIMIT ?2"""
        found = self._do(lambda db: db.execute(sql, (owner, limit)).fetchall())
        return [row["id"] for row in found]

    def repeated(self, owner: str, idempotency: str) -> str:
        """The run that this owner started under this idempotency key, or ""."""
        sql = "SELECT id FROM runs WHERE owner = ? AND idempotency = ?"
        row = self._do(lambda db: db.execute(sql, (owner, idempotency)).fetchone())
        return row["id"] if row else ""

    def started_today(self, owner: str) -> tuple[int, float]:
        """Runs of the last 24 hours, and the seconds until the first of them is older."""
        sql = """SELECT count(*) AS n, min(created_ms) AS first FROM runs
                 WHERE owner = ? AND created_ms > ?"""
        now = self._now()
        row = self._do(lambda db: db.execute(sql, (owner, now - DAY_MS)).fetchone())
        return row["n"], max(0.0, ((row["first"] or now) + DAY_MS - now) / 1000)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with broken_store(self._path), self._turn:
            connection = self._connection()
            with connection:
                return work(connection)

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            connection = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode=WAL")
            for table in _TABLES:
                connection.execute(table)
            connection.commit()
            self._open = connection
        return self._open


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _key(row: sqlite3.Row) -> Key:
    names = ("id", "owner", "runs_per_day", "concurrency", "created_ms", "revoked_ms")
    return Key(**{name: row[name] for name in names})
