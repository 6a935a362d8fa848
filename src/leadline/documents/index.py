"""The document index as its users see it: open, update, search, page.

What changed in the folder is taken in and published, batch by batch; an interruption at any instant
leaves what was published before.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from leadline.documents.files import File, list_files
from leadline.documents.ingest import Entry, Known, grouped, page_entry, take_in_all
from leadline.documents.keywords import Keywords, Writer
from leadline.documents.search import Mode, Snapshot, merged
from leadline.documents.store import (
    Document,
    LeftOut,
    Store,
    chunk_key,
    file_of,
    put,
    remove,
    touch,
)
from leadline.errors import BadInput, SourceLost, StoreBroken
from leadline.keep.sqlite import Damaged, locked, notice
from leadline.types import Hit, Page

if TYPE_CHECKING:
    from leadline.ports import Embedder

T = TypeVar("T")

_BATCH_BYTES = 32_000_000  # of files read between two published states
MAX_BYTES = 20_000_000  # a larger file is left out
_STORE = "catalogue-5.db"  # the number is the format of the whole: an index of another is rebuilt
_WORDS, _LOCK = "words", "lock"


@dataclass(frozen=True)
class Progress:
    """`done` of `total` files; `waiting` means that another process is updating this index."""

    stage: Literal["waiting", "scanning", "reading", "saving"]
    done: int = 0
    total: int = 0
    name: str = ""


Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class IndexReport:
    """The index after an update. `notice` says why an index had to be rebuilt, if it had."""

    files: int
    chunks: int
    added: int = 0
    changed: int = 0
    deleted: int = 0
    skipped: tuple[LeftOut, ...] = ()
    notice: str = ""

    @property
    def rebuilt(self) -> bool:
        return bool(self.notice)

    @property
    def unchanged(self) -> int:
        return self.files - self.added - self.changed

    @property
    def left_out(self) -> dict[str, int]:
        """How many files were left out, by the kind of reason."""
        return dict(Counter(one.kind for one in self.skipped).most_common())


class DocIndex:
    """Documents made searchable. Safe to use from several threads; see `open`, `in_memory`.

    Damage that shows while searching is mended by a rebuild, and `notice` then says so.
    """

    def __init__(
        self, home: Path, docs: Path | None, embedder: Embedder | None, max_bytes: int
    ) -> None:
        self._home, self._docs = home, docs
        self._embedder, self._max_bytes = embedder, max_bytes
        self._mutex = threading.RLock()
        self._store = Store(home / _STORE)
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
        index._check_made(new=True)
        pages = [Page(name, title, text, kind="document") for name, title, text in docs]
        entries = (page_entry(File(page.url), page, embedder, page.hash.encode()) for page in pages)
        index._update(_ignore).publish([Known(File(page.url)) for page in pages], entries)
        return index

    # ── keeping up ──────────────────────────────────────────────────────────────────────────

    def update(self, progress: Watch | None = None) -> IndexReport:
        """Brings the index up to its folder. A damaged index is rebuilt, and the report says so."""
        tell = progress or _ignore
        why = ""
        with self._writing(tell) as docs:
            try:
                done = self._updated(docs, tell)
            except Damaged as damaged:
                why = self._discarded(damaged)
                done = self._updated(docs, tell)
        counts = *self._store.counts(), done.added, done.changed, done.deleted
        return IndexReport(*counts, self._store.left_out(), why)

    def needs_update(self) -> bool:
        """Whether a file was added, changed or deleted since; nothing is opened."""
        if self._docs is None:
            return False
        try:
            self._check_made()
            return any(changes(self._docs, self._store))
        except (Damaged, SourceLost):
            return True

    def close(self) -> None:
        with self._mutex:
            self._store.close()
            self._snapshot = None

    def _updated(self, docs: Path, tell: Watch) -> Update:
        """The update that was made. Raises `Damaged` when the index must be made anew."""
        self._check_made(new=True)
        self._store.check_embedder(self._embedder_name)
        update = self._update(tell)
        update.run(docs, self._max_bytes, self._embedder)
        return update

    def _update(self, tell: Watch) -> Update:
        return Update(self._store, self._home / _WORDS, tell)

    # ── finding ─────────────────────────────────────────────────────────────────────────────

    def search(
        self, query: str, k: int, *, mode: Mode = "hybrid", min_score: float = 0.0
    ) -> tuple[Hit, ...]:
        """The best `k` hits with a score above zero and of at least `min_score`, best first."""
        try:
            return self._mended(lambda: self._search(query, k, mode, min_score))
        except SourceLost:  # it was never made
            return ()

    def page(self, url: str) -> Page:
        """The whole text of a document as it was indexed. Raises `SourceLost`."""
        document = self._mended(lambda: self._document(url))
        if document is None:
            raise SourceLost(f"there is no document {url} in the index")
        return document.page

    def locate(self, ref: str) -> tuple[Page, int, int]:
        """The page of `doc#chunk` and where the chunk stands in it. Raises `SourceLost`."""
        url, _, number = ref.rpartition("#")
        document = self._mended(lambda: self._document(url))
        if document and number.isdecimal() and int(number) < len(document.chunks):
            chunk = document.chunks[int(number)]
            return document.page, chunk.start, chunk.end
        raise SourceLost(f"there is no chunk {ref} in the index; refs look like doc#chunk")

    def _document(self, url: str) -> Document | None:
        self._check_made()
        return self._store.document(url)

    def _search(self, query: str, k: int, mode: Mode, min_score: float) -> tuple[Hit, ...]:
        ranked = self._current().ranked(query, mode, k)
        good = [(key, score) for key, score in ranked if score >= min_score]
        hits: list[Hit] = []
        taken = 0
        while len(hits) < k and taken < len(good):  # merging may leave too few
            taken = min(len(good), 2 * taken + k + 4)
            hits = merged(self._store.hits(good[:taken]))
        return tuple(hits[:k])

    def _current(self) -> Snapshot:
        """What is published now, loaded again when it has been updated."""
        with self._mutex:
            self._check_made()
            generation = self._store.generation()
            if self._snapshot is None or self._snapshot.generation != generation:
                self._snapshot = self._loaded(generation)
            return self._snapshot

    def _loaded(self, generation: str) -> Snapshot:
        self._store.check_embedder(self._embedder_name)
        keywords = Keywords(self._home / _WORDS)
        if len(keywords) < self._store.counts()[1]:
            raise Damaged(f"the keyword index in {self._home} has not every chunk")
        dim = self._embedder.dim if self._embedder else 0
        return Snapshot(generation, keywords, self._embedder, *self._store.vectors(dim))

    # ── making and mending ──────────────────────────────────────────────────────────────────

    @property
    def _embedder_name(self) -> str:
        return self._embedder.name if self._embedder else ""

    def _check_made(self, new: bool = False) -> None:
        """Raises `SourceLost` when the index was never made, but makes a `new` one where that is
        wanted; `Damaged` when its catalogue is gone."""
        store, words = self._home / _STORE, self._home / _WORDS
        if new and not words.exists():
            self._store.create(self._embedder_name)
            words.mkdir()
        elif not store.exists() and words.exists():
            raise Damaged(f"the index in {self._home} is of another version, or not whole")
        elif not store.exists():
            raise SourceLost(f"{self._docs} is not indexed yet")

    @contextmanager
    def _writing(self, tell: Watch) -> Iterator[Path]:
        """The folder to read. No other thread or process writes meanwhile."""
        if self._docs is None:
            raise BadInput("this index has no folder to read")
        try:
            self._home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = f"the index folder {self._home} cannot be made: {error.strerror}"
            raise StoreBroken(why) from error
        with self._mutex, locked(self._home / _LOCK, lambda: tell(Progress("waiting"))):
            yield self._docs

    def _discarded(self, damaged: Damaged) -> str:
        """Deletes the whole index, and gives the word on it."""
        self.close()
        for path in self._home.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != _LOCK:
                path.unlink(missing_ok=True)
        self.notice = f"{damaged}; it was built anew"
        return self.notice

    def _mended(self, do: Callable[[], T]) -> T:
        """What `do` gives; after a rebuild when it meets damage that is not another's work."""
        try:
            return do()
        except Damaged:
            if self._docs is None:
                raise
        with self._writing(_ignore) as docs:
            self.close()
            try:
                return do()
            except Damaged as damaged:
                notice(self._discarded(damaged))
                self._updated(docs, _ignore)
        return do()


