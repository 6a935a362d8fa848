"""Vectors of the memory in ChromaDB, a folder or a server. It is sent ids and vectors, no text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from leadline.errors import BadInput, StoreBroken, with_extra
from leadline.keep.sqlite import locked

if TYPE_CHECKING:
    from leadline.keep.memory_file import Vector


class ChromaVectors:
    """One collection, in a folder of this machine, where no socket is opened, or at the URL of a
    server. `lock` is a file that lets one process at a time bring it up to date. Opened when it is
    first needed. Raises `StoreBroken`."""

    name = "chroma"

    def __init__(self, where: Path | str, collection: str, *, lock: Path, token: str = "") -> None:
        self._where, self._token = where, token
        self._collection, self._lock = collection, lock
        self._opened: Any = None

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Add vectors, or write them anew."""
        if vectors:
            with _as_ours():
                self._vectors.upsert(ids=list(vectors), embeddings=list(vectors.values()))

    def delete(self, ids: Sequence[str]) -> None:
        if ids:
            with _as_ours():
                self._vectors.delete(ids=list(ids))

    def near(self, vector: Vector, k: int) -> list[str]:
        """The ids of the nearest, best first."""
        with _as_ours():
            count = self._vectors.count()
            if not count:
                return []
            found = self._vectors.query(query_embeddings=vector[None], n_results=min(k, count))
        return list(found["ids"][0])

    def ids(self) -> set[str]:
        """Everything that is held."""
        with _as_ours():
            return set(self._vectors.get(include=[])["ids"])

    def turn(self) -> AbstractContextManager[None]:
        """While it lasts no other process writes here."""
        return locked(self._lock)

    def close(self) -> None:
        self._opened = None

    @property
    def _vectors(self) -> Any:
        if self._opened is None:
            self._opened = self._client().get_or_create_collection(
                self._collection, embedding_function=None, metadata={"hnsw:space": "cosine"}
            )
        return self._opened

    def _client(self) -> Any:
        chromadb = _chromadb()
        settings = import_module("chromadb.config").Settings(anonymized_telemetry=False)
        if isinstance(self._where, Path):
            self._where.mkdir(parents=True, exist_ok=True)
            return chromadb.PersistentClient(path=str(self._where), settings=settings)
        parts = urlsplit(self._where)
        secure = parts.scheme == "https"
        return chromadb.HttpClient(
            host=parts.hostname or "localhost",
            port=parts.port or (443 if secure else 8000),
            ssl=secure,
            headers={"Authorization": f"Bearer {self._token}"} if self._token else None,
            settings=settings,
        )


def _chromadb() -> Any:
    try:
        return import_module("chromadb")
    except ImportError as error:
        raise BadInput(
            "memory_vectors is chroma, and ChromaDB is not installed; "
            f"install it {with_extra('chroma')}; or set memory_vectors to sqlite"
        ) from error


@contextmanager
def _as_ours() -> Iterator[None]:
    """Chroma's and its connection's errors as ours."""
    chromadb = _chromadb()
    httpx = import_module("httpx")  # what Chroma's client speaks through
    try:
        yield
    except (chromadb.errors.ChromaError, httpx.HTTPError, ValueError, RuntimeError) as error:
        raise StoreBroken(f"ChromaDB cannot be used for memory: {error}") from error
