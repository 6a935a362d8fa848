"""A learned reader whose vectors are kept: each passage is read once, when it is first a candidate.

Safe for several threads and processes. Nothing here ends a run: a file that is broken is set aside
and begun anew, and where none can be kept the vectors are made each time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from leadline.errors import StoreBroken
from leadline.keep.sqlite import Database, notice, sealed, unsealed

if TYPE_CHECKING:
    from leadline.ports import Matrix, PassageReader

T = TypeVar("T")
_MOST = 500_000  # vectors, about 400 MB; the oldest go
_TABLES = (
    "CREATE TABLE vectors"
    " (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, data BLOB NOT NULL)"
)
_LOOK = "SELECT key, data FROM vectors WHERE key IN (SELECT value FROM json_each(?))"


class KeptReader:
    """Satisfies `ports.PassageReader` by `reader`, with its vectors in the file `path`."""

    def __init__(self, path: Path, reader: PassageReader) -> None:
        self.name, self._reader = reader.name, reader
        self._file: Database | None = Database(path, "the store of passage vectors", _TABLES)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row a text, made only where it is not kept yet."""
        import numpy as np

        if not texts:
            return self._reader.embed(texts)
        rows = self._kept(texts)
        missing = list(dict.fromkeys(text for text in texts if text not in rows))
        if missing:
            made = self._reader.embed(missing).astype(np.float16)
            # As they are kept, so that the first time gives what every later one does.
            rows |= dict(zip(missing, made.astype(np.float32), strict=True))
            self._keep(dict(zip(missing, made, strict=True)))
        return np.stack([rows[text] for text in texts])

    def score_answers(self, question: str, texts: Sequence[str]) -> Matrix:
        return self._reader.score_answers(question, texts)

    def _kept(self, texts: Sequence[str]) -> dict[str, Matrix]:
        import numpy as np

        by_key = {self._key(text): text for text in texts}
        asked = json.dumps(list(by_key))

        def look(db: sqlite3.Connection) -> list[tuple[str, bytes]]:
            return db.execute(_LOOK, (asked,)).fetchall()

        rows = self._tried(lambda file: file.read(look)) or ()
        found = {by_key[key]: unsealed(data) for key, data in rows}
        return {
            text: np.frombuffer(data, dtype=np.float16).astype(np.float32)
            for text, data in found.items()
            if data is not None
        }

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def _keep(self, made: Mapping[str, Matrix]) -> None:
        rows = [(self._key(text), sealed(row.tobytes())) for text, row in made.items()]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO vectors (key, data) VALUES (?, ?)", rows)
            db.execute(
                "DELETE FROM vectors WHERE number <= (SELECT max(number) FROM vectors) - ?",
                (_MOST,),
            )

        self._tried(lambda file: file.write(write))

    def _key(self, text: str) -> str:
        return sha256(f"{self.name}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()

    def _tried(self, do: Callable[[Database], T]) -> T | None:
        """What `do` gives. That nothing can be kept is told once, and then not tried again."""
        if self._file is None:
            return None
        try:
            return do(self._file)
        except StoreBroken as broken:
            notice(f"vectors of passages are not kept: {broken}")
            self._file = None
            return None
