"""The SQLite file behind the cache of searches: answers, and who is fetching which right now.

Blocking, and meant for one thread. A row that cannot be read is as good as none; a file that
cannot be read is set aside and begun anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from leadline.errors import StoreBroken
from leadline.frozen import frozen
from leadline.keep.quarantine_file import in_words, is_damage, set_aside
from leadline.store.liveness import FileLiveness
from leadline.types import Hit

FORMAT = 1
KEEP_S = 30 * 86_400.0  # what is older than this, and than its ttl, goes by itself
_BUSY_S = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, provider TEXT NOT NULL, query TEXT NOT NULL, stored REAL NOT NULL,
    hits TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (stored);
CREATE TABLE IF NOT EXISTS flights (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL
);
"""

T = TypeVar("T")


@frozen
class Answer:
    """What a search found, and when."""

    provider: str
    query: str
    stored: float
    hits: tuple[Hit, ...]


@frozen
class CacheStats:
    """What a cache holds. Times are seconds since 1970; 0 when it is empty."""

    entries: int = 0
    expired: int = 0
    bytes: int = 0
    oldest: float = 0.0
    newest: float = 0.0
    providers: tuple[tuple[str, int], ...] = ()


_UNKNOWN = "?"  # before the name of who could not be announced
_LEASES = 10  # a claim that holds for longer was never made


