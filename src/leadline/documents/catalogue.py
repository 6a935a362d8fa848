"""The catalogue: one SQLite file that knows every file, its text, its chunks and their vectors.

Its transaction is the commit of the whole index: the keyword index it names belongs to it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.documents.damage import Damaged
from leadline.errors import StoreBroken
from leadline.frozen import frozen
from leadline.text.windows import Window
from leadline.types import Page

if TYPE_CHECKING:
    from leadline.ports import Matrix

    Half = np.ndarray[Any, np.dtype[np.float16]]

FORMAT = "2"
_CHUNK_BITS = 20  # a chunk's key is its file's id and its number in the file

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, url TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, mtime INTEGER NOT NULL, digest BLOB NOT NULL,
    title TEXT NOT NULL DEFAULT '', hash TEXT NOT NULL DEFAULT '', lost TEXT NOT NULL DEFAULT ''
);
CREATE TABLE pages (file INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE chunks (
    file INTEGER NOT NULL, number INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL,
    first_byte INTEGER NOT NULL, bytes INTEGER NOT NULL, crc INTEGER NOT NULL,
    section TEXT NOT NULL, PRIMARY KEY (file, number)
) WITHOUT ROWID;
CREATE TABLE vectors (file INTEGER PRIMARY KEY, data BLOB NOT NULL, crc INTEGER NOT NULL);
"""


@frozen
class Stamp:
    """What is known of a file without opening it, and the digest of what it held."""

    id: int
    size: int
    mtime: int
    digest: bytes
    url: str
    lost: str


class Entry(NamedTuple):
    """A file as it goes into the catalogue; `lost` says why it could not be read."""

    path: bytes
    url: str
    size: int
    mtime: int
    digest: bytes
    page: Page | None = None
    chunks: tuple[Window, ...] = ()
    lost: str = ""


@frozen
class Chunk:
    """A chunk as a search shows it."""

    key: int
    url: str
    title: str
    page: str
    number: int
    start: int
    stop: int
    section: str
    text: str


def chunk_key(file: int, number: int) -> int:
    return (file << _CHUNK_BITS) | number


_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


