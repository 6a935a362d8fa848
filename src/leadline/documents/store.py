"""The store of an index: one SQLite file with every file, its text, its chunks and their vectors.

What it says counts; the keyword index beside it is made from it. A file is written as NEW, becomes
LIVE for all at once when the keyword index has it, and is GONE until the keyword index has not.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from string import whitespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.documents.files import Found, Kind, Reason
from leadline.errors import StoreBroken
from leadline.text.windows import Window
from leadline.types import Hit, Page

if TYPE_CHECKING:
    from leadline.documents.vectors import Half, Ints
    from leadline.ports import Matrix

FORMAT = "3"
NEW, LIVE, GONE = 0, 1, 2
_CHUNK_BITS = 20  # a chunk's key is its file's id and its number in the file
_CACHED_CHARS = 4_000_000
_MARKS = (whitespace + "*_`#~|\\").encode()
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, path BLOB NOT NULL,
    url TEXT NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL, digest BLOB NOT NULL,
    kind TEXT NOT NULL, why TEXT NOT NULL, title TEXT NOT NULL, words BLOB NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE UNIQUE INDEX files_by_path ON files (path) WHERE state = 1;
CREATE INDEX files_by_url ON files (url);
CREATE INDEX files_by_words ON files (words) WHERE state = 1;
CREATE TABLE pages (
    file INTEGER PRIMARY KEY, vectors BLOB NOT NULL, vectors_crc INTEGER NOT NULL,
    text BLOB NOT NULL, windows BLOB NOT NULL, crc INTEGER NOT NULL
)
"""


class Damaged(StoreBroken):
    """What is stored is not what was written, or was written by another version: a rebuild
    mends it."""


@dataclass(frozen=True)
class Stamp:
    """What is known of a file without opening it, and the digest of what it held."""

    id: int
    size: int
    mtime: int
    digest: bytes
    why: str


class Entry(NamedTuple):
    """A file as it goes into the store, with its page or the reason why there is none."""

    file: Found
    digest: bytes = b""
    page: Page | None = None
    chunks: tuple[Window, ...] = ()
    vectors: Half | None = None
    left_out: Reason | None = None


@dataclass(frozen=True)
class Document:
    """A page of the index, its content hash and its chunks."""

    page: Page
    hash: str
    chunks: tuple[Window, ...]

    def hit(self, number: int, score: float) -> Hit:
        chunk, url = self.chunks[number], self.page.url
        return Hit(
            url=url,
            title=self.page.title,
            text=self.page.text[chunk.start : chunk.end],
            provider="documents",
            kind="document",
            score=round(score, 6),
            ref=f"{url}#{number}",
            section=chunk.section,
            page=self.hash,
            start=chunk.start,
            end=chunk.end,
        )


@dataclass(frozen=True)
class LeftOut:
    """A file that was not taken in, and why."""

    what: str
    kind: Kind
    why: str


def chunk_key(file: int, number: int) -> int:
    return (file << _CHUNK_BITS) | number


_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


