"""One SQLite file of ours: opened at first use, brought to its newest form, shared by processes.

A damaged file is set aside under another name, never deleted; that is said, and a new one begun.
"""

from __future__ import annotations

import fcntl
import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from threading import RLock
from typing import TypeVar

from leadline.errors import StoreBroken

NOTICES = "leadline.notice"  # what is said here reaches whoever asked, not the log alone
BUSY_S = 10.0  # what another process may take over its write
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
T = TypeVar("T")


class Damaged(StoreBroken):
    """What is stored is not what was written; it can be made anew from what it was made from."""


def notice(text: str) -> None:
    """Tell whoever asked of something that went wrong and was got round."""
    logging.getLogger(NOTICES).warning("%s", text)


@contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """One process at a time, by a lock that the system lets go when its holder dies.

    Calls `waiting` once when somebody else has it.
    """
    try:
        handle = path.open("ab")
    except OSError as error:
        raise StoreBroken(f"{in_words(path, error)}; it cannot be locked") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


class Database:
    """A file of `name`, safe for many threads and processes. Raises `StoreBroken`.

    `tables` is the script that makes a new file; of `upgrades` each brings an older one a format
    further, and one that was released never changes. `pragmas` are set on every connection. What
    is `read_only` is never made, changed or set aside. Where it is not `set_aside`, damage raises
    `Damaged`, and the file stays where it is.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        tables: str,
        upgrades: Sequence[str] = (),
        *,
        pragmas: Sequence[str] = ("synchronous=NORMAL",),
        read_only: bool = False,
        set_aside: bool = True,
    ) -> None:
        self.path, self._name, self._pragmas = path, name, pragmas
        self._tables, self._upgrades, self._read_only = tables, upgrades, read_only
        self._set_aside = set_aside and not read_only
        self._turn = RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0

    def write(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """What `do` gives, in one transaction that holds the write lock from its start."""

        def in_transaction(db: sqlite3.Connection) -> T:
            with _transaction(db):
                return do(db)

        return self.read(in_transaction)

    def read(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """What `do` gives; asked a second time where the file was damaged and is begun anew."""
        with self._turn:
            try:
                return self._attempt(do)
            except Damaged as damaged:
                if not self._set_aside:
                    raise
                self._begin_anew(damaged)
            return self._attempt(do)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _attempt(self, do: Callable[[sqlite3.Connection], T]) -> T:
        try:
            if self._connection is not None and self._is_elsewhere():
                self.close()
            if self._connection is None:
                self._connection = self._reader() if self._read_only else self._writer()
            return do(self._connection)
        except (sqlite3.Error, OSError) as error:
            self.close()  # a transaction that failed to end must not reach into the next
            kind = Damaged if _code(error) in _DAMAGE else StoreBroken
            raise kind(f"{self._name} cannot be used: {in_words(self.path, error)}") from error

    def _is_elsewhere(self) -> bool:
        """Whether the file that is open was deleted, or made anew by another process."""
        try:
            return self.path.stat().st_ino != self._inode
        except FileNotFoundError:
            return True

    def _reader(self) -> sqlite3.Connection:
        self._inode = self.path.stat().st_ino
        db = _connect(self.path, "?mode=ro")
        try:
            db.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        except sqlite3.OperationalError:  # a folder that cannot be written has no place for locks
            db.close()
            db = _connect(self.path, "?immutable=1")
        return db

    def _writer(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = _connect(self.path)
        try:
            self._inode = self.path.stat().st_ino
            _use_wal(db)
            for pragma in self._pragmas:
                db.execute(f"PRAGMA {pragma}")
            self._migrate(db)
        except BaseException:
            db.close()
            raise
        return db

    def _migrate(self, db: sqlite3.Connection) -> None:
        newest = 1 + len(self._upgrades)
        if _version(db) == newest:
            return
        with _transaction(db):
            done = _version(db)  # another process may have been quicker
            if done > newest:
                raise StoreBroken(
                    f"{self.path} was written by a later version of Leadline (format {done}, this "
                    f"one knows {newest}); upgrade, or move the file away"
                )
            for script in self._upgrades[done - 1 :] if done else (self._tables,):
                for statement in script.split(";"):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version={newest}")

    def _begin_anew(self, damaged: Damaged) -> None:
        """Get the file out of the way, unless another process has begun anew."""
        with suppress(FileNotFoundError):
            if self.path.stat().st_ino == self._inode:
                aside = _free_name(self.path)
                self.path.replace(aside)
                for tail in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + tail).unlink(missing_ok=True)
                notice(f"{damaged}; it is set aside as {aside.name} and begun anew")


def _free_name(path: Path) -> Path:
    """Where a broken file goes; one that was set aside before stays."""
    tails = chain([""], (f"-{number}" for number in count(2)))
    names = (path.with_name(f"{path.name}.broken{tail}") for tail in tails)
    return next(name for name in names if not name.exists())


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, with the write lock from the start."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # SQLite itself rolls back when the disk is full
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def in_words(path: Path, error: sqlite3.Error | OSError) -> str:
    """Why a file cannot be used, and what to do where that can be seen."""
    if path.is_dir():
        return f"{path} is a folder, and a file was wanted; move it away"
    lowest = next((one for one in path.parents if one.exists()), path)
    if not lowest.is_dir():
        return f"{lowest} is a file, and a folder was wanted; move it away"
    why = str(error.strerror if isinstance(error, OSError) else error)
    if _code(error) == sqlite3.SQLITE_CANTOPEN:
        why += "; is its folder there, and may it be written?"
    return f"{path}: {why}"


def sealed(data: bytes) -> bytes:
    """`data` with its checksum, for a column whose damage SQLite does not see."""
    return data + zlib.crc32(data).to_bytes(4, "little")


def unsealed(blob: bytes) -> bytes | None:
    """What was sealed; None where it is not that any more."""
    data = blob[:-4]
    return data if sealed(data) == blob else None


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _connect(path: Path, options: str = "") -> sqlite3.Connection:
    address = path.absolute().as_uri() + options
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
    )


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _use_wal(db: sqlite3.Connection) -> None:
    """Stays with the file. Several first openers at once get in one another's way: try again."""
    give_up = time.monotonic() + BUSY_S
    while db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)
