"""A memory that can be filled at once, and asked by words alone or by vectors alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.keep.memory.lookup import (
    meaning,
    meaning_of_question,
    sharing_words,
    word_counts,
    write_words,
)
from leadline.keep.memory.rows import identified, text_of, write_findings, write_observation
from leadline.keep.memory.schema import writing
from leadline.keep.memory.store import MemoryStore
from leadline.types.remembering import Observation


class PartedStore(MemoryStore):
    """`MemoryStore` with the parts of a lookup apart."""

    def load(self, observations: Sequence[Observation]) -> None:
        """Take them in as they are: nothing is scanned, merged or compared."""
        with self._table() as db, writing(db):
            for given in observations:
                one = replace(identified(given), project=self.project)
                number = write_observation(db, one)
                write_findings(db, number, one.findings)
                text = text_of(one)
                write_words(db, number, text)
                self._vectors.put(db, number, one.id, meaning(self._embedder, text))

    def by_words(self, task: str, k: int) -> list[str]:
        """The best by BM25."""
        with self._table() as db:
            return list(sharing_words(db, word_counts(db, task)))[:k]

    def by_meaning(self, task: str, k: int) -> list[str]:
        """The nearest vectors."""
        with self._table() as db:
            counts = word_counts(db, task)
            asked = meaning_of_question(db, self._embedder, task, counts)
            return list(self._vectors.near(db, asked, k))

    def scanned(self, task: str, k: int) -> list[str]:
        """The plain way, to compare with: every vector is read and multiplied, every list of a
        word weighed."""
        import numpy as np

        with self._table() as db:
            counts = word_counts(db, task)
            asked = meaning_of_question(db, self._embedder, task, counts)
            numbers, blobs = zip(*db.execute("SELECT number, vector FROM vectors"), strict=True)
            matrix = np.frombuffer(b"".join(blobs), "<f2").reshape(len(numbers), -1)
            scores = matrix.astype(np.float32) @ asked
            match = " OR ".join(f'"{word}"' for word in counts) or '""'
            query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
            said = [row[0] for row in db.execute(query, (match, k))]
            near = [numbers[at] for at in np.argpartition(-scores, k)[:k]]
        return [str(number) for number in dict.fromkeys([*near, *said])]

    def commit(self) -> None:
        """The least that any write takes: one small row, safe on the disk."""
        with self._table() as db, writing(db):
            db.execute("INSERT OR REPLACE INTO about VALUES ('bench', 'a row')")

    def sieved(self, task: str, k: int) -> float:
        """The share of the truly nearest that the search in two steps finds."""
        import numpy as np

        with self._table() as db:
            asked = meaning_of_question(db, self._embedder, task, word_counts(db, task))
            found = set(self._vectors.near(db, asked, k))
            rows = db.execute(
                "SELECT o.id, v.vector FROM vectors v JOIN observations o USING (number)"
            )
            ids, blobs = zip(*rows, strict=True)
        matrix = np.frombuffer(b"".join(blobs), "<f2").reshape(len(ids), -1).astype(np.float32)
        nearest = np.argsort(-(matrix @ asked), kind="stable")[:k]
        return len(found & {ids[at] for at in nearest}) / k
