"""Meaning: the vectors of an index's chunks in memory, and vectors of passages that are kept."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import StoreBroken
from leadline.keep.sqlite import Database, notice

if TYPE_CHECKING:
    from leadline.ports import Embedder, Matrix

Ints = np.ndarray[Any, np.dtype[np.int64]]
Half = np.ndarray[Any, np.dtype[np.float16]]

_MOST_PASSAGES = 500_000  # about 400 MB; the oldest go
_TABLES = (
    "CREATE TABLE vectors"
    " (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, data BLOB NOT NULL)"
)
_BUSY_S = 10.0
_AT_ONCE = 500  # keys of one question to SQLite


class ChunkVectors:
    """`keys` rise; row i of `matrix` is the unit vector of chunk `keys[i]`."""

    def __init__(self, keys: Ints, matrix: Matrix) -> None:
        self.keys = keys
        self._matrix = matrix

    def near(self, query: Matrix, limit: int) -> Ints:
        """The rows, rising, of the `limit` chunks nearest to `query`."""
        if len(self.keys) <= limit:
            return np.arange(len(self.keys))
        # Not by `@`: the threads of BLAS cost more than they save, several times over where busy.
        cosines = np.einsum("ij,j->i", self._matrix, query)
        return np.sort(np.argpartition(cosines, len(self.keys) - limit)[-limit:])

    def places(self, keys: Ints) -> Ints:
        """The rows of those of `keys` that are there."""
        if not len(self.keys):
            return np.zeros(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.asarray(at[self.keys[at] == keys], dtype=np.int64)

    def cosines(self, rows: Ints, query: Matrix) -> Matrix:
        return np.asarray(np.einsum("ij,j->i", self._matrix[rows], query), dtype=np.float32)

    def alike(self, keys: Sequence[int], least: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each pair of `keys` whether their cosine is at least `least`."""
        rows = self._matrix[self.places(np.asarray(keys, dtype=np.int64))]
        if len(rows) < len(keys):  # a chunk without a vector may be like any other
            return np.ones((len(keys), len(keys)), dtype=np.bool_)
        return np.asarray(np.einsum("ij,kj->ik", rows, rows) >= least)


class PassageVectors:
    """Satisfies `ports.Embedder`: what `encoder` made of a text is kept in the file `path`.

    Safe for several threads and processes. Nothing here ends a run: a file that is broken is set
    aside and begun anew, and where none can be kept the vectors are made each time.
    """

    def __init__(self, path: Path, encoder: Embedder) -> None:
        self.name, self.dim = encoder.name, encoder.dim
        self._encoder = encoder
        self._file = Database(path, "the store of passage vectors", _TABLES, busy_s=_BUSY_S)
        self._off = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row a text, made only where it is not kept yet."""
        rows = self.get_many(texts)
        missing = list(dict.fromkeys(text for text in texts if text not in rows))
        if missing:
            # As they are kept, so that the first time gives what every later one does.
            made = self._encoder.embed(missing).astype(np.float16).astype(np.float32)
            self.put_many(missing, made)
            rows |= dict(zip(missing, made, strict=True))
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.stack([rows[text] for text in texts])

    def get_many(self, texts: Sequence[str]) -> dict[str, Matrix]:
        """The vectors that are kept, by text."""
        if self._off:
            return {}
        keys = {self._key(text): text for text in texts}
        rows: list[tuple[bytes, bytes]] = []
        with self._or_without():
            rows = self._file.read(lambda db: list(_kept(db, list(keys))))
        return {
            keys[key]: np.frombuffer(data[:-4], dtype=np.float16).astype(np.float32)
            for key, data in rows
            if len(data) == 2 * self.dim + 4 and _crc(data[:-4]) == data[-4:]
        }

    def put_many(self, texts: Sequence[str], vectors: Matrix) -> None:
        """Keeps the vectors of texts; done with no word where nothing can be kept."""
        if self._off:
            return
        rows = [row.tobytes() for row in vectors.astype(np.float16)]
        keyed = [(self._key(text), row + _crc(row)) for text, row in zip(texts, rows, strict=True)]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO vectors (key, data) VALUES (?, ?)", keyed)
            newest = db.execute("SELECT max(number) FROM vectors").fetchone()[0] or 0
            db.execute("DELETE FROM vectors WHERE number <= ?", (newest - _MOST_PASSAGES,))

        with self._or_without():
            self._file.write(write)

    def close(self) -> None:
        self._file.close()

    def _key(self, text: str) -> bytes:
        name = f"{self.name}\0".encode()
        return sha256(name + text.encode("utf-8", "surrogatepass")).digest()

    @contextmanager
    def _or_without(self) -> Iterator[None]:
        """That nothing can be kept is told once and ends nothing."""
        try:
            yield
        except StoreBroken as broken:
            notice(f"vectors of passages are not kept: {broken}")
            self._off = True


def _kept(db: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for at in range(0, len(keys), _AT_ONCE):
        some = keys[at : at + _AT_ONCE]
        marks = ",".join("?" * len(some))
        yield from db.execute(f"SELECT key, data FROM vectors WHERE key IN ({marks})", some)  # noqa: S608


def _crc(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")
