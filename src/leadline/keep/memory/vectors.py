"""Vectors in the file of the observations, written in their transaction, searched in two steps.

First the signs of all vectors, 32 bytes each, are compared with those of the question; then the
exact vectors of the nearest few hundred are read. Both are blobs of SQLite: nothing is held in
memory between calls, so that the first lookup of a process is as fast as the next.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

BLOCK = 1024  # sketches to a row
ROUGH = 10  # sketches, by the signs they share, weighed by what the signs tell, for each sieved
SIEVED = 50  # vectors, by that, that are compared exactly, for each that is wanted


class Vectors(Protocol):
    """Where the meaning of observations is kept. `put` and `drop` are part of a transaction of
    `db`; `settle` brings a store outside that file up to what was committed."""

    name: str

    def put(self, db: sqlite3.Connection, number: int, id: str, vector: Vector) -> None: ...

    def drop(self, db: sqlite3.Connection, number: int, id: str) -> None: ...

    def settle(self, db: sqlite3.Connection) -> None:
        """Raises `StoreBroken` when the other store cannot be told."""

    def near(self, db: sqlite3.Connection, vector: Vector, k: int) -> dict[str, float]:
        """The nearest ids, best first, with their similarity."""

    def fetch(self, db: sqlite3.Connection, ids: Sequence[str]) -> Mapping[str, Vector]: ...

    def ids(self, db: sqlite3.Connection) -> set[str]:
        """Everything that is held."""

    def close(self) -> None: ...


class FileVectors:
    """Satisfies `Vectors` within the SQLite file itself."""

    name = "sqlite"

    def put(self, db: sqlite3.Connection, number: int, id: str, vector: Vector) -> None:
        db.execute(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?)", (number, vector.astype("<f2").tobytes())
        )
        self._sketch(db, number, _signs(vector[None])[0].tobytes())

    def drop(self, db: sqlite3.Connection, number: int, id: str) -> None:
        row = db.execute(
            "SELECT length(vector) FROM vectors WHERE number = ?", (number,)
        ).fetchone()
        if row is None:
            return
        db.execute("DELETE FROM vectors WHERE number = ?", (number,))
        self._sketch(db, number, bytes(_width(row[0] // 2)))

    def settle(self, db: sqlite3.Connection) -> None:
        """There is nothing outside the file."""

    def near(self, db: sqlite3.Connection, vector: Vector, k: int) -> dict[str, float]:
        import numpy as np

        numbers = self._sieve(db, vector, SIEVED * k)
        rows = db.execute(
            "SELECT number, vector FROM vectors WHERE number IN (SELECT value FROM json_each(?))",
            (json.dumps(numbers),),
        ).fetchall()
        if not rows:
            return {}
        matrix = np.frombuffer(b"".join(row[1] for row in rows), "<f2").astype(np.float32)
        scores = matrix.reshape(len(rows), -1) @ vector
        best = {rows[at][0]: float(scores[at]) for at in np.argsort(-scores, kind="stable")[:k]}
        named = db.execute(
            "SELECT id, number FROM observations WHERE number IN (SELECT value FROM json_each(?))",
            (json.dumps(list(best)),),
        )
        found = sorted((-best[number], id) for id, number in named)
        return {id: -score for score, id in found}

    def fetch(self, db: sqlite3.Connection, ids: Sequence[str]) -> Mapping[str, Vector]:
        import numpy as np

        rows = db.execute(
            "SELECT o.id, v.vector FROM vectors v JOIN observations o USING (number)"
            " WHERE o.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {id: np.frombuffer(blob, "<f2").astype(np.float32) for id, blob in rows}

    def ids(self, db: sqlite3.Connection) -> set[str]:
        rows = db.execute("SELECT o.id FROM vectors JOIN observations o USING (number)")
        return {id for (id,) in rows}

    def close(self) -> None:
        """There is nothing to close but the file."""

    def _sieve(self, db: sqlite3.Connection, vector: Vector, count: int) -> list[int]:
        """The numbers of the observations whose signs are nearest; some may be gone."""
        import numpy as np

        blocks = db.execute("SELECT block, bits FROM sketches ORDER BY block").fetchall()
        if not blocks:
            return []
        width = _width(vector.shape[0])
        sketches = np.frombuffer(b"".join(bits for _, bits in blocks), np.uint8)
        sketches = sketches.reshape(-1, width)
        near = _nearest(_away(sketches, _signs(vector[None])), ROUGH * count, 8 * width)
        if len(near) > count:
            likely = _likeness(sketches[near], vector)
            near = near[np.argpartition(-likely, count)[:count]]
        starts = np.array([block for block, _ in blocks]) * BLOCK
        found: list[int] = (starts[near // BLOCK] + near % BLOCK).tolist()
        return found

    def _sketch(self, db: sqlite3.Connection, number: int, bits: bytes) -> None:
        block, place = divmod(number, BLOCK)
        db.execute(
            "INSERT OR IGNORE INTO sketches VALUES (?, zeroblob(?))", (block, BLOCK * len(bits))
        )
        with db.blobopen("sketches", "bits", block) as blob:
            blob.seek(place * len(bits))
            blob.write(bits)


def _width(dim: int) -> int:
    """Bytes of a sketch: one bit a dimension, in whole words of 64."""
    return -(-dim // 64) * 8


def _away(sketches: Any, signs: Any) -> Any:
    """In how many signs each sketch differs; at an empty place, one more than there are."""
    import numpy as np

    words, asked = sketches.view(np.uint64), signs.view(np.uint64)[0]
    away = np.zeros(len(words), np.uint16)
    for column, word in enumerate(asked):  # adding up along a short axis is several times slower
        away += np.bitwise_count(words[:, column] ^ word)
    away[words[:, -1] == 0] = 64 * len(asked) + 1
    return away


def _nearest(away: Any, count: int, bits: int) -> Any:
    """The places of the `count` smallest and of all as near as the last of them; no empty ones."""
    import numpy as np

    as_near = np.cumsum(np.bincount(away, minlength=bits + 1))
    return np.flatnonzero(away <= min(int(np.searchsorted(as_near, count)), bits))


def _likeness(sketches: Any, vector: Vector) -> Any:
    """What signs alone tell of the product with a whole vector: a sum over tables of bytes."""
    import numpy as np

    padded = np.zeros(8 * sketches.shape[1], np.float32)
    padded[: len(vector)] = vector
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
    tables = (2 * bits - 1) @ padded.reshape(-1, 8).T  # one column a byte of the sketch
    return tables[sketches, np.arange(sketches.shape[1])].sum(axis=1)


def _signs(matrix: Any) -> Any:
    """One bit a dimension; a place no vector takes is all zeros, so the last bit is always set."""
    import numpy as np

    signs = np.packbits(matrix > 0, axis=1)
    padded = np.zeros((len(matrix), _width(matrix.shape[1])), np.uint8)
    padded[:, : signs.shape[1]] = signs
    padded[:, -1] |= 1
    return padded
