"""Building: what changed in the folder is taken in and published, batch by batch; the rest stays.

A batch goes into the keyword index, then into the store in one transaction, so an interruption at
any instant leaves what was published before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from leadline.documents.files import Found, list_files
from leadline.documents.ingest import take_in_all
from leadline.documents.keywords import Keywords, Writer
from leadline.documents.store import Entry, LeftOut, Stamp, Store, Writing, chunk_key

if TYPE_CHECKING:
    from leadline.ports import Embedder

MAX_BYTES = 20_000_000  # a larger file is left out
_BATCH_BYTES = 32_000_000  # of files read between two published states


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
    rebuilt: bool = False
    notice: str = ""

    @property
    def unchanged(self) -> int:
        return self.files - self.added - self.changed

    @property
    def left_out(self) -> dict[str, int]:
        """How many files were left out, by the kind of reason."""
        return dict(Counter(one.kind for one in self.skipped).most_common())


Fresh = tuple[Found, Stamp | None]
"""A file to take in, and what is known of it from the last time."""


def changes(docs: Path, store: Store) -> tuple[list[Fresh], list[int]]:
    """What the folder holds that the store does not, and the numbers of what it holds no more.

    Compares sizes and times only; no file is opened.
    """
    left = store.stamps()
    pairs = [(file, left.pop(file.path, None)) for file in list_files(docs)]
    fresh = [(file, stamp) for file, stamp in pairs if not stamp or not _is_same(file, stamp)]
    return fresh, [stamp.id for stamp in left.values()]


def _is_same(file: Found, stamp: Stamp) -> bool:
    if file.left_out:
        return file.left_out.why == stamp.why
    return (file.size, file.mtime) == (stamp.size, stamp.mtime)


class Build:
    """One update of one index, and what it did. The caller holds the lock."""

    def __init__(self, store: Store, folder: Path, tell: Watch) -> None:
        self._store, self._folder, self._tell = store, folder, tell
        self._done = self._total = 0
        self.added = self.changed = self.deleted = 0

    def run(self, docs: Path, max_bytes: int, embedder: Embedder | None) -> None:
        """Takes in what changed and publishes it, batch by batch."""
        self._tell(Progress("scanning"))
        fresh, gone = changes(docs, self._store)
        if not (fresh or gone or self._store.stale()):
            return
        self._store.check()
        self._total, self.deleted = len(fresh), len(gone)
        files = [(file, stamp.digest if stamp else b"") for file, stamp in fresh]
        with (
            closing(take_in_all(docs, files, max_bytes, embedder)) as entries,
            Keywords(self._folder).writing() as writer,
        ):
            if gone:
                self._store.write(lambda db: db.remove(gone))
            for batch in _batches(fresh):
                self._publish(batch, entries, writer)
            self._sweep(writer)

    def insert(self, entries: Sequence[Entry]) -> None:
        """Writes documents that are not there yet."""
        with Keywords(self._folder).writing() as writer:
            self._publish([(entry.file, None) for entry in entries], iter(entries), writer)

    def _publish(
        self, batch: Sequence[Fresh], entries: Iterator[Entry | None], writer: Writer
    ) -> None:
        """Writes some files, seen when all of them are written."""
        numbers = self._store.reserve(len(batch))

        def write(db: Writing) -> None:
            for file, stamp in batch:
                entry = next(entries)
                if entry is not None:
                    self._put(db, next(numbers), entry, stamp, writer)
                elif stamp is not None:
                    db.touch(stamp, file.size, file.mtime)
                self._done += 1
                self._tell(Progress("reading", self._done, self._total, file.url))
            self._tell(Progress("saving", self._done, self._total))
            writer.commit()

        self._store.write(write)

    def _put(
        self, db: Writing, number: int, entry: Entry, stamp: Stamp | None, writer: Writer
    ) -> None:
        if stamp is not None:
            db.remove([stamp.id])
        db.put(number, entry)
        if entry.page is None:
            return
        self.changed += stamp is not None
        self.added += stamp is None
        for at, chunk in enumerate(entry.chunks):
            text = entry.page.text[chunk.start : chunk.end]
            writer.add(chunk_key(number, at), number, entry.page.title, text)

    def _sweep(self, writer: Writer) -> None:
        """Removes from the keyword index what stands under no file."""
        stale = self._store.stale()
        if stale:
            writer.remove(stale)
            writer.commit()
            self._store.forget(stale)


def _batches(files: Sequence[Fresh]) -> Iterator[Sequence[Fresh]]:
    """Files in their order, as many as have bytes enough."""
    begin = size = 0
    for end, (file, _) in enumerate(files, 1):
        size += file.size
        if size >= _BATCH_BYTES or end == len(files):
            yield files[begin:end]
            begin, size = end, 0