@contextmanager
def translated(what: Path) -> Iterator[None]:
    """Turns what SQLite says about a file into `Damaged`, or `StoreBroken` for a disk's fault."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind = Damaged if code in _DAMAGE else StoreBroken
        raise kind(f"the document index {what} cannot be used: {error}") from error


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """One writer at a time, by a lock that the system lets go when its holder dies.

    Calls `waiting` once when somebody else has it.
    """
    try:
        handle = path.open("ab")
    except OSError as error:
        why = f"the index folder cannot be written: {path}: {error.strerror}"
        raise StoreBroken(why) from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


class Store:
    """Reads are safe from many threads; writes happen inside `transaction`."""

    def __init__(self, path: Path) -> None:
        self._where = path
        self._lock = threading.RLock()
        self._documents: dict[int, Document] = {}  # read last; ids are never used twice
        with translated(path):
            self._db = sqlite3.connect(
                path, timeout=60, isolation_level=None, check_same_thread=False
            )
            try:
                self._db.execute("PRAGMA synchronous=NORMAL")
                if self._db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    self._db.execute("PRAGMA journal_mode=WAL")
            except sqlite3.Error:
                self._db.close()
                raise

    def close(self) -> None:
        self._db.close()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock, translated(self._where):
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock, translated(self._where):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._db.in_transaction:  # SQLite itself rolls back when the disk is full
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # ── state ───────────────────────────────────────────────────────────────────────────────

    def create(self, identity: dict[str, str]) -> None:
        """Lays out an empty store, unless there is one."""
        with self.transaction():
            if self._db.execute("SELECT 1 FROM sqlite_master WHERE name='meta'").fetchone():
                return
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.executemany("INSERT INTO meta VALUES (?, ?)", identity.items())

    def check_identity(self, identity: dict[str, str]) -> None:
        """Raises `Damaged` when the file is of another kind."""
        meta = dict(self.rows("SELECT name, value FROM meta"))
        for name, value in identity.items():
            if meta.get(name) != value:
                was = meta.get(name) or "none"
                raise Damaged(f"the index was made with another {name} ({was})")

    def check(self) -> None:
        """Raises `Damaged` when the structure of the file is broken."""
        verdict = self.rows("PRAGMA quick_check(1)")[0][0]
        if verdict != "ok":
            raise Damaged(f"the document index {self._where} is damaged: {verdict}")

    def generation(self) -> str:
        """Which state is published; empty before the first."""
        found = self.rows("SELECT value FROM meta WHERE name='generation'")
        return str(found[0][0]) if found else ""

    def stamps(self) -> dict[bytes, Stamp]:
        found = self.rows("SELECT path, id, size, mtime, digest, why FROM files WHERE state=1")
        return {path: Stamp(*rest) for path, *rest in found}

    def counts(self) -> tuple[int, int]:
        """How many files were read, and how many chunks they have."""
        sql = "SELECT count(*), ifnull(sum(chunks), 0) FROM files WHERE state=1 AND kind=''"
        files, chunks = self.rows(sql)[0]
        return int(files), int(chunks)

    def left_out(self) -> tuple[LeftOut, ...]:
        sql = "SELECT url, kind, why FROM files WHERE state=1 AND kind<>'' ORDER BY url"
        return tuple(LeftOut(*row) for row in self.rows(sql))

    # ── writing, inside a transaction ───────────────────────────────────────────────────────

    def add(self, entry: Entry) -> int:
        """Writes a file, not yet to be seen, and returns its new id."""
        file, page = entry.file, entry.page
        kind, why = entry.left_out or ("", "")
        title, words = (page.title, _words(page.text)) if page else ("", b"")
        stamp = (file.path, file.url, file.size, file.mtime, entry.digest)
        cursor = self._db.execute(
            f"INSERT INTO files VALUES (NULL, {NEW}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (*stamp, kind, why, title, words, len(entry.chunks)),
        )
        number = cursor.lastrowid or 0
        if page:
            vectors = b"" if entry.vectors is None else entry.vectors.tobytes()
            text, windows = page.text.encode(), json.dumps(entry.chunks).encode()
            row = (vectors, zlib.crc32(vectors), text, windows, zlib.crc32(text + windows))
            self._db.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)", (number, *row))
        return number

    def touch(self, stamp: Stamp, size: int, mtime: int) -> None:
        """The file was written anew with the same content."""
        self._db.execute("UPDATE files SET size=?, mtime=? WHERE id=?", (size, mtime, stamp.id))

    def publish(self) -> None:
        """What is new is seen from now on, in place of what had the same path."""
        self._db.execute(
            "UPDATE files SET state=2 WHERE state=1"
            " AND path IN (SELECT path FROM files WHERE state=0)"
        )
        self._db.execute("UPDATE files SET state=1 WHERE state=0")
        self._next_generation()

    def retire(self, ids: Iterable[int]) -> None:
        """These files are not seen any more, nor what an update that was killed left behind."""
        self._db.execute("UPDATE files SET state=2 WHERE state=0")
        self._db.executemany("UPDATE files SET state=2 WHERE id=?", ((one,) for one in ids))
        self._next_generation()

    def unwanted(self) -> list[int]:
        """Files that nobody sees and the keyword index may still have."""
        return [row[0] for row in self.rows("SELECT id FROM files WHERE state<>1")]

    def forget(self, ids: Sequence[int]) -> None:
        """Removes files that the keyword index has not any more."""
        self._db.executemany("DELETE FROM pages WHERE file=?", ((one,) for one in ids))
        self._db.executemany("DELETE FROM files WHERE id=?", ((one,) for one in ids))
        self._next_generation()

    def _next_generation(self) -> None:
        number = int(self.generation() or 0) + 1
        self._db.execute("INSERT OR REPLACE INTO meta VALUES ('generation', ?)", (str(number),))

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    def document(self, url: str) -> Document | None:
        """A page that is seen, by its name."""
        found = self.rows("SELECT id FROM files WHERE url=? AND state=1 AND kind=''", (url,))
        return self._document(found[0][0]) if found else None

    def hits(self, scored: Iterable[tuple[int, float]]) -> dict[int, Hit]:
        """The chunks by key, but for those that are gone and those of a twin: a later file with
        the words of an earlier one."""
        split = [(*divmod(key, 1 << _CHUNK_BITS), score) for key, score in scored]
        ids = {file for file, _, _ in split}
        seen = self.rows(
            f"SELECT id FROM files a WHERE id IN ({','.join('?' * len(ids))}) AND state=1"  # noqa: S608
            " AND NOT EXISTS"
            " (SELECT 1 FROM files b WHERE b.state=1 AND b.words=a.words AND b.id<a.id)",
            tuple(ids),
        )
        documents = {file: self._document(file) for (file,) in seen}
        return {
            chunk_key(file, number): documents[file].hit(number, score)
            for file, number, score in split
            if file in documents
        }

    def _document(self, file: int) -> Document:
        """Raises `Damaged` where it is not what was written."""
        document = self._documents.get(file)
        if document is None:
            sql = (
                "SELECT url, title, text, windows, crc FROM files JOIN pages ON file=id WHERE id=?"
            )
            found = self.rows(sql, (file,))
            if not found or zlib.crc32(found[0][2] + found[0][3]) != found[0][4]:
                name = found[0][0] if found else f"file {file}"
                raise Damaged(f"the stored text of {name} is damaged")
            url, title, text, windows, _ = found[0]
            page = Page(url, title, text.decode(), kind="document")
            chunks = tuple(Window(*one) for one in json.loads(windows))
            document = Document(page, page.hash, chunks)
            if sum(len(one.page.text) for one in self._documents.values()) > _CACHED_CHARS:
                self._documents = {}
            self._documents[file] = document
        return document

    def vectors(self, dim: int) -> tuple[Ints, Matrix]:
        """The keys of all chunks in rising order, and their vectors."""
        rows = self.rows(
            "SELECT file, vectors, vectors_crc FROM pages JOIN files ON id=file WHERE state=1"
            " ORDER BY file"
        )
        if any(zlib.crc32(data) != crc or len(data) % (2 * dim) for _, data, crc in rows):
            raise Damaged("the stored vectors are damaged")
        files = np.array([chunk_key(row[0], 0) for row in rows], dtype=np.int64)
        counts = np.array([len(row[1]) // (2 * dim) for row in rows], dtype=np.int64)
        numbers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float16)
        return np.repeat(files, counts) + numbers, matrix.reshape(-1, dim).astype(np.float32)


def _words(text: str) -> bytes:
    """The same for texts that differ in the marks of a markup, spaces and case alone."""
    plain = text.encode().translate(None, _MARKS).lower()
    return blake2b(plain, digest_size=16).digest()
