"""A memory that can be filled at once, and asked by words alone or by vectors alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from leadline.keep.memory import MemoryStore, with_ids
from leadline.keep.memory_file import by_words, question_vector, similarities
from leadline.types import Observation


class PartedStore(MemoryStore):
    """`MemoryStore` with the parts of a lookup apart."""

    def load(self, observations: Sequence[Observation]) -> None:
        """Take them in as they are: nothing is scanned, merged or compared."""

        def put(db: sqlite3.Connection) -> None:
            for one in observations:
                self._put(db, with_ids(one))

        self._file.write(put)

    def by_words(self, task: str, k: int) -> list[str]:
        """The best by BM25."""
        return list(self._file.read(lambda db: by_words(db, task)))[:k]

    def by_meaning(self, task: str, k: int) -> list[str]:
        """The nearest vectors."""

        def near(db: sqlite3.Connection) -> list[str]:
            return list(similarities(db, question_vector(db, self._embedder, task)))[:k]

        return self._file.read(near)

    def commit(self) -> None:
        """The least that any write takes: one small row, safe on the disk."""
        row = "INSERT OR REPLACE INTO about VALUES ('bench', 'a row')"
        self._file.write(lambda db: db.execute(row) and None)
