"""Every fetched page, kept under the hash of its text, so that a quote can be checked later.

A file a page, packed, in a folder of two levels; a SQLite file knows where each came from and which
runs cite it. Many processes may read and write at once. A page that a run cites is never dropped.
Where that file is damaged it is set aside and begun anew; the pages stay, and are found by hash.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar

from leadline.errors import StoreBroken
from leadline.frozen import frozen
from leadline.keep.quarantine_file import in_words, is_damage, notice, set_aside
from leadline.store.flushing import flush_soon, log_of
from leadline.text.urls import canonical
from leadline.types import Page

_SCHEMA = """
CREATE TABLE IF NOT EXISTS snapshots(
    hash TEXT PRIMARY KEY, size INTEGER NOT NULL, kept_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS visits(
    url TEXT NOT NULL, hash TEXT NOT NULL, at REAL NOT NULL, final_url TEXT NOT NULL,
    content_type TEXT NOT NULL, page TEXT NOT NULL, PRIMARY KEY(url, hash));
CREATE INDEX IF NOT EXISTS visits_by_hash ON visits(hash);
CREATE TABLE IF NOT EXISTS citations(
    run TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY(run, hash));
CREATE INDEX IF NOT EXISTS citations_by_hash ON citations(hash);
"""
_WAIT_S = 30.0
# Cites what lies there unlisted: a run did perhaps, before the list was lost and begun anew.
_EARLIER = "before the list"
GRACE_S = 3600.0  # a page kept this lately may yet be cited by the run that fetched it
_SPARE = 0.9  # after an eviction this share of the room is used
log = logging.getLogger(__name__)
T = TypeVar("T")


@frozen
class Snapshot:
    """A kept page, and where it was at last found when it was fetched."""

    page: Page
    final_url: str = ""
    content_type: str = ""


@frozen
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
        self._file = folder / "snapshots.db"
        self._holding: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._broken(error) from error
        self._mended(self._begin)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the file open: else each operation is the last to close it, and has to fold its
        log into it, which takes as long again."""
        self._mended(self._hold)
        try:
            yield
        finally:
            self._let_go()

    def _hold(self) -> None:
        # Closed by whichever thread finds the file damaged.
        self._holding = sqlite3.connect(self._file, timeout=_WAIT_S, check_same_thread=False)
        self._holding.execute("SELECT 1 FROM snapshots LIMIT 1").fetchone()

    def _let_go(self) -> None:
        if self._holding is not None:
            self._holding.close()
            self._holding = None

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    def keep(self, page: Page, final_url: str = "", content_type: str = "") -> str:
        """Keep a page and return its hash; a page that is there already only gains an address."""
        key, at = page.hash, self._now()
        path = self._path(key)
        about = json.dumps(asdict(replace(page, text="")))

        def enter(table: sqlite3.Connection) -> None:
            if not path.exists():  # dropped by another process between here and below
                self._write(path, page)
            elif there and not self._listed(table, key):
                table.execute("INSERT OR IGNORE INTO citations VALUES(?,?)", (_EARLIER, key))
            table.execute(
                "INSERT INTO snapshots VALUES(?,?,?) ON CONFLICT(hash) DO UPDATE SET"
                " kept_at=excluded.kept_at, size=excluded.size",
                (key, path.stat().st_size, at),
            )
            table.execute(
                "INSERT OR REPLACE INTO visits VALUES(?,?,?,?,?,?)",
                (canonical(page.url), key, at, final_url or page.url, content_type, about),
            )
            self._make_room(table)

        try:
            there = self._text(key) is not None
            if not there:
                self._write(path, page)
            self._do(enter)
        except OSError as error:
            raise StoreBroken(f"a snapshot cannot be kept in {self._folder}: {error}") from error
        return key

    def _listed(self, table: sqlite3.Connection, key: str) -> bool:
        return bool(table.execute("SELECT 1 FROM snapshots WHERE hash=?", (key,)).fetchone())

    def cite(self, run_id: str, hashes: Iterable[str]) -> None:
        """From now on these pages stay, whatever the room."""
        cited = [(run_id, one) for one in hashes]
        self._do(
            lambda table: table.executemany("INSERT OR IGNORE INTO citations VALUES(?,?)", cited)
        )

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    def get(self, key: str) -> Snapshot | None:
        """The page under a hash; None when it was never kept, was dropped or is damaged. Of one
        that was kept before the list was begun anew only the text is known."""
        found = self._found("SELECT * FROM visits WHERE hash=? ORDER BY at DESC LIMIT 1", (key,))
        if found is not None or (text := self._text(key)) is None:
            return found
        return Snapshot(Page("", "", text))

    def latest(self, url: str, max_age_s: float) -> Snapshot | None:
        """The newest page of an address that is not older than that."""
        since = self._now() - max_age_s
        return self._found(
            "SELECT * FROM visits WHERE url=? AND at>? ORDER BY at DESC LIMIT 1",
            (canonical(url), since),
        )

    def stats(self) -> SnapshotStats:
        """How many pages are kept, in how many bytes, and how many of them runs cite."""

        def count(table: sqlite3.Connection) -> SnapshotStats:
            pages, size = table.execute("SELECT COUNT(*), TOTAL(size) FROM snapshots").fetchone()
            cited = table.execute(
                "SELECT COUNT(*) FROM snapshots WHERE hash IN (SELECT hash FROM citations)"
            ).fetchone()[0]
            return SnapshotStats(pages, int(size), cited)

        return self._do(count)

    def _found(self, query: str, values: tuple[object, ...]) -> Snapshot | None:
        row = self._do(lambda table: table.execute(query, values).fetchone())
        if row is None:
            return None
        _, key, _, final_url, content_type, about = row
        text = self._text(key)
        if text is None:
            return None
        return Snapshot(
            Page(**json.loads(about) | {"text": text, "notes": (), "injections": ()}),
            final_url,
            content_type,
        )

    def _text(self, key: str) -> str | None:
        """The text of a file, checked against its hash."""
        path = self._path(key)
        try:
            text = zlib.decompress(path.read_bytes()).decode("utf-8", "surrogatepass")
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

    def _write(self, path: Path, page: Page) -> int:
        """Write beside, then put it in its place; what a power cut leaves of it is found out."""
        data = zlib.compress(page.text.encode("utf-8", "surrogatepass"), 6)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(beside).replace(path)
        except OSError:
            Path(beside).unlink(missing_ok=True)
            raise
        flush_soon(path)
        return len(data)

    def _make_room(self, table: sqlite3.Connection) -> None:
        """Drop the pages kept longest ago that no run cites, until there is some room again."""
        used = table.execute("SELECT TOTAL(size) FROM snapshots").fetchone()[0]
        if not self._max_bytes or used <= self._max_bytes:
            return
        oldest = table.execute(
            "SELECT hash, size FROM snapshots WHERE kept_at<?"
            " AND hash NOT IN (SELECT hash FROM citations) ORDER BY kept_at",
            (self._now() - GRACE_S,),
        ).fetchall()
        for key, size in oldest:
            if used <= _SPARE * self._max_bytes:
                break
            table.execute("DELETE FROM snapshots WHERE hash=?", (key,))
            table.execute("DELETE FROM visits WHERE hash=?", (key,))
            self._path(key).unlink(missing_ok=True)
            used -= size

    # ── the list of them ────────────────────────────────────────────────────────────────────

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` gives, in a transaction that takes its lock at once, so that two processes
        cannot cross."""

        def at_once() -> T:
            with closing(self._connect()) as table:
                table.execute("BEGIN IMMEDIATE")
                try:
                    found = work(table)
                    table.execute("COMMIT")
                    flush_soon(log_of(self._file))
                    return found
                finally:
                    if table.in_transaction:
                        table.execute("ROLLBACK")

        return self._mended(at_once)

    def _mended(self, do: Callable[[], T]) -> T:
        """What `do` gives, a second time where the file was damaged and is begun anew. What SQLite
        says of a full disk or a folder in its place is `StoreBroken`, like all our stores."""
        was = self._inode()
        try:
            return do()
        except sqlite3.Error as error:
            try:
                if not self._begun_anew(error, was):
                    raise self._broken(error) from error
                return do()
            except (OSError, sqlite3.Error) as again:
                raise self._broken(again) from again

    def _begun_anew(self, error: sqlite3.Error, was: int) -> bool:
        lost = "no such table" in str(error)  # deleted, or another process is about to make them
        if not is_damage(error) and not lost:
            return False
        self._let_go()  # what is closed later would take the log of the new file along
        if is_damage(error) and self._inode() == was:  # else another process was quicker
            aside = set_aside(self._file)
            notice(
                f"the list of kept pages {self._file} could not be read ({error}); it is set aside "
                f"as {aside.name} and begun anew, the pages stay"
            )
        self._begin()
        return True

    def _begin(self) -> None:
        with closing(self._connect()) as table:
            table.executescript(f"PRAGMA journal_mode=WAL; BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")

    def _inode(self) -> int:
        with suppress(OSError):
            return self._file.stat().st_ino
        return 0

    def _broken(self, error: OSError | sqlite3.Error) -> StoreBroken:
        return StoreBroken(f"the pages cannot be kept: {in_words(self._file, error)}")

    def _connect(self) -> sqlite3.Connection:
        table = sqlite3.connect(self._file, timeout=_WAIT_S, isolation_level=None)
        table.execute("PRAGMA synchronous=NORMAL")
        return table
