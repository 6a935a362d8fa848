"""The store of an index: one SQLite file with every file, its text, its chunks and their vectors.

What it says counts; the keyword index beside it is made from it, and what is there and not here is
not seen. So a file gets a number first, then its words are indexed under it, then it is written
here. A number is never used twice: until it is certain that no words stand under it, it is `stale`.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from string import whitespace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from leadline.documents.files import Found, Kind, Reason
from leadline.errors import StoreBroken
from leadline.keep.sqlite import Damaged, Database, sealed, unsealed
from leadline.text.windows import Window
from leadline.types import Hit, Page

if TYPE_CHECKING:
    from leadline.documents.vectors import Half, Ints
    from leadline.ports import Matrix

T = TypeVar("T")
_CHUNK_BITS = 20  # a chunk's key is its file's number and its own in the file
_CACHED_CHARS = 4_000_000
_BODY = msgspec.msgpack.Decoder(tuple[str, str, tuple[Window, ...]])
_MARKS = (whitespace + "*_`#~|\\").encode()
_TABLES = """CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, url TEXT NOT NULL, size INTEGER NOT NULL,
    mtime INTEGER NOT NULL, digest BLOB NOT NULL, kind TEXT NOT NULL, why TEXT NOT NULL,
    words BLOB NOT NULL, chunks INTEGER NOT NULL
);
CREATE INDEX files_by_url ON files (url);
CREATE INDEX files_by_words ON files (words);
CREATE TABLE pages (
    file INTEGER PRIMARY KEY, vectors BLOB NOT NULL, page BLOB NOT NULL
);
CREATE TABLE stale (file INTEGER PRIMARY KEY AUTOINCREMENT)"""


class Stamp(NamedTuple):
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
        """The chunk of that number, as a search gives it."""
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
    """The catalogue at `path`, safe for many threads and processes. Raises `Damaged`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = Database(path, "the document index", _TABLES, busy_s=60, set_aside=False)
        self._documents: dict[int, Document] = {}  # read last; numbers are never used twice

    def close(self) -> None:
        self._file.close()
        self._documents = {}

    def create(self, embedder: str) -> None:
        """Makes a new catalogue that says which embedder made its vectors."""
        sql = "INSERT OR REPLACE INTO meta VALUES ('embedder', ?), ('generation', '')"
        self._file.write(lambda db: db.execute(sql, (embedder,)))

    def check_embedder(self, name: str) -> None:
        """Raises `Damaged` when another one made the vectors."""
        found = self._rows("SELECT value FROM meta WHERE name='embedder'")
        if found != [(name,)]:
            was = found[0][0] if found else ""
            raise Damaged(f"the index was made with another embedder ({was or 'none'})")

    def check(self) -> None:
        """Raises `Damaged` when the structure of the file is broken."""
        verdict = self._rows("PRAGMA quick_check(1)")[0][0]
        if verdict != "ok":
            raise Damaged(f"the document index {self._path} is damaged: {verdict}")

    def generation(self) -> str:
        """Which state is published."""
        found = self._rows("SELECT value FROM meta WHERE name='generation'")
        return str(found[0][0]) if found else ""

    def stamps(self) -> dict[bytes, Stamp]:
        """What is known of every file, by its path."""
        found = self._rows("SELECT path, id, size, mtime, digest, why FROM files")
        return {path: Stamp(*rest) for path, *rest in found}

    def counts(self) -> tuple[int, int]:
        """How many files were read, and how many chunks they have."""
        sql = "SELECT count(*), ifnull(sum(chunks), 0) FROM files WHERE kind=''"
        files, chunks = self._rows(sql)[0]
        return int(files), int(chunks)

    def left_out(self) -> tuple[LeftOut, ...]:
        sql = "SELECT url, kind, why FROM files WHERE kind<>'' ORDER BY url"
        return tuple(LeftOut(*row) for row in self._rows(sql))

    # ── writing ─────────────────────────────────────────────────────────────────────────────

    def write(self, do: Callable[[Writing], T]) -> T:
        """What `do` writes is seen at once, when it is done, or never."""

        def write(db: sqlite3.Connection) -> T:
            found = do(Writing(db))
            db.execute("UPDATE meta SET value=? WHERE name='generation'", (os.urandom(8).hex(),))
            return found

        return self._file.write(write)

    def reserve(self, count: int) -> Iterator[int]:
        """New numbers, stale until files are written under them."""

        def reserve(db: sqlite3.Connection) -> list[int]:
            sql = "INSERT INTO stale VALUES (NULL)"
            return [db.execute(sql).lastrowid or 0 for _ in range(count)]

        return iter(self._file.write(reserve))

    def stale(self) -> list[int]:
        """Numbers of no file that the keyword index may still have."""
        return [row[0] for row in self._rows("SELECT file FROM stale")]

    def forget(self, numbers: Sequence[int]) -> None:
        """The keyword index has them no more."""
        rows = [(number,) for number in numbers]
        self._file.write(lambda db: db.executemany("DELETE FROM stale WHERE file=?", rows))

    # ── reading ─────────────────────────────────────────────────────────────────────────────

    def document(self, url: str) -> Document | None:
        """A page by its name."""
        found = self._rows("SELECT id FROM files WHERE url=? AND kind=''", (url,))
        return self._document(found[0][0]) if found else None

    def hits(self, scored: Iterable[tuple[int, float]]) -> dict[int, Hit]:
        """The chunks by key, but for those of no file and those of a twin: a later file with the
        words of an earlier one."""
        split = [(*divmod(key, 1 << _CHUNK_BITS), score) for key, score in scored]
        seen = self._rows(
            "SELECT id FROM files a WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS"
            " (SELECT 1 FROM files b WHERE b.words=a.words AND b.id<a.id)",
            (json.dumps([file for file, _, _ in split]),),
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
            rows = self._rows(
                "SELECT url, page FROM files JOIN pages ON file=id WHERE id=?", (file,)
            )
            data = unsealed(rows[0][1]) if rows else None
            if data is None:
                name = rows[0][0] if rows else f"file {file}"
                raise Damaged(f"the stored text of {name} is damaged")
            title, text, chunks = _BODY.decode(data)
            page = Page(rows[0][0], title, text, kind="document")
            document = Document(page, page.hash, chunks)
            if sum(len(one.page.text) for one in self._documents.values()) > _CACHED_CHARS:
                self._documents = {}
            self._documents[file] = document
        return document

    def vectors(self, dim: int) -> tuple[Ints, Matrix]:
        """The keys of all chunks in rising order, and their vectors."""
        rows = self._rows("SELECT id, chunks, vectors FROM files JOIN pages ON file=id ORDER BY id")
        blobs = [unsealed(blob) for _, _, blob in rows]
        counts = np.array([count for _, count, _ in rows], dtype=np.int64)
        data = b"".join(blob or b"" for blob in blobs)
        if None in blobs or len(data) != 2 * dim * counts.sum():
            raise Damaged("the stored vectors are damaged")
        first = np.array([chunk_key(file, 0) for file, _, _ in rows], dtype=np.int64)
        numbers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        matrix = np.frombuffer(data, dtype=np.float16).reshape(-1, dim)
        return np.repeat(first, counts) + numbers, matrix.astype(np.float32)

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        return self._file.read(lambda db: db.execute(sql, values).fetchall())


class Writing:
    """What is done to the files of a store in one transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(self, number: int, entry: Entry) -> None:
        """Writes a file under a reserved number, which must be new."""
        file, page = entry.file, entry.page
        kind, why = entry.left_out or ("", "")
        stamp = (file.path, file.url, file.size, file.mtime, entry.digest, kind, why)
        row = (number, *stamp, _words(page.text) if page else b"", len(entry.chunks))
        self._db.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._db.execute("DELETE FROM stale WHERE file=?", (number,))
        if page:
            vectors = b"" if entry.vectors is None else entry.vectors.tobytes()
            body = msgspec.msgpack.encode((page.title, page.text, entry.chunks))
            blobs = (number, sealed(vectors), sealed(body))
            self._db.execute("INSERT INTO pages VALUES (?, ?, ?)", blobs)

    def touch(self, stamp: Stamp, size: int, mtime: int) -> None:
        """The file was written anew with the same content."""
        self._db.execute("UPDATE files SET size=?, mtime=? WHERE id=?", (size, mtime, stamp.id))

    def remove(self, numbers: Sequence[int]) -> None:
        """These files are gone, or changed."""
        rows = [(number,) for number in numbers]
        self._db.executemany("DELETE FROM files WHERE id=?", rows)
        self._db.executemany("DELETE FROM pages WHERE file=?", rows)
        self._db.executemany("INSERT INTO stale VALUES (?)", rows)


def _words(text: str) -> bytes:
    """The same for texts that differ in the marks of a markup, spaces and case alone."""
    plain = text.encode().translate(None, _MARKS).lower()
    return blake2b(plain, digest_size=16).digest()
