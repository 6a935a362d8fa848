"""The document index as its users see it: open, update, search, page."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from leadline.documents.build import Build, changes
from leadline.documents.catalogue import FORMAT, Catalogue, Chunk, Entry
from leadline.documents.damage import Damaged
from leadline.documents.ingest import MAX_BYTES
from leadline.documents.keyword_folders import Shelf
from leadline.documents.keywords import Keywords
from leadline.documents.lock import locked
from leadline.documents.merge import merged
from leadline.documents.report import IndexReport, Progress
from leadline.documents.snapshot import Mode, Ranking, Snapshot
from leadline.documents.vectors import Vectors
from leadline.errors import BadInput, SourceLost, StoreBroken
from leadline.text.windows import windows
from leadline.types import Hit, Loss, Page

if TYPE_CHECKING:
    from leadline.ports import Embedder

T = TypeVar("T")
Watch = Callable[[Progress], None]

_ALIKE = 0.95  # cosine below which two chunks cannot be copies
_CATALOGUE = "catalogue.db"


class DocIndex:
    """Documents made searchable. Safe to use from several threads; see `open`, `in_memory`.

    Damage that shows while searching is mended by a rebuild, and `notice` then says so.
    """

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
        self._snapshot: Snapshot | None = None
        self.notice = ""

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
        index._create()
        build = Build(index._opened(), index._shelf, embedder, _ignore)
        pages = (Page(name, title, text, kind="document") for name, title, text in docs)
        with build.publishing() as writer:
            build.insert((_entry(page) for page in pages), writer)
        return index

    # ── keeping up ──────────────────────────────────────────────────────────────────────────

    def update(self, progress: Watch | None = None) -> IndexReport:
        """Brings the index up to its folder. A damaged index is rebuilt, and the report says so."""
        return self._update(progress or _ignore, "")

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
            if self._catalogue is not None:
                self._catalogue.close()
            self._catalogue = self._snapshot = None

    # ── finding ─────────────────────────────────────────────────────────────────────────────

    def search(
        self, query: str, k: int, *, mode: Mode = "hybrid", min_score: float = 0.0
    ) -> tuple[Hit, ...]:
        """The best `k` hits with a score above zero and of at least `min_score`, best first."""
        return self._mended(lambda: self._search(query, k, mode, min_score))

    def page(self, url: str) -> Page:
        """The whole text of a document as it was indexed. Raises `SourceLost`."""
        page = self._mended(lambda: self._opened().page(url))
        if page is None:
            raise SourceLost(f"there is no document {url} in the index")
        return page

    def locate(self, ref: str) -> tuple[Page, int, int]:
        """The page of `doc#chunk` and where the chunk stands in it. Raises `SourceLost`."""
        url, mark, number = ref.rpartition("#")
        known = mark and number.isdecimal() and len(number) < 10
        span = self._mended(lambda: self._opened().span(url, int(number))) if known else None
        if span is None:
            raise SourceLost(f"there is no chunk {ref} in the index; refs look like doc#chunk")
        return self.page(url), *span

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
        chunks = self._opened().chunks([key for key, _ in ranked])
        there = [(key, score) for key, score in ranked if key in chunks]
        hits = [_hit(chunks[key], score) for key, score in there]
        if snapshot.vectors is None:
            return merged(hits)
        alike = snapshot.vectors.alike([key for key, _ in there], _ALIKE)
        return merged(hits, lambda one, two: bool(alike[one, two]))

    # ── state ───────────────────────────────────────────────────────────────────────────────

    def _current(self) -> Snapshot:
        """What is published now, loaded again when another process has updated it."""
        with self._mutex:
            while True:
                generation = self._opened().generation()
                if self._snapshot is None or self._snapshot.generation != generation:
                    try:
                        self._snapshot = self._load(self._opened().meta())
                    except Damaged:
                        if self._opened().generation() != generation:
                            continue  # published anew while it was read
                        raise
                return self._snapshot

    def _load(self, meta: dict[str, str]) -> Snapshot:
        if "generation" not in meta:
            return Snapshot("", Keywords(), None, None)
        vectors = None
        if self._embedder is not None:
            vectors = Vectors(*self._opened().vectors(self._embedder.dim))
        return Snapshot(meta["generation"], self._shelf.open(meta), vectors, self._embedder)

    def _opened(self) -> Catalogue:
        """The catalogue. Raises `SourceLost` when the index was never made."""
        with self._mutex:
            if self._catalogue is None:
                path = self._home and self._home / _CATALOGUE
                if path is not None and not path.exists():
                    raise SourceLost(f"{self._docs} is not indexed yet")
                self._catalogue = Catalogue(path)
            return self._catalogue

    def _create(self) -> None:
        if self._home is not None:
            (self._home / _CATALOGUE).touch()
        self._opened().create(self._identity())

    def _identity(self) -> dict[str, str]:
        return {"format": FORMAT, "embedder": self._embedder.name if self._embedder else ""}

    # ── updating and mending ────────────────────────────────────────────────────────────────

    def _update(self, tell: Watch, damage: str) -> IndexReport:
        if self._docs is None:
            raise BadInput("this index has no folder to read")
        with self._mutex:
            home = self._make_home()
            with locked(home and home / "lock", lambda: tell(Progress("waiting"))):
                notice = damage
                try:
                    self._sound(notice)
                    build = self._built(self._docs, tell)
                except Damaged as damaged:
                    notice = f"{damaged}; it was built anew"
                    self._clear()
                    self._create()
                    build = self._built(self._docs, tell)
            self.notice = notice or self.notice
            return self._report(build, notice)

    def _sound(self, damage: str) -> None:
        """Raises `Damaged` when the index must be made anew."""
        if damage:
            raise Damaged(damage)
        if self._home is not None and any(self._home.glob("words-*")):
            path = self._home / _CATALOGUE
            if not path.exists() or not path.stat().st_size:
                raise Damaged(f"the catalogue {path} is gone")
        self._create()
        self._opened().check()
        meta = self._opened().meta()
        for name, value in self._identity().items():
            if meta.get(name) != value:
                raise Damaged(
                    f"the index was made with another {name} ({meta.get(name) or 'none'})"
                )

    def _built(self, docs: Path, tell: Watch) -> Build:
        self._current()  # damage shows itself here
        build = Build(self._opened(), self._shelf, self._embedder, tell)
        build.run(docs, self._max_bytes)
        return build

    def _mended(self, do: Callable[[], T]) -> T:
        """What `do` gives; after a rebuild when it meets damage."""
        try:
            return do()
        except Damaged as damaged:
            if self._docs is None:
                raise
            self._update(_ignore, str(damaged))
            return do()

    def _report(self, build: Build, notice: str) -> IndexReport:
        files, chunks = self._opened().counts()
        lost = tuple(Loss("index", url, why) for url, why in self._opened().lost())
        tally = build.tally
        return IndexReport(
            files, chunks, tally.added, tally.changed, tally.deleted, lost, bool(notice), notice
        )

    def _clear(self) -> None:
        self.close()
        for path in self._home.iterdir() if self._home else ():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != "lock":
                path.unlink(missing_ok=True)

    def _make_home(self) -> Path | None:
        if self._home is not None:
            try:
                self._home.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                why = error.strerror
                raise StoreBroken(f"the index folder {self._home} cannot be made: {why}") from error
        return self._home


def _entry(page: Page) -> Entry:
    return Entry(page.url.encode(), page.url, 0, 0, b"", page, windows(page.text))


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