@contextmanager
def translated(what: Path | str) -> Iterator[None]:
    """Turns what SQLite says about a file into `Damaged`, or `StoreBroken` for a disk's fault."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind = Damaged if code in _DAMAGE else StoreBroken
        raise kind(f"the document index {what} cannot be used: {error}") from error


class Catalogue:
    """Reads are safe from many threads; writes happen inside `transaction`."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.RLock()
        with translated(path or "in memory"):
            self._db = sqlite3.connect(
                os.fspath(path) if path else ":memory:",
                timeout=60,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._db.execute("PRAGMA synchronous=NORMAL")
                if path and self._db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    self._db.execute("PRAGMA journal_mode=WAL")
            except sqlite3.Error:
                self._db.close()
                raise

    def close(self) -> None:
        self._db.close()

    # ── meta ────────────────────────────────────────────────────────────────────────────────

    def create(self, meta: dict[str, str]) -> None:
        """Lays out an empty catalogue, unless there is one."""
        with self.transaction():
            if self._db.execute("SELECT 1 FROM sqlite_master WHERE name='meta'").fetchone():
                return
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            for name, value in meta.items():
                self.set_meta(name, value)

    def meta(self) -> dict[str, str]:
        with self._lock, translated(self._path or "in memory"):
            return dict(self._db.execute("SELECT name, value FROM meta").fetchall())

    def generation(self) -> str:
        """Which state is published; empty before the first."""
        with self._lock, translated(self._path or "in memory"):
            row = self._db.execute("SELECT value FROM meta WHERE name='generation'").fetchone()
        return row[0] if row else ""

    def set_meta(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def check(self) -> None:
        """Raises `StoreBroken` when the structure of the file is damaged."""
        with self._lock, translated(self._path or "in memory"):
            verdict = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise Damaged(f"the document index {self._path} is damaged: {verdict}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock, translated(self._path or "in memory"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    def add(self, entry: Entry) -> int:
        """Writes a file and its chunks, without vectors, and returns its new id."""
        page = entry.page
        cursor = self._db.execute(
            "INSERT INTO files (path, url, size, mtime, digest, title, hash, lost)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.path,
                entry.url,
                entry.size,
                entry.mtime,
                entry.digest,
                page.title if page else "",
                page.hash if page else "",
                entry.lost,
            ),
        )
        file = cursor.lastrowid or 0
        if page:
            self._db.execute("INSERT INTO pages VALUES (?, ?)", (file, page.text.encode()))
            self._db.executemany(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                _chunk_rows(file, page.text, entry.chunks),
            )
        return file

    def add_vectors(self, file: int, vectors: Half) -> None:
        data = vectors.tobytes()
        self._db.execute(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", (file, data, zlib.crc32(data))
        )

    def touch(self, file: int, size: int, mtime: int) -> None:
        """The file was written anew with the same content."""
        self._db.execute("UPDATE files SET size=?, mtime=? WHERE id=?", (size, mtime, file))

    def remove(self, file: int) -> None:
        for statement in (
            "DELETE FROM files WHERE id=?",
            "DELETE FROM pages WHERE file=?",
            "DELETE FROM chunks WHERE file=?",
            "DELETE FROM vectors WHERE file=?",
        ):
            self._db.execute(statement, (file,))

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    def stamps(self) -> dict[bytes, Stamp]:
        with self._lock, translated(self._path or "in memory"):
            rows = self._db.execute(
                "SELECT path, id, size, mtime, digest, url, lost FROM files"
            ).fetchall()
        return {row[0]: Stamp(*row[1:]) for row in rows}

    def counts(self) -> tuple[int, int]:
        """How many files were read, and how many chunks they have."""
        with self._lock, translated(self._path or "in memory"):
            files = self._db.execute("SELECT count(*) FROM files WHERE lost=''").fetchone()[0]
            chunks = self._db.execute("SELECT count(*) FROM chunks").fetchone()[0]
        return int(files), int(chunks)

    def lost(self) -> list[tuple[str, str]]:
        with self._lock, translated(self._path or "in memory"):
            return self._db.execute(
                "SELECT url, lost FROM files WHERE lost<>'' ORDER BY url"
            ).fetchall()

    def page(self, url: str) -> Page | None:
        with self._lock, translated(self._path or "in memory"):
            row = self._db.execute(
                "SELECT title, hash, text FROM files JOIN pages ON file=id WHERE url=?", (url,)
            ).fetchone()
        if row is None:
            return None
        page = Page(url, row[0], _decoded(row[2], url), kind="document")
        if page.hash != row[1]:
            raise Damaged(f"the stored text of {url} is damaged")
        return page

    def span(self, url: str, number: int) -> tuple[int, int] | None:
        """The offsets of a chunk in its page."""
        with self._lock, translated(self._path or "in memory"):
            row = self._db.execute(
                "SELECT start, stop FROM chunks JOIN files ON file=id WHERE url=? AND number=?",
                (url, number),
            ).fetchone()
        return tuple(row) if row else None

    def chunks(self, keys: Sequence[int]) -> dict[int, Chunk]:
        """The chunks that are still there, by key."""
        if not keys:
            return {}
        marks = ",".join(["(?,?)"] * len(keys))
        pairs = [part for key in keys for part in divmod(key, 1 << _CHUNK_BITS)]
        with self._lock, translated(self._path or "in memory"):
            # A join, since SQLite looks row values up in no index when they are in a list.
            rows = self._db.execute(
                f"WITH wanted(f, n) AS (VALUES {marks})"  # noqa: S608 - question marks only
                " SELECT file, number, url, title, hash, start, stop, section, first_byte, bytes,"
                " crc FROM wanted CROSS JOIN chunks ON file=f AND number=n JOIN files ON id=f",
                pairs,
            ).fetchall()
            return {chunk_key(row[0], row[1]): self._chunk(row) for row in rows}

    def _chunk(self, row: tuple[Any, ...]) -> Chunk:
        file, number, url, title, page, start, stop, section, first, count, crc = row
        text = self._piece(file, first, count, crc, url)
        return Chunk(chunk_key(file, number), url, title, page, number, start, stop, section, text)

    def _piece(self, file: int, first: int, count: int, crc: int, url: str) -> str:
        with self._db.blobopen("pages", "text", file, readonly=True) as blob:
            blob.seek(first)
            data = blob.read(count)
        if zlib.crc32(data) != crc:
            raise Damaged(f"the stored text of {url} is damaged")
        return _decoded(data, url)

    def vectors(self, dim: int) -> tuple[np.ndarray, Matrix]:
        """The keys of all chunks in rising order, and their vectors."""
        with self._lock, translated(self._path or "in memory"):
            rows = self._db.execute("SELECT file, data, crc FROM vectors ORDER BY file").fetchall()
        keys, parts = [], []
        for file, data, crc in rows:
            if zlib.crc32(data) != crc or len(data) % (2 * dim):
                raise Damaged("the stored vectors are damaged")
            count = len(data) // (2 * dim)
            keys.append(np.arange(count, dtype=np.int64) + chunk_key(file, 0))
            parts.append(data)
        matrix = np.frombuffer(b"".join(parts), dtype=np.float16).reshape(-1, dim)
        every = np.concatenate(keys) if keys else np.zeros(0, dtype=np.int64)
        return every, matrix.astype(np.float32)


def _chunk_rows(file: int, text: str, chunks: Iterable[Window]) -> Iterator[tuple[object, ...]]:
    """Rows of the chunks table; byte offsets follow character offsets in one pass."""
    ascii_only = text.isascii()
    chars = at = 0
    for number, chunk in enumerate(chunks):
        data = text[chunk.start : chunk.end].encode()
        if ascii_only:
            at = chunk.start
        elif chunk.start >= chars:
            at += len(text[chars : chunk.start].encode())
        else:
            at -= len(text[chunk.start : chars].encode())
        chars = chunk.start
        yield (
            file,
            number,
            chunk.start,
            chunk.end,
            at,
            len(data),
            zlib.crc32(data),
            chunk.section,
        )


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Damaged(f"the stored text of {what} is damaged") from error
