"""The cache of searches: answers kept for a day, and one search for all who ask the same at once.

Tasks of this process wait for one another; other processes wait at a lock, which ends with whoever
holds it. A cache that cannot be used is said so and gone round: it never loses a search.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import sqlite3
import time
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

import msgspec

from leadline.errors import SourceLost, StoreBroken
from leadline.keep.sqlite import Database, notice
from leadline.types import Hit

DAY_S = 86_400.0
EMPTY_TTL_S = 900.0  # "nothing found" may be a server's way of saying "not now"
KEEP_S = 30 * DAY_S  # what is older than this, and than its ttl, goes by itself
_SKEW_S = 300.0  # how far another machine's clock may be ahead
_WAIT_S = 60.0  # a search of another process that takes longer is made here as well
_POLL_S, _LONGEST_POLL_S = 0.02, 0.4
_TABLES = """CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, provider TEXT NOT NULL, query TEXT NOT NULL, stored REAL NOT NULL,
    hits TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (stored)"""

T = TypeVar("T")
Hits = tuple[Hit, ...]
Make = Callable[[], Awaitable[Hits]]


def normal(query: str) -> str:
    """`query` as it is compared: one form of each character, no case, single spaces."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", query).casefold())
    return " ".join(text.split())


def key_of(provider: str, query: str, params: Mapping[str, str | int]) -> str:
    """SHA-256 over provider, normalised query and parameters."""
    parts = [provider, normal(query), sorted((name, str(value)) for name, value in params.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class CacheStats:
    """What a cache holds. Times are seconds since 1970; 0 when it is empty."""

    entries: int = 0
    expired: int = 0
    bytes: int = 0
    oldest: float = 0.0
    newest: float = 0.0
    providers: tuple[tuple[str, int], ...] = ()


class SearchCache:
    """`ports.Cache` over a file. `ttl_s` 0 turns it off.

    `refresh` trusts only what was stored since this cache was opened. `frozen` reads, whatever the
    age, and raises `SourceLost` for what is not there: nothing is ever asked of the network.
    """

    def __init__(
        self,
        path: Path,
        *,
        ttl_s: float = DAY_S,
        refresh: bool = False,
        frozen: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._db = Database(path, "the search cache", _TABLES, read_only=frozen)
        self._locks = path.with_name(f"{path.name}.locks")
        self._ttl_s, self._refresh, self._frozen = ttl_s, refresh, frozen
        self._now, self._opened = now, now()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._warned = False

    async def once(
        self, provider: str, query: str, params: Mapping[str, str | int], make: Make
    ) -> tuple[Hits, bool]:
        """The hits and whether they were here already, or on their way. See `ports.Cache`."""
        if self._ttl_s <= 0 and not self._frozen:
            return await make(), False
        key = key_of(provider, query, params)
        hits = await self._look(key)
        if hits is not None:
            return hits, True
        if self._frozen:
            raise SourceLost(f"{provider}: {query!r} is not in the frozen cache")
        async with self._turns.setdefault(key, asyncio.Lock()), self._alone(key):
            hits = await self._look(key)  # somebody may have stored it while we waited
            if hits is not None:
                return hits, True
            hits = await make()
            await self._do(lambda: self._store(key, provider, query, hits))
            return hits, False

    # ── one search for many ─────────────────────────────────────────────────────────────────

    @asynccontextmanager
    async def _alone(self, key: str) -> AsyncIterator[None]:
        """No other process searches for this meanwhile; the system ends the lock of who dies. Where
        that takes too long, or there is no place for locks, the search is made all the same."""
        handle = -1
        with suppress(OSError):
            self._locks.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._locks / key[:2], os.O_CREAT | os.O_RDWR, 0o600)
        pause, give_up = _POLL_S, time.monotonic() + _WAIT_S
        try:
            while handle >= 0 and not _locks(handle) and time.monotonic() < give_up:
                await asyncio.sleep(pause)
                pause = min(_LONGEST_POLL_S, pause * 1.5)
            yield
        finally:
            if handle >= 0:
                os.close(handle)

    # ── the file ────────────────────────────────────────────────────────────────────────────

    async def _look(self, key: str) -> Hits | None:
        """The answer under `key`, where it is there, whole and fresh."""
        if not self._db.path.exists():
            return None
        found = await self._do(lambda: self._db.read(lambda db: _answer(db, key)))
        return found[1] if found is not None and self._is_fresh(*found) else None

    def _store(self, key: str, provider: str, query: str, hits: Hits) -> None:
        text = json.dumps(msgspec.to_builtins(hits))
        now, query = self._now(), query.encode("utf-8", "replace").decode()
        row = (key, provider, query, now, text, _digest(key, text))

        def put(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
            db.execute("DELETE FROM answers WHERE stored < ?", (now - max(self._ttl_s, KEEP_S),))

        self._db.write(put)

    def _is_fresh(self, stored: float, hits: Hits) -> bool:
        if self._frozen:
            return True
        now = self._now()
        ttl = self._ttl_s if hits else min(self._ttl_s, EMPTY_TTL_S)
        since = max(now - ttl, self._opened if self._refresh else 0.0)
        return since <= stored <= now + _SKEW_S

    async def _do(self, call: Callable[[], T]) -> T | None:
        """In a thread, as the loop never waits for a disk; None where the cache cannot be used."""
        try:
            return await asyncio.to_thread(call)
        except StoreBroken as broken:
            if not self._warned:
                self._warned = True
                notice(f"{broken}; searching without it")
            return None

    # ── upkeep ──────────────────────────────────────────────────────────────────────────────

    async def stats(self) -> CacheStats:
        """What the file holds. Raises `StoreBroken`, like all upkeep."""
        expired_before = self._now() - self._ttl_s

        def count(db: sqlite3.Connection) -> CacheStats:
            row = db.execute(
                "SELECT count(*), coalesce(sum(stored < ?), 0), coalesce(min(stored), 0), "
                "coalesce(max(stored), 0) FROM answers",
                (expired_before,),
            ).fetchone()
            by_provider = db.execute(
                "SELECT provider, count(*) FROM answers GROUP BY provider ORDER BY 2 DESC, 1"
            ).fetchall()
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            size = db.execute("PRAGMA page_size").fetchone()[0]
            return CacheStats(row[0], row[1], pages * size, row[2], row[3], tuple(by_provider))

        if not self._db.path.exists():
            return CacheStats()
        return await asyncio.to_thread(self._db.read, count)

    async def prune(self, older_than_s: float | None = None) -> int:
        """Delete what is older, by default than the ttl; how many went."""
        age = self._ttl_s if older_than_s is None else older_than_s
        return await self._drop(self._now() - age)

    async def clear(self) -> int:
        """Delete every answer; how many went."""
        return await self._drop(float("inf"))

    async def _drop(self, stored_before: float) -> int:
        def drop(db: sqlite3.Connection) -> int:
            gone = db.execute("DELETE FROM answers WHERE stored < ?", (stored_before,)).rowcount
            if gone:
                with suppress(sqlite3.OperationalError):  # others are reading: later, then
                    db.execute("VACUUM")
            return gone

        return await asyncio.to_thread(self._db.read, drop) if self._db.path.exists() else 0

    async def close(self) -> None:
        """Let go of the file."""
        await asyncio.to_thread(self._db.close)


def _locks(handle: int) -> bool:
    """Whether the file, which stands for many searches, is ours alone from now on."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _answer(db: sqlite3.Connection, key: str) -> tuple[float, Hits] | None:
    """When an answer was stored, and its hits; a row that is not what was written is as good as
    none."""
    row = db.execute("SELECT stored, hits, digest FROM answers WHERE key = ?", (key,)).fetchone()
    if row is None or row[2] != _digest(key, str(row[1])):
        return None
    try:
        return float(row[0]), msgspec.convert(json.loads(row[1]), Hits)
    except (ValueError, TypeError, msgspec.ValidationError):
        return None


def _digest(key: str, hits: str) -> str:
    return hashlib.sha256(f"{key}\n{hits}".encode()).hexdigest()
