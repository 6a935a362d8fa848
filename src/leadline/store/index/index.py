"""The document index as its users see it: open, update, search, page."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from leadline.errors import BadInput, SourceLost, StoreBroken
from leadline.store.index import fuse
from leadline.store.index.build import MAX_BYTES, Build, changes
from leadline.store.index.catalogue import FORMAT, Catalogue, Chunk, Entry
from leadline.store.index.keywords import Keywords
from leadline.store.index.lock import locked
from leadline.store.index.merge import merged
from leadline.store.index.report import IndexReport, Progress
from leadline.store.index.shelf import Shelf
from leadline.store.index.vectors import Vectors
from leadline.text.windows import windows
from leadline.types import Hit, Loss, Page

if TYPE_CHECKING:
    from leadline.ports import Embedder

Mode = Literal["hybrid", "bm25", "vector", "rrf"]
_DEPTH = 200  # candidates taken from each half
_CATALOGUE = "catalogue.db"


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The last published state, as this process has it in memory."""

    generation: str
    keywords: Keywords
    vectors: Vectors | None


class DocIndex:
    """Documents made searchable. Safe to use from several threads; see `open`, `in_memory`."""

    def __init__(
        self, home: Path | None, docs: Path | None, embedder: Embedder | None, max_bytes: int
    ) -> None:
        self._home = home
        self._docs = docs
        self._embedder = embedder
        self._max_bytes = max_bytes
        self._shelf = Shelf(home)
        self._mutex = threading.RLock()
        self._catalogue: Catalogue | None = None
        self._snapshot: _Snapshot | None = None

    @classmethod
    def open(
        cls, folder: Path, docs: Path, embedder: Embedder | None, *, max_bytes: int = MAX_BYTES
    ) -> DocIndex:
        """The index of the files below `docs`, kept in `folder`. Nothing is read yet."""
        return cls(folder, docs, embedder, max_bytes)

    @classmethod
    def in_memory(cls, docs: Iterable[tuple[str, str, str]], embedder: Embedder | None) -> DocIndex:
        """An index of (id, title, text), one chunk each unless long."""
        index = cls(None, None, embedder, MAX_BYTES)
        build = Build(index._opened(), index._shelf, embedder, _ignore)
        with build.publishing() as writer:
            for name, title, text in docs:
                page = Page(name, title, text, kind="document")
                entry = Entry(name.encode(), name, 0, 0, b"", page, windows(text))
                build.insert(entry, writer)
        return index

    # ── keeping up ──────────────────────────────────────────────────────────────────────────

    def update(self, progress: Callable[[Progress], None] | None = None) -> IndexReport:
        """Brings the index up to its folder. A damaged index is rebuilt, and the report says so."""
        tell = progress or _ignore
        notice = ""
        with self._mutex:
            self._make_home()
            with locked(self._home and self._home / "lock", lambda: tell(Progress("waiting"))):
                try:
                    build = self._updated(tell)
                except StoreBroken as broken:
                    if not self._is_damaged():
                        raise
                    notice = f"{broken}; it was built anew"
                    self._clear()
                    build = self._updated(tell)
            return self._report(build, notice)

    def needs_update(self) -> bool:
        """Whether a file was added, changed or deleted since; nothing is opened."""
        if self._docs is None:
            return False
        try:
            found = changes(self._docs, self._opened().stamps())
        except StoreBroken:
            return True
        return bool(found.fresh or found.gone)

    def close(self) -> None:
        with self._mutex:
            if self._catalogue is not None:
                self._catalogue.close()
            self._catalogue = self._snapshot = None

    # ── finding ─────────────────────────────────────────────────────────────────────────────

    def search(
        self, query: str, k: int, *, mode: Mode = "hybrid", min_score: float = 0.0
    ) -> tuple[Hit, ...]:
        """The best `k` hits with a score above zero and of at least `min_score`, best first."""
        snapshot = self._current()
        ranked = [
            (key, score)
            for key, score in self._ranked(snapshot, query, mode)
            if score > 0 and score >= min_score
        ]
        hits: list[Hit] = []
        taken = 0
        while len(hits) < k and taken < len(ranked):
            part = ranked[: taken + 2 * k + 4]
            taken = len(part)
            hits = self._hits(snapshot, part)
        return tuple(hits[:k])

    def page(self, url: str) -> Page:
        """The whole text of a document as it was indexed. Raises `SourceLost`."""
        page = self._opened().page(url)
        if page is None:
            raise SourceLost(f"there is no document {url} in the index")
        return page

    def locate(self, ref: str) -> tuple[Page, int, int]:
        """The page of `doc#chunk` and where the chunk stands in it. Raises `SourceLost`."""
        url, mark, number = ref.rpartition("#")
        span = self._opened().span(url, int(number)) if mark and number.isdecimal() else None
        if span is None:
            raise SourceLost(f"there is no chunk {ref} in the index; refs look like doc#chunk")
        return self.page(url), *span

    def _ranked(self, snapshot: _Snapshot, query: str, mode: Mode) -> list[tuple[int, float]]:
        vectors = snapshot.vectors if mode != "bm25" else None
        words = dict(snapshot.keywords.search(query, _DEPTH)) if mode != "vector" else {}
        if vectors is None or self._embedder is None:
            return sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))
        meaning = self._embedder.embed([query])[0]
        cosines = dict(vectors.nearest(meaning, _DEPTH))
        if mode == "vector":
            return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))
        missing = [key for key in words if key not in cosines]
        if missing:
            found = vectors.rows(missing) @ meaning
            cosines.update(zip(missing, found.tolist(), strict=True))
        return fuse.reciprocal(words, cosines) if mode == "rrf" else fuse.convex(words, cosines)

    def _hits(self, snapshot: _Snapshot, ranked: list[tuple[int, float]]) -> list[Hit]:
        chunks = self._opened().chunks([key for key, _ in ranked])
        hits = [_hit(chunks[key], score) for key, score in ranked if key in chunks]
        return merged(hits)

    # ── state ───────────────────────────────────────────────────────────────────────────────

    def _current(self) -> _Snapshot:
        """The snapshot of what is published now, loaded again when another process updated."""
        with self._mutex:
            meta = self._opened().meta()
            if self._snapshot is None or self._snapshot.generation != meta.get("generation"):
                self._snapshot = self._load(meta)
            return self._snapshot

    def _load(self, meta: dict[str, str]) -> _Snapshot:
        if "generation" not in meta:
            return _Snapshot("", Keywords(), None)
        vectors = None
        if self._embedder is not None:
            vectors = Vectors(*self._opened().vectors(self._embedder.dim))
        return _Snapshot(meta["generation"], self._shelf.open(meta), vectors)

    def _opened(self) -> Catalogue:
        with self._mutex:
            if self._catalogue is None:
                self._make_home()
                catalogue = Catalogue(self._home and self._home / _CATALOGUE)
                name = self._embedder.name if self._embedder else ""
                catalogue.create({"format": FORMAT, "embedder": name})
                self._catalogue = catalogue
            return self._catalogue

    def _updated(self, tell: Callable[[Progress], None]) -> Build:
        if self._docs is None:
            raise BadInput("this index has no folder to read")
        self._current()  # a damaged index shows itself here
        build = Build(self._opened(), self._shelf, self._embedder, tell)
        build.run(self._docs, self._max_bytes)
        self._current()
        return build

    def _report(self, build: Build, notice: str) -> IndexReport:
        files, chunks = self._opened().counts()
        lost = tuple(Loss("index", url, why) for url, why in self._opened().lost())
        tally = build.tally
        return IndexReport(
            files, chunks, tally.added, tally.changed, tally.deleted, lost, bool(notice), notice
        )

    def _is_damaged(self) -> bool:
        return True

    def _clear(self) -> None:
        self.close()
        if self._home is not None:
            for path in self._home.iterdir():
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                elif path.name != "lock":
                    path.unlink(missing_ok=True)

    def _make_home(self) -> None:
        if self._home is not None:
            try:
                self._home.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreBroken(
                    f"the index folder {self._home} cannot be made: {error.strerror}"
                ) from error


def _hit(chunk: Chunk, score: float) -> Hit:
    return Hit(
        url=chunk.url,
        title=chunk.title,
        text=chunk.text,
        provider="documents",
        kind="document",
        score=round(score, 6),
        ref=f"{chunk.url}#{chunk.number}",
        section=chunk.section,
        page=chunk.page,
        start=chunk.start,
        end=chunk.stop,
    )


def _ignore(progress: Progress) -> None:
    """Nobody watches."""