class CacheFile:
    """Opened at first use. Raises `StoreBroken` when the file cannot be read or written."""

    def __init__(
        self, path: Path, *, read_only: bool = False, notice: Callable[[str], None]
    ) -> None:
        self._path, self._read_only, self._notice = path, read_only, notice
        self._living = FileLiveness(path.with_name(f"{path.name}.alive"))
        self._name = ""  # under which this process is known to be alive
        self._connection: sqlite3.Connection | None = None
        self._inode = 0

    # ── answers ─────────────────────────────────────────────────────────────────────────────

    def look(self, key: str) -> Answer | None:
        """The answer under `key`; None when there is none or it cannot be read."""
        if self._read_only and not self._path.exists():
            return None
        return self._safely(lambda db: _answer(db, key))

    def claim(
        self, key: str, owner: str, now: float, until: float, fresh: Callable[[Answer], bool]
    ) -> Answer | bool:
        """A fresh answer; else True when `owner` is to fetch it, False when someone else does."""
        latest = now + _LEASES * (until - now)  # beyond: the clock was set back, or it is damaged

        def do(db: sqlite3.Connection) -> Answer | bool:
            with _writing(db):
                kept = _answer(db, key)
                if kept is not None and fresh(kept):
                    return kept
                row = db.execute("SELECT owner, until FROM flights WHERE key = ?", (key,))
                other, lasts = row.fetchone() or ("", 0.0)
                if now <= lasts <= latest and self._at_work(other):
                    return False
                db.execute("INSERT OR REPLACE INTO flights VALUES (?, ?, ?)", (key, owner, until))
                return True

        return self._safely(do)

    def name(self) -> str:
        """What the owners of this process's claims begin with: who dies is known to be dead at
        once. Where that cannot be written down, a claim of the dead runs out by itself."""
        if not self._name:
            self._name = f"{os.getpid()}-{secrets.token_hex(8)}"
            try:
                self._living.announce(self._name)
            except StoreBroken:
                self._name = f"{_UNKNOWN}{self._name}"
        return self._name

    def _at_work(self, owner: str) -> bool:
        name = str(owner).partition("/")[0]
        if name.startswith(_UNKNOWN) or self._living.alive(name):
            return True
        self._living.bury(name)
        return False

    def renew(self, claims: Iterable[tuple[str, str]], until: float) -> None:
        """Keep claims, each a key and its owner: whoever holds them is still at work."""
        rows = [(until, key, owner) for key, owner in claims]

        def do(db: sqlite3.Connection) -> None:
            with _writing(db):
                db.executemany("UPDATE flights SET until = ? WHERE key = ? AND owner = ?", rows)

        self._safely(do)

    def release(self, key: str, owner: str) -> None:
        """Give up a claim, with or without an answer; a claim that cannot be given up runs out."""
        with suppress(StoreBroken):
            self._safely(
                lambda db: db.execute(
                    "DELETE FROM flights WHERE key = ? AND owner = ?", (key, owner)
                )
            )

    def store(self, key: str, answer: Answer, oldest: float = 0.0) -> None:
        """Keep an answer in place of an earlier one; what was stored before `oldest` goes."""
        hits = json.dumps([asdict(hit) for hit in answer.hits])
        query = answer.query.encode("utf-8", "replace").decode()
        row = (key, answer.provider, query, answer.stored, hits, _digest(key, hits))

        def do(db: sqlite3.Connection) -> None:
            with _writing(db):
                db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
                db.execute("DELETE FROM answers WHERE stored < ?", (oldest,))

        self._safely(do)

    # ── upkeep ──────────────────────────────────────────────────────────────────────────────

    def stats(self, expired_before: float) -> CacheStats:
        def do(db: sqlite3.Connection) -> CacheStats:
            entries, expired, oldest, newest = db.execute(
                "SELECT count(*), coalesce(sum(stored < ?), 0), coalesce(min(stored), 0), "
                "coalesce(max(stored), 0) FROM answers",
                (expired_before,),
            ).fetchone()
            by_provider = db.execute(
                "SELECT provider, count(*) FROM answers GROUP BY provider ORDER BY 2 DESC, 1"
            ).fetchall()
            pages, size = (db.execute(f"PRAGMA {p}").fetchone()[0] for p in _SIZE)
            return CacheStats(entries, expired, pages * size, oldest, newest, tuple(by_provider))

        if not self._path.exists():
            return CacheStats()
        return self._safely(do)

    def drop(self, stored_before: float) -> int:
        """Delete the answers stored before then, give the space back; how many there were."""

        def do(db: sqlite3.Connection) -> int:
            with _writing(db):
                gone = db.execute("DELETE FROM answers WHERE stored < ?", (stored_before,)).rowcount
            if gone:
                with suppress(sqlite3.OperationalError):  # others are reading: later, then
                    db.execute("VACUUM")
            return gone

        return self._safely(do) if self._path.exists() else 0

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def leave(self) -> None:
        """Close for good: what this process has not given up, others may take."""
        self.close()
        self._living.retire(self._name)
        self._name = ""

    # ── the file ────────────────────────────────────────────────────────────────────────────

    def _safely(self, do: Callable[[sqlite3.Connection], T]) -> T:
        for last in (False, True):
            try:
                return do(self._open())
            except sqlite3.DatabaseError as error:
                self.close()  # a transaction that failed to end must not reach into the next
                if last or self._read_only or not is_damage(error):
                    raise self._broken(error) from error
                self._set_aside(str(error))
            except OSError as error:
                raise self._broken(error) from error
        raise AssertionError("unreachable")

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._read() if self._read_only else self._write()
        return self._connection

    def _read(self) -> sqlite3.Connection:
        address = self._path.absolute().as_uri()
        db = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=_BUSY_S, isolation_level=None)
        try:
            db.execute("SELECT 1 FROM answers LIMIT 1")
        except sqlite3.OperationalError:  # a folder that cannot be written has no place for locks
            db.close()
            db = sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None)
        return db

    def _write(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
        try:
            self._inode = self._path.stat().st_ino
            _use_wal(db)
            db.execute("PRAGMA synchronous=NORMAL")
            _make_tables(db)
        except (sqlite3.Error, OSError):
            db.close()
            raise
        return db

    def _set_aside(self, why: str) -> None:
        try:
            if self._path.stat().st_ino != self._inode:
                return  # another process has begun anew already
        except FileNotFoundError:
            return
        aside = set_aside(self._path)
        self._notice(
            f"the search cache {self._path} could not be read ({why}); it is set aside as "
            f"{aside.name} and begun anew"
        )

    def _broken(self, error: OSError | sqlite3.Error) -> StoreBroken:
        return StoreBroken(f"the search cache cannot be used: {in_words(self._path, error)}")


_SIZE = ("page_count", "page_size")


class _writing:  # noqa: N801 - reads as a word where it is used
    """A transaction that holds the write lock from its start."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _use_wal(db: sqlite3.Connection) -> None:
    """Stays with the file. Several first openers at once get in one another's way: try again."""
    give_up = time.monotonic() + _BUSY_S
    while db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)


def _make_tables(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
        return
    with _writing(db):
        if db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            db.execute("DROP TABLE IF EXISTS answers")
            db.execute("DROP TABLE IF EXISTS flights")
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={FORMAT}")


def _answer(db: sqlite3.Connection, key: str) -> Answer | None:
    row = db.execute(
        "SELECT provider, query, stored, hits, digest FROM answers WHERE key = ?", (key,)
    ).fetchone()
    if row is None:
        return None
    provider, query, stored, hits, digest = row
    try:
        if digest != _digest(key, hits):
            return None
        return Answer(provider, query, float(stored), tuple(Hit(**hit) for hit in json.loads(hits)))
    except (TypeError, ValueError, AttributeError):
        return None


def _digest(key: str, hits: str) -> str:
    return hashlib.sha256(f"{key}\n{hits}".encode()).hexdigest()
