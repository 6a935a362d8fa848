"""Building: what changed in the folder is taken in and written; the rest is left.

Work is published in batches. Each batch is one transaction of the catalogue that also names the
keyword index belonging to it, so an interruption at any instant leaves the last batch whole.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.documents.catalogue import Catalogue, Entry, Stamp, chunk_key
from leadline.documents.files import Found, walk
from leadline.documents.ingest import Half, Job, Taken, embedded
from leadline.documents.keyword_folders import Shelf
from leadline.documents.keywords import Writer
from leadline.documents.report import Progress
from leadline.documents.workers import hands_for, taken_in

if TYPE_CHECKING:
    from leadline.ports import Embedder

_BATCH_BYTES = 32_000_000  # of files read between two published states
_JOB_BYTES = 500_000
_JOB_FILES = 64


@dataclass(slots=True)
class Tally:
    """What an update has done so far."""

    added: int = 0
    changed: int = 0
    deleted: int = 0
    done: int = 0
    total: int = 0


@dataclass(slots=True)
class Changes:
    """What the folder holds that the catalogue does not, and the other way round."""

    fresh: list[Found] = field(default_factory=list)
    gone: list[Stamp] = field(default_factory=list)


def changes(docs: Path, stamps: dict[bytes, Stamp]) -> Changes:
    """Compares sizes and times only; nothing is opened."""
    left = dict(stamps)
    found = Changes()
    for file in walk(docs):
        stamp = left.pop(file.path, None)
        if stamp is None or not _same(file, stamp):
            found.fresh.append(file)
    found.gone = list(left.values())
    return found


def _same(file: Found, stamp: Stamp) -> bool:
    if file.lost:
        return file.lost == stamp.lost
    return (file.size, file.mtime) == (stamp.size, stamp.mtime)


class Build:
    """One update of one index. The caller holds the lock."""

    def __init__(
        self,
        catalogue: Catalogue,
        shelf: Shelf,
        embedder: Embedder | None,
        progress: Callable[[Progress], None],
    ) -> None:
        self._catalogue = catalogue
        self._shelf = shelf
        self._embedder = embedder
        self._progress = progress
        self.tally = Tally()

    def run(self, docs: Path, max_bytes: int) -> None:
        """Takes in what changed and publishes it, batch by batch."""
        self._progress(Progress("scanning"))
        stamps = self._catalogue.stamps()
        found = changes(docs, stamps)
        batches = _grouped(found.fresh, _BATCH_BYTES, len(found.fresh)) or [[]] * bool(found.gone)
        jobs = [job for batch in batches for job in _jobs(docs, batch, stamps, max_bytes)]
        hands = hands_for(sum(file.size for file in found.fresh if file.size <= max_bytes))
        self.tally.total = len(found.fresh)
        travels = not hands or _travels(self._embedder)
        with closing(taken_in(jobs, self._embedder if travels else None, hands)) as results:
            for batch in batches:
                with self.publishing() as writer:
                    while found.gone:
                        self._remove(found.gone.pop(), writer)
                        self.tally.deleted += 1
                    self._write(len(batch), results, stamps, writer)

    @contextmanager
    def publishing(self) -> Iterator[Writer]:
        """What happens inside counts when it is over, all of it or nothing."""
        with self._catalogue.transaction():
            with self._shelf.branch(self._catalogue.meta()) as writer:
                yield writer
            for name, value in self._shelf.published().items():
                self._catalogue.set_meta(name, value)
        self._shelf.prune()

    def insert(self, entries: Iterable[Entry], writer: Writer) -> None:
        """Writes documents that are not there yet."""
        for entry in entries:
            self._insert(entry, embedded([entry], self._embedder).get(entry.path), writer)

    def _write(
        self,
        count: int,
        results: Iterator[list[Taken]],
        stamps: dict[bytes, Stamp],
        writer: Writer,
    ) -> None:
        """Writes the results of the next `count` files."""
        tally = self.tally
        while count:
            some = next(results)
            count -= len(some)
            for taken in some:
                self._keep(taken, stamps.get(taken.file.path), writer)
                tally.done += 1
                self._progress(Progress("reading", tally.done, tally.total, taken.file.url))
        self._progress(Progress("saving", tally.done, tally.total))

    def _keep(self, taken: Taken, known: Stamp | None, writer: Writer) -> None:
        entry = taken.entry
        if entry is None:
            if known is not None:
                self._catalogue.touch(known.id, taken.file.size, taken.file.mtime)
            return
        if known is not None:
            self._remove(known, writer)
        if not entry.lost:
            self.tally.changed += known is not None
            self.tally.added += known is None
        vectors = taken.vectors
        if vectors is None and entry.page is not None:
            vectors = embedded([entry], self._embedder).get(entry.path)
        self._insert(entry, vectors, writer)

    def _insert(self, entry: Entry, vectors: Half | None, writer: Writer) -> None:
        file = self._catalogue.add(entry)
        if entry.page is None:
            return
        for number, chunk in enumerate(entry.chunks):
            text = entry.page.text[chunk.start : chunk.end]
            writer.add(chunk_key(file, number), file, entry.page.title, text)
        if vectors is not None:
            self._catalogue.add_vectors(file, vectors)

    def _remove(self, stamp: Stamp, writer: Writer) -> None:
        self._catalogue.remove(stamp.id)
        writer.remove(stamp.id)


def _travels(embedder: Embedder | None) -> bool:
    """Whether another process can have the embedder; one that holds a connection cannot."""
    try:
        pickle.dumps(embedder)
    except (TypeError, AttributeError, pickle.PicklingError):
        return False
    return True


def _jobs(
    docs: Path, files: list[Found], stamps: dict[bytes, Stamp], max_bytes: int
) -> Iterator[Job]:
    for group in _grouped(files, _JOB_BYTES, _JOB_FILES):
        known = (stamps.get(file.path) for file in group)
        digests = [stamp.digest if stamp else b"" for stamp in known]
        yield Job(docs, tuple(zip(group, digests, strict=True)), max_bytes)


def _grouped(files: list[Found], size: int, count: int) -> list[list[Found]]:
    """Files in their order, a new group whenever one has enough bytes or files."""
    groups: list[list[Found]] = []
    weight = size
    for file in files:
        if weight >= size or len(groups[-1]) >= count:
            groups.append([])
            weight = 0
        groups[-1].append(file)
        weight += file.size
    return groups
