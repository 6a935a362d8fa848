"""The document index as its users see it: open, update, search, page."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from leadline.documents.build import (
    MAX_BYTES,
    Build,
    IndexReport,
    Progress,
    changes,
)
from leadline.documents.ingest import embedded, page_entry
from leadline.documents.keywords import Keywords
from leadline.documents.search import Mode, Ranking, Snapshot, merged
from leadline.documents.store import FORMAT, Damaged, Store, locked
from leadline.documents.vectors import ChunkVectors
from leadline.errors import BadInput, SourceLost, StoreBroken
from leadline.keep.sqlite import notice
from leadline.types import Hit, Page

if TYPE_CHECKING:
    from leadline.ports import Embedder

T = TypeVar("T")
Watch = Callable[[Progress], None]

_ALIKE = 0.95  # cosine below which two chunks cannot be copies
_STORE, _WORDS = "catalogue.db", "words"


class DocIndex:
    """Documents made searchable. Safe to use from several threads; see `open`, `in_memory`.

    Damage that shows while searching is mended by a rebuild, and `notice` then says so.
    """

    def __init__(
        self, home: Path, docs: Path | None, embedder: Embedder | None, max_bytes: int
    ) -> None:
        self._home = home
        self._docs = docs
        self._embedder = embedder
        self._max_bytes = max_bytes
        self._mutex = threading.RLock()
        self._store: Store | None = None
        self._inode = 0
        self._keywords: Keywords | None = None
        self._snapshot: Snapshot | None = None
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self.notice = ""

    @classmethod
    def open(
        cls, folder: Path, docs: Path, embedder: Embedder | None, *, max_bytes: int = MAX_BYTES
    ) -> DocIndex:
        """The index, kept in `folder`, of the files below `docs`, or of `docs` where that is a
        file. Nothing is read yet."""
        return cls(folder, docs, embedder, max_bytes)

    @classmethod
    def in_memory(cls, docs: Iterable[tuple[str, str, str]], embedder: Embedder | None) -> DocIndex:
        """An index of (id, title, text), one chunk each unless long, that goes with its object."""
        scratch = tempfile.TemporaryDirectory(prefix="leadline-", ignore_cleanup_errors=True)
        index = cls(Path(scratch.name), None, embedder, MAX_BYTES)
        index._scratch = scratch
        index._create()
        pages = (Page(name, title, text, kind="document") for name, title, text in docs)
        entries = embedded([page_entry(page) for page in pages], embedder)
        index._build(_ignore).insert([entry for entry in entries if entry])
        return index

    # ── keeping up ──────────────────────────────────────────────────────────────────────────

    def update(self, progress: Watch | None = None) -> IndexReport:
        """Brings the index up to its folder. A damaged index is rebuilt, and the report says so."""
        tell = progress or _ignore
        why = ""
        with self._writing(tell):
            try:
                self._check()
                build = self._built(tell)
            except Damaged as damaged:
                why = f"{damaged}; it was built anew"
                build = self._rebuilt(why, tell)
            return self._report(build, why)

    def needs_update(self) -> bool:
        """Whether a file was added, changed or deleted since; nothing is opened."""
        if self._docs is None:
            return False
        try:
            found = changes(self._docs, self._opened().stamps())
        except (Damaged, SourceLost):
            return True
        return bool(found.fresh or found.gone)

    def close(self) -> None:
        with self._mutex:
            if self._store is not None:
                self._store.close()
            self._store = self._keywords = self._snapshot = None

    # ── finding ─────────────────────────────────────────────────────────────────────────────

    def search(
        self, query: str, k: int, *, mode: Mode = "hybrid", min_score: float = 0.0
    ) -> tuple[Hit, ...]:
        """The best `k` hits with a score above zero and of at least `min_score`, best first."""
        return self._mended(lambda: self._search(query, k, mode, min_score))

    def page(self, url: str) -> Page:
        """The whole text of a document as it was indexed. Raises `SourceLost`."""
        document = self._mended(lambda: self._opened().document(url))
        if document is None:
            raise SourceLost(f"there is no document {url} in the index")
        return document.page

    def locate(self, ref: str) -> tuple[Page, int, int]:
        """The page of `doc#chunk` and where the chunk stands in it. Raises `SourceLost`."""
        url, _, number = ref.rpartition("#")
        document = self._mended(lambda: self._opened().document(url))
        if document and number.isdecimal() and int(number) < len(document.chunks):
            chunk = document.chunks[int(number)]
            return document.page, chunk.start, chunk.end
        raise SourceLost(f"there is no chunk {ref} in the index; refs look like doc#chunk")

    def _search(self, query: str, k: int, mode: Mode, min_score: float) -> tuple[Hit, ...]:
        try:
            snapshot = self._current()
        except SourceLost:
            return ()
        ranked = snapshot.ranked(query, mode, k)
        good = [(key, score) for key, score in ranked if score > 0 and score >= min_score]
        hits: list[Hit] = []
        taken = 0
        while len(hits) < k and taken < len(good):  # merging may leave too few
            taken = min(len(good), 2 * taken + k + 4)
            hits = self._hits(snapshot, good[:taken])
        return tuple(hits[:k])

    def _hits(self, snapshot: Snapshot, ranked: Ranking) -> list[Hit]:
        found = self._opened().hits(ranked)
        keys = [key for key, _ in ranked if key in found]
        hits = [found[key] for key in keys]
        if snapshot.vectors is None:
            return merged(hits, lambda one, two: True)
        alike = snapshot.vectors.alike(keys, _ALIKE)
        return merged(hits, lambda one, two: bool(alike[one, two]))

    # ── state ───────────────────────────────────────────────────────────────────────────────

    def _current(self) -> Snapshot:
        """What is published now, loaded again when another process has updated it."""
        with self._mutex:
            while True:
                store = self._opened()
                generation = store.generation()
                if self._snapshot is None or self._snapshot.generation != generation:
                    try:
                        self._snapshot = self._load(store, generation)
                    except Damaged:
                        if store.generation() != generation:
                            continue  # published anew while it was read
                        raise
                return self._snapshot

    def _load(self, store: Store, generation: str) -> Snapshot:
        if self._keywords is not None:
            self._keywords.reload()
        else:
            store.check_identity(self._identity())
            chunks = store.counts()[1]
            self._keywords = Keywords(self._home / _WORDS)
            if len(self._keywords) < chunks:
                self._keywords = None
                raise Damaged(f"the keyword index in {self._home} has not every chunk")
        embedder, vectors = self._embedder, None
        if embedder is not None:
            vectors = ChunkVectors(*store.vectors(embedder.dim))
        return Snapshot(generation, self._keywords, vectors, embedder)

    def _opened(self) -> Store:
        """The store, opened anew where another process rebuilt it. Raises `SourceLost` when the
        index was never made."""
        with self._mutex:
            path = self._home / _STORE
            try:
                inode = path.stat().st_ino
            except OSError:
                self.close()
                raise SourceLost(f"{self._docs} is not indexed yet") from None
            if self._store is None or inode != self._inode:
                self.close()
                self._store, self._inode = Store(path), inode
            return self._store

    def _create(self) -> None:
        (self._home / _WORDS).mkdir(exist_ok=True)
        (self._home / _STORE).touch()
        self._opened().create(self._identity())

    def _identity(self) -> dict[str, str]:
        return {"format": FORMAT, "embedder": self._embedder.name if self._embedder else ""}

    # ── updating and mending ────────────────────────────────────────────────────────────────

    @contextmanager
    def _writing(self, tell: Watch) -> Iterator[None]:
        """No other thread or process writes meanwhile."""
        if self._docs is None:
            raise BadInput("this index has no folder to read")
        try:
            self._home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = f"the index folder {self._home} cannot be made: {error.strerror}"
            raise StoreBroken(why) from error
        with self._mutex, locked(self._home / "lock", lambda: tell(Progress("waiting"))):
            yield

    def _check(self) -> None:
        """Raises `Damaged` when the index must be made anew."""
        path = self._home / _STORE
        if (self._home / _WORDS).exists() and not (path.exists() and path.stat().st_size):
            raise Damaged(f"the catalogue {path} is gone")
        self._create()
        self._opened().check()

    def _build(self, tell: Watch) -> Build:
        snapshot = self._current()  # damage shows itself here
        return Build(self._opened(), snapshot.keywords, self._embedder, tell)

    def _built(self, tell: Watch) -> Build:
        assert self._docs is not None
        build = self._build(tell)
        build.run(self._docs, self._max_bytes)
        return build

    def _rebuilt(self, why: str, tell: Watch) -> Build:
        self.notice = why
        self.close()
        for path in self._home.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != "lock":
                path.unlink(missing_ok=True)
        self._create()
        return self._built(tell)

    def _mended(self, do: Callable[[], T]) -> T:
        """What `do` gives; after a rebuild when it meets damage that is not another's work."""
        try:
            return do()
        except Damaged:
            if self._docs is None:
                raise
        with self._writing(_ignore):
            self.close()
            try:
                return do()
            except Damaged as damaged:
                notice(f"{damaged}; it was built anew")
                self._rebuilt(f"{damaged}; it was built anew", _ignore)
        return do()

    def _report(self, build: Build, why: str) -> IndexReport:
        files, chunks = self._opened().counts()
        left_out = self._opened().left_out()
        return IndexReport(
            files, chunks, build.added, build.changed, build.deleted, left_out, bool(why), why
        )


def _ignore(progress: Progress) -> None:
    """Nobody watches."""
