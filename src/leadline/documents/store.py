"""The store of an index: one SQLite file with every file, its text, its chunks and their vectors.

What it says counts; the keyword index beside it is made from it, and what is there and not here is
not seen. So a file's words are indexed under its number first, and committed before it is here;
they are removed only after it is gone from here.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from leadline.documents.files import File, Kind
from leadline.documents.ingest import Entry
from leadline.keep.sqlite import Damaged, Database, sealed, unsealed
from leadline.text.windows import Window
from leadline.types import Hit, Page

if TYPE_CHECKING:
    from leadline.documents.search import Ints, Ranking
    from leadline.ports import Matrix

_CHUNK_BITS = 20  # a chunk's key is its file's number and its own in the file
_CHUNKS = (1 << _CHUNK_BITS) - 1
_BODY = msgspec.msgpack.Decoder(tuple[str, str, tuple[Window, ...]])
_TABLES = """CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
    mtime INTEGER NOT NULL, digest BLOB NOT NULL, kind TEXT NOT NULL, why TEXT NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE INDEX files_by_digest ON files (digest);
CREATE TABLE pages (file INTEGER PRIMARY KEY, vectors BLOB NOT NULL, page BLOB NOT NULL)"""


class Stamp(NamedTuple):
    """What is known of a file without opening it, and the digest of what it held."""

    number: int
    digest: bytes
    size: int
    mtime: int
    why: str

    def is_of(self, file: File) -> bool:
        """Whether the file is as it was."""
        if file.left_out:
            return file.left_out.why == self.why
        return (file.size, file.mtime) == (self.size, self.mtime)


@dataclass(frozen=True)
class LeftOut:
    """A file that was not taken in, and why."""

    what: str
    kind: Kind
    why: str


class Document:
    """A page of the index and its chunks."""

    def __init__(self, url: str, blob: bytes) -> None:
        data = unsealed(blob)
        if data is None:
            raise Damaged(f"the stored text of {url} is damaged")
        title, text, self.chunks = _BODY.decode(data)
        self.page = Page(url, title, text, kind="document")
        self._hash = self.page.hash

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
            page=self._hash,
            start=chunk.start,
            end=chunk.end,
        )


def chunk_key(file: int, number: int) -> int:
    return (file << _CHUNK_BITS) | number


def file_of(key: int) -> int:
    """The number of the file that a chunk is of."""
    return key >> _CHUNK_BITS


class Store:
    """The catalogue at `path`, safe for many threads and processes. Raises `Damaged`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = Database(path, "the document index", _TABLES, set_aside=False)
        self.close = self._file.close

    def create(self, embedder: str) -> None:
        """Makes a new catalogue that says which embedder made its vectors."""
        sql = "INSERT OR REPLACE INTO meta VALUES ('embedder', ?), ('generation', '')"
        self._file.write(lambda db: db.execute(sql, (embedder,)))

    def check_embedder(self, name: str) -> None:
        """Raises `Damaged` when another one made the vectors."""
        made = self._meta("embedder")
        if made != name:
            raise Damaged(f"the index was made with another embedder ({made or 'none'})")

    def check(self) -> None:
        """Raises `Damaged` when the structure of the file is broken."""
        verdict = self._rows("PRAGMA quick_check(1)")[0][0]
        if verdict != "ok":
            raise Damaged(f"the document index {self._path} is damaged: {verdict}")

    def generation(self) -> str:
        """Which state is published."""
        return self._meta("generation")

    def stamps(self) -> dict[str, Stamp]:
        """What is known of every file, by its name."""
        rows = self._rows("SELECT url, id, digest, size, mtime, why FROM files")
        return {url: Stamp(*rest) for url, *rest in rows}

    def counts(self) -> tuple[int, int]:
        """How many files were read, and how many chunks they have."""
        sql = "SELECT count(*), ifnull(sum(chunks), 0) FROM files WHERE kind=''"
        files, chunks = self._rows(sql)[0]
        return int(files), int(chunks)

    def left_out(self) -> tuple[LeftOut, ...]:
        sql = "SELECT url, kind, why FROM files WHERE kind<>'' ORDER BY url"
        return tuple(LeftOut(*row) for row in self._rows(sql))

    def publish(self, do: Callable[[sqlite3.Connection], None]) -> None:
        """What `do` writes is seen at once, when it is done, or never."""

        def write(db: sqlite3.Connection) -> None:
            do(db)
            db.execute("UPDATE meta SET value=? WHERE name='generation'", (os.urandom(8).hex(),))

        self._file.write(write)

    def document(self, url: str) -> Document | None:
        """A page by its name."""
        sql = "SELECT page FROM files JOIN pages ON file=id WHERE url=?"
        return next((Document(url, row[0]) for row in self._rows(sql, (url,))), None)

    def hits(self, ranked: Ranking) -> list[Hit]:
        """The chunks in their order, but for those of no file, and of a later copy of a file."""
        rows = self._rows(
            "SELECT id, url, page FROM files a JOIN pages ON file=id WHERE id IN"
            " (SELECT value FROM json_each(?)) AND NOT EXISTS"
            " (SELECT 1 FROM files b WHERE b.digest=a.digest AND b.kind='' AND b.id<a.id)",
            (json.dumps([file_of(key) for key, _ in ranked]),),
        )
        documents = {number: Document(url, page) for number, url, page in rows}
        return [
            documents[file_of(key)].hit(key & _CHUNKS, score)
            for key, score in ranked
            if file_of(key) in documents
        ]

    def vectors(self, dim: int) -> tuple[Ints, Matrix]:
        """The keys of all chunks in rising order, and their vectors."""
        rows = self._rows("SELECT id, chunks, vectors FROM files JOIN pages ON file=id ORDER BY id")
        blobs = [unsealed(blob) for _, _, blob in rows]
        keys = [chunk_key(file, number) for file, count, _ in rows for number in range(count)]
        data = b"".join(blob or b"" for blob in blobs)
        if None in blobs or len(data) != 2 * dim * len(keys):
            raise Damaged("the stored vectors are damaged")
        matrix = np.frombuffer(data, dtype=np.float16).reshape(len(keys), dim)
        return np.array(keys, dtype=np.int64), matrix.astype(np.float32)

    def _meta(self, name: str) -> str:
        rows = self._rows("SELECT value FROM meta WHERE name=?", (name,))
        return str(rows[0][0]) if rows else ""

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        return self._file.read(lambda db: db.execute(sql, values).fetchall())


def put(db: sqlite3.Connection, entry: Entry) -> int:
    """Writes a file that is not there, and gives the number it has from now on."""
    file, page = entry.file, entry.page
    kind, why = entry.left_out or ("", "")
    row = (file.url, file.size, file.mtime, entry.digest, kind, why, len(entry.chunks))
    number = db.execute("INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", row).lastrowid or 0
    if page:
        body = msgspec.msgpack.encode((page.title, page.text, entry.chunks))
        blobs = (number, sealed(entry.vectors), sealed(body))
        db.execute("INSERT INTO pages VALUES (?, ?, ?)", blobs)
    return number


def remove(db: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """These files are gone, or changed."""
    rows = [(number,) for number in numbers]
    db.executemany("DELETE FROM files WHERE id=?", rows)
    db.executemany("DELETE FROM pages WHERE file=?", rows)


def touch(db: sqlite3.Connection, number: int, file: File) -> None:
    """The file was written anew with the same content."""
    row = (file.size, file.mtime, number)
    db.execute("UPDATE files SET size=?, mtime=? WHERE id=?", row)
