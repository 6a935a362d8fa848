"""Building: what changed in the folder is taken in and published, batch by batch; the rest stays.

A batch is written to the store, then to the keyword index, then published by one transaction, so
an interruption at any instant leaves what was published before.
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
from leadline.documents.store import Entry, LeftOut, Stamp, Store, chunk_key

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


@dataclass(frozen=True)
class Changes:
    """What the folder holds that the store does not, and the other way round."""

    fresh: list[Found]
    gone: list[Stamp]


def changes(docs: Path, stamps: dict[bytes, Stamp]) -> Changes:
    """Compares sizes and times only; nothing is opened."""
    left, fresh = dict(stamps), []
    for file in list_files(docs):
        stamp = left.pop(file.path, None)
        if stamp is None or not _is_same(file, stamp):
            fresh.append(file)
    return Changes(fresh, list(left.values()))


def _is_same(file: Found, stamp: Stamp) -> bool:
    if file.left_out:
        return file.left_out.why == stamp.why
    return (file.size, file.mtime) == (stamp.size, stamp.mtime)


class Build:
    """One update of one index. The caller holds the lock."""

    def __init__(
        self,
        store: Store,
        keywords: Keywords,
        embedder: Embedder | None,
        progress: Callable[[Progress], None],
    ) -> None:
        self._store = store
        self._keywords = keywords
        self._embedder = embedder
        self._progress = progress
        self.added = self.changed = self.deleted = 0

    def run(self, docs: Path, max_bytes: int) -> None:
        """Takes in what changed and publishes it, batch by batch."""
        self._progress(Progress("scanning"))
        stamps = self._store.stamps()
        found = changes(docs, stamps)
        self.deleted = len(found.gone)
        if not (found.fresh or found.gone or self._store.unwanted()):
            return
        files = [(file, _digest(stamps, file)) for file in found.fresh]
        with (
            closing(take_in_all(docs, files, max_bytes, self._embedder)) as results,
            self._keywords.writing() as writer,
        ):
            with self._store.transaction():
                self._store.retire(stamp.id for stamp in found.gone)
            self._write_all(found.fresh, results, stamps, writer)
            self._sweep(writer)

    def insert(self, entries: Sequence[Entry]) -> None:
        """Writes documents that are not there yet."""
        with self._keywords.writing() as writer:
            with self._store.transaction():
                for entry in entries:
                    self._insert(entry, writer)
            self._publish(writer)

    def _write_all(
        self,
        files: list[Found],
        results: Iterator[Entry | None],
        stamps: dict[bytes, Stamp],
        writer: Writer,
    ) -> None:
        done = 0
        while done < len(files):
            size = 0
            with self._store.transaction():
                while done < len(files) and size < _BATCH_BYTES:
                    file = files[done]
                    self._write(file, next(results), stamps.get(file.path), writer)
                    done, size = done + 1, size + file.size
                    self._progress(Progress("reading", done, len(files), file.url))
            self._progress(Progress("saving", done, len(files)))
            self._publish(writer)

    def _write(self, file: Found, entry: Entry | None, known: Stamp | None, writer: Writer) -> None:
        if entry is None:
            if known is not None:
                self._store.touch(known, file.size, file.mtime)
            return
        if entry.left_out is None:
            self.changed += known is not None
            self.added += known is None
        self._insert(entry, writer)

    def _insert(self, entry: Entry, writer: Writer) -> None:
        number = self._store.add(entry)
        if entry.page is None:
            return
        for at, chunk in enumerate(entry.chunks):
            text = entry.page.text[chunk.start : chunk.end]
            writer.add(chunk_key(number, at), number, entry.page.title, text)

    def _publish(self, writer: Writer) -> None:
        writer.commit()
        with self._store.transaction():
            self._store.publish()

    def _sweep(self, writer: Writer) -> None:
        """Removes what nobody sees any more, from the keyword index first."""
        unwanted = self._store.unwanted()
        if not unwanted:
            return
        for number in unwanted:
            writer.remove(number)
        writer.commit()
        with self._store.transaction():
            self._store.forget(unwanted)


def _digest(stamps: dict[bytes, Stamp], file: Found) -> bytes:
    stamp = stamps.get(file.path)
    return stamp.digest if stamp else b""
