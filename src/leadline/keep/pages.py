"""Every fetched page, kept under the hash of its text, so that a quote can be checked later.

A file a page, packed, in a folder of two levels; a SQLite file knows where each came from and which
runs cite it. Many processes may read and write at once. A page that a run cites is never dropped.
Where that list is damaged it is begun anew; the pages stay, and are found by hash.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from leadline.errors import StoreBroken
from leadline.keep.sqlite import Database, in_words
from leadline.store.flushing import flush_soon, log_of
from leadline.text.urls import canonical
from leadline.types import Page
from leadline.values import replace

_TABLES = """CREATE TABLE IF NOT EXISTS snapshots(
    hash TEXT PRIMARY KEY, size INTEGER NOT NULL, kept_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS visits(
    url TEXT NOT NULL, hash TEXT NOT NULL, at REAL NOT NULL, final_url TEXT NOT NULL,
    content_type TEXT NOT NULL, page TEXT NOT NULL, PRIMARY KEY(url, hash));
CREATE INDEX IF NOT EXISTS visits_by_hash ON visits(hash);
CREATE TABLE IF NOT EXISTS citations(
    run TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY(run, hash));
CREATE INDEX IF NOT EXISTS citations_by_hash ON citations(hash)"""
# Cites what lies there unlisted: a run did perhaps, before the list was lost and begun anew.
_EARLIER = "before the list"
_LISTED = "SELECT 1 FROM snapshots WHERE hash=?"
GRACE_S = 3600.0  # a page kept this lately may yet be cited by the run that fetched it
SPARE = 0.9  # after an eviction this share of the room is used
log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Snapshot:
    """A kept page, and where it was at last found when it was fetched."""

    page: Page
    final_url: str = ""
    content_type: str = ""


@dataclass(frozen=True)
class SnapshotStats:
    """What is kept."""

    pages: int
    bytes: int
    cited: int


class Snapshots:
    """The kept pages under `folder`, at most `max_bytes` of them unless cited; 0 sets no limit."""

    def __init__(
        self, folder: Path, max_bytes: int = 0, now: Callable[[], float] = time.time
    ) -> None:
        self._folder, self._max_bytes, self._now = folder, max_bytes, now
        self._list = Database(folder / "snapshots.db", "the list of kept pages", _TABLES)
        self._do(lambda db: None)

    def close(self) -> None:
        """Let go of the list; the next use opens it again."""
        self._list.close()

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    def keep(self, page: Page, final_url: str = "", content_type: str = "") -> str:
        """Keep a page and return its hash; a page that is there already only gains an address."""
        key, at, path = page.hash, self._now(), self._path(page.hash)
        visit = (canonical(page.url), key, at, final_url or page.url, content_type, about(page))
        there = self._text(key) is not None

        def enter(db: sqlite3.Connection) -> None:
            if not path.exists():  # dropped by another process between here and below
                self._write(path, page)
            elif there and not db.execute(_LISTED, (key,)).fetchone():
                db.execute("INSERT OR IGNORE INTO citations VALUES(?,?)", (_EARLIER, key))
            row = (key, path.stat().st_size, at)
            db.execute("INSERT OR REPLACE INTO snapshots VALUES(?,?,?)", row)
            db.execute("INSERT OR REPLACE INTO visits VALUES(?,?,?,?,?,?)", visit)
            self._make_room(db)

        try:
            if not there:
                self._write(path, page)
        except OSError as error:
            raise StoreBroken(f"a page cannot be kept: {in_words(path, error)}") from error
        self._do(enter)
        return key

    def cite(self, run_id: str, hashes: Iterable[str]) -> None:
        """From now on these pages stay, whatever the room."""
        cited = [(run_id, one) for one in hashes]
        self._do(lambda db: db.executemany("INSERT OR IGNORE INTO citations VALUES(?,?)", cited))

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    def get(self, key: str) -> Snapshot | None:
        """The page under a hash; None when it was never kept, was dropped or is damaged. Of one
        that was kept before the list was begun anew only the text is known."""
        found = self._found("hash=?", (key,))
        if found is not None or (text := self._text(key)) is None:
            return found
        return Snapshot(Page("", "", text))

    def latest(self, url: str, max_age_s: float) -> Snapshot | None:
        """The newest page of an address that is not older than that."""
        return self._found("url=? AND at>?", (canonical(url), self._now() - max_age_s))

    def stats(self) -> SnapshotStats:
        """How many pages are kept, in how many bytes, and how many of them runs cite."""
        query = """SELECT count(*), total(size),
            count(*) FILTER (WHERE hash IN (SELECT hash FROM citations)) FROM snapshots"""
        pages, size, cited = self._do(lambda db: db.execute(query).fetchone())
        return SnapshotStats(pages, int(size), cited)

    def _found(self, where: str, values: tuple[object, ...]) -> Snapshot | None:
        query = (
            "SELECT hash, final_url, content_type, page FROM visits"  # noqa: S608 - ours
            f" WHERE {where} ORDER BY at DESC LIMIT 1"
        )
        row = self._do(lambda db: db.execute(query, values).fetchone())
        if row is None or (text := self._text(row[0])) is None:
            return None
        return Snapshot(page_from(row[3], text), row[1], row[2])

    def _text(self, key: str) -> str | None:
        """The text of a file, checked against its hash."""
        try:
            text = unpacked(self._path(key).read_bytes())
        except FileNotFoundError:
            return None
        except (zlib.error, UnicodeDecodeError, OSError) as error:
            log.warning("the snapshot %s is damaged: %s", key, error)
            return None
        if Page("", "", text).hash != key:
            log.warning("the snapshot %s is damaged: the text is not what was kept", key)
            return None
        return text

    # ── files ───────────────────────────────────────────────────────────────────────────────

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:4] / f"{key}.z"

    def _write(self, path: Path, page: Page) -> None:
        """Write beside, then put it in its place; what a power cut leaves of it is found out."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(packed(page))
            Path(beside).replace(path)
        except OSError:
            Path(beside).unlink(missing_ok=True)
            raise
        flush_soon(path)

    def _make_room(self, db: sqlite3.Connection) -> None:
        """Drop the pages kept longest ago that no run cites, until there is some room again."""
        used = db.execute("SELECT total(size) FROM snapshots").fetchone()[0]
        if not self._max_bytes or used <= self._max_bytes:
            return
        oldest = db.execute(
            "SELECT hash, size FROM snapshots WHERE kept_at<?"
            " AND hash NOT IN (SELECT hash FROM citations) ORDER BY kept_at",
            (self._now() - GRACE_S,),
        ).fetchall()
        for key, size in oldest:
            if used <= SPARE * self._max_bytes:
                break
            db.execute("DELETE FROM snapshots WHERE hash=?", (key,))
            db.execute("DELETE FROM visits WHERE hash=?", (key,))
            self._path(key).unlink(missing_ok=True)
            used -= size

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` gives, in a transaction, so that two processes cannot cross."""
        given = self._list.write(work)
        flush_soon(log_of(self._list.path))
        return given


def packed(page: Page) -> bytes:
    """The text of a page as it is stored."""
    return zlib.compress(page.text.encode("utf-8", "surrogatepass"), 6)


def unpacked(data: bytes) -> str:
    """The text again. Raises `zlib.error` or `UnicodeDecodeError` where it is damaged."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def about(page: Page) -> str:
    """All of a page but its text, as JSON."""
    return json.dumps(msgspec.to_builtins(replace(page, text="")))


def page_from(about: str, text: str) -> Page:
    """The page again, without what was noted when it was fetched."""
    return replace(msgspec.convert(json.loads(about), Page), text=text, notes=(), injections=())