def _ignore(progress: Progress) -> None:
    """Nobody watches."""


def changes(docs: Path, store: Store) -> tuple[list[Known], list[int]]:
    """What the folder holds that the store does not, and the numbers of what it holds no more.

    Compares sizes and times only; no file is opened.
    """
    left, fresh = store.stamps(), list[Known]()
    for file in list_files(docs):
        stamp = left.pop(file.url, None)
        if stamp is None or not stamp.is_of(file):
            fresh.append(Known(file, stamp.number, stamp.digest) if stamp else Known(file))
    return fresh, [stamp.number for stamp in left.values()]


class Update:
    """One update of one index, and what it did. The caller holds the lock."""

    def __init__(self, store: Store, words: Path, tell: Watch) -> None:
        self._store, self._words, self._tell = store, words, tell
        self._done = self._total = self.added = self.changed = self.deleted = 0

    def run(self, docs: Path, max_bytes: int, embedder: Embedder | None) -> None:
        """Takes in what changed in the folder."""
        self._tell(Progress("scanning"))
        fresh, gone = changes(docs, self._store)
        if fresh or gone:
            self._store.check()
            with closing(take_in_all(fresh, max_bytes, embedder)) as entries:
                self.publish(fresh, entries, gone)

    def publish(
        self, fresh: Sequence[Known], entries: Iterator[Entry | None], gone: Sequence[int] = ()
    ) -> None:
        """Writes what became of the files, batch by batch; each is seen when it is whole."""
        self._total, self.deleted = len(fresh), len(gone)
        keywords = Keywords(self._words)
        with keywords.writing() as writer:
            writer.remove(self._orphans(keywords))
            if gone:
                self._store.publish(lambda db: remove(db, gone))
                writer.remove(gone)
            for batch in grouped(fresh, _BATCH_BYTES):
                self._publish(batch, entries, writer)
            writer.commit()

    def _orphans(self, keywords: Keywords) -> set[int]:
        """Numbers of files that an update which was interrupted left in the keyword index."""
        if len(keywords) == self._store.counts()[1]:
            return set()
        known = {stamp.number for stamp in self._store.stamps().values()}
        return {file_of(key) for key in keywords.all_keys()} - known

    def _publish(
        self, batch: Sequence[Known], entries: Iterator[Entry | None], writer: Writer
    ) -> None:
        replaced = list[int]()

        def write(db: sqlite3.Connection) -> None:
            for known in batch:
                entry = next(entries)
                if entry is None:
                    touch(db, known.number, known.file)
                else:
                    old = [known.number] if known.number else []
                    remove(db, old)
                    replaced.extend(old)
                    self._put(db, entry, writer, is_new=not old)
                self._done += 1
                self._tell(Progress("reading", self._done, self._total, known.file.url))
            self._tell(Progress("saving", self._done, self._total))
            writer.commit()

        self._store.publish(write)
        writer.remove(replaced)

    def _put(self, db: sqlite3.Connection, entry: Entry, writer: Writer, is_new: bool) -> None:
        number = put(db, entry)
        if entry.page is None:
            return
        self.added += is_new
        self.changed += not is_new
        for at, chunk in enumerate(entry.chunks):
            text = entry.page.text[chunk.start : chunk.end]
            writer.add(chunk_key(number, at), number, entry.page.title, text)
