"""Updating: what changed in the folder is taken in and published, batch by batch; the rest stays.

An interruption at any instant leaves what was published before.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from leadline.documents.files import list_files
from leadline.documents.ingest import Entry, Known, grouped, take_in_all
from leadline.documents.keywords import Keywords, Writer
from leadline.documents.store import LeftOut, Store, chunk_key, file_of, put, remove, touch

if TYPE_CHECKING:
    from leadline.ports import Embedder

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
        self._done = self._total = 0
        self.added = self.changed = self.deleted = 0

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
        def write(db: sqlite3.Connection) -> None:
            for known in batch:
                entry = next(entries)
                if entry is not None:
                    self._put(db, known.number, entry, writer)
                else:
                    touch(db, known.number, known.file)
                self._done += 1
                self._tell(Progress("reading", self._done, self._total, known.file.url))
            self._tell(Progress("saving", self._done, self._total))
            writer.commit()

        self._store.publish(write)
        writer.remove(known.number for known in batch if known.number)

    def _put(self, db: sqlite3.Connection, old: int, entry: Entry, writer: Writer) -> None:
        if old:
            remove(db, [old])
        number = put(db, entry)
        if entry.page is None:
            return
        self.changed += bool(old)
        self.added += not old
        for at, chunk in enumerate(entry.chunks):
            text = entry.page.text[chunk.start : chunk.end]
            writer.add(chunk_key(number, at), number, entry.page.title, text)
