"""Vectors in ChromaDB, a folder or a server, told through an outbox in the observations' file.

What is to be told is written in the transaction of the observation, and struck out once Chroma has
it; until then the observation is held by neither. Telling twice does no harm, so a crash at any
instant heals when the file is next opened or asked.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.errors import BadInput, StoreBroken, with_extra
from leadline.keep.memory.schema import writing

if TYPE_CHECKING:
    from leadline.keep.memory.vectors import Vector

_AT_ONCE = 200


class ChromaVectors:
    """Satisfies `Vectors`. `connect` opens a client; only ids and vectors are ever sent to it."""

    name = "chroma"

    def __init__(self, connect: Callable[[], Any], collection: str, lock: Path) -> None:
        self._connect, self._collection, self._lock = connect, collection, lock
        self._opened: Any = None

    # ── in the transaction ──────────────────────────────────────────────────────────────────

    def put(self, db: sqlite3.Connection, number: int, id: str, vector: Vector) -> None:
        data = vector.astype("<f4").tobytes()
        db.execute("INSERT INTO outbox (id, vector) VALUES (?, ?)", (id, data))

    def drop(self, db: sqlite3.Connection, number: int, id: str) -> None:
        db.execute("INSERT INTO outbox (id, vector) VALUES (?, NULL)", (id,))

    # ── outside it ──────────────────────────────────────────────────────────────────────────

    def settle(self, db: sqlite3.Connection) -> None:
        """Tell Chroma what was committed, in order, one process at a time."""
        if db.execute("SELECT 1 FROM outbox LIMIT 1").fetchone() is None:
            return
        with self._one_at_a_time(), _spoken():
            while rows := db.execute(
                "SELECT place, id, vector FROM outbox ORDER BY place LIMIT ?", (_AT_ONCE,)
            ).fetchall():
                self._tell({id: vector for _, id, vector in rows})  # the last word counts
                with writing(db):
                    db.executemany("DELETE FROM outbox WHERE place = ?", [row[:1] for row in rows])

    def _tell(self, last: Mapping[str, bytes | None]) -> None:
        import numpy as np

        put = {id: np.frombuffer(data, "<f4") for id, data in last.items() if data is not None}
        gone = [id for id, data in last.items() if data is None]
        if put:
            self._held.upsert(ids=list(put), embeddings=np.stack(list(put.values())))
        if gone:
            self._held.delete(ids=gone)

    def near(self, db: sqlite3.Connection, vector: Vector, k: int) -> dict[str, float]:
        with _spoken():
            count = self._held.count()
            if not count:
                return {}
            found = self._held.query(
                query_embeddings=vector[None], n_results=min(k, count), include=["distances"]
            )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return {id: 1.0 - float(distance) for id, distance in pairs}

    def fetch(self, db: sqlite3.Connection, ids: Sequence[str]) -> Mapping[str, Vector]:
        import numpy as np

        if not ids:
            return {}
        with _spoken():
            found = self._held.get(ids=list(ids), include=["embeddings"])
        pairs = zip(found["ids"], found["embeddings"], strict=True)
        return {id: np.asarray(vector, dtype=np.float32) for id, vector in pairs}

    def ids(self, db: sqlite3.Connection) -> set[str]:
        with _spoken():
            return set(self._held.get(include=[])["ids"])

    def close(self) -> None:
        self._opened = None

    @property
    def _held(self) -> Any:
        if self._opened is None:
            self._opened = self._connect().get_or_create_collection(
                self._collection, embedding_function=None, metadata={"hnsw:space": "cosine"}
            )
        return self._opened

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """A late word about what another process has forgotten since must not be told."""
        with self._lock.open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def in_folder(folder: Path) -> Callable[[], Any]:
    """A client over files of this machine; no socket is opened."""

    def connect() -> Any:
        chromadb, settings = _chroma()
        folder.mkdir(parents=True, exist_ok=True)
        return chromadb.PersistentClient(path=str(folder), settings=settings)

    return connect


def at_server(url: str, token: str = "") -> Callable[[], Any]:
    """A client of a Chroma server."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    secure = parts.scheme == "https"

    def connect() -> Any:
        chromadb, settings = _chroma()
        return chromadb.HttpClient(
            host=parts.hostname or "localhost",
            port=parts.port or (443 if secure else 8000),
            ssl=secure,
            headers={"Authorization": f"Bearer {token}"} if token else None,
            settings=settings,
        )

    return connect


def _chroma() -> tuple[Any, Any]:
    try:
        chromadb = import_module("chromadb")
        config = import_module("chromadb.config")
    except ImportError as error:
        raise BadInput(
            "memory_vectors is chroma, and ChromaDB is not installed; "
            f"install it {with_extra('chroma')}; or set memory_vectors to sqlite"
        ) from error
    return chromadb, config.Settings(anonymized_telemetry=False)


@contextmanager
def _spoken() -> Iterator[None]:
    """Chroma's and its connection's errors as ours."""
    chromadb, _ = _chroma()
    httpx = import_module("httpx")  # what Chroma's client speaks through
    try:
        yield
    except (chromadb.errors.ChromaError, httpx.HTTPError, ValueError, RuntimeError) as error:
        raise StoreBroken(f"ChromaDB cannot be used for memory: {error}") from error
