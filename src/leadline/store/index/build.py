"""Building: what changed in the folder is read, cut, embedded and written; the rest is left.

Work is published in batches. Each batch is one transaction of the catalogue that also names the
keyword index belonging to it, so an interruption at any instant leaves the last batch whole.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import SourceLost
from leadline.readers import read, refused
from leadline.store.index.catalogue import Catalogue, Entry, Stamp, chunk_key
from leadline.store.index.keywords import Writer
from leadline.store.index.report import Progress
from leadline.store.index.shelf import Shelf
from leadline.store.index.walk import Found, walk
from leadline.text.windows import windows

if TYPE_CHECKING:
    from leadline.ports import Embedder

MAX_BYTES = 20_000_000  # a larger file is named and passed by
_BATCH_BYTES = 32_000_000  # of files read between two published states
_EMBED_CHUNKS = 256  # chunks embedded at once


@dataclass(slots=True)
class Tally:
    """What an update has done so far."""

    added: int = 0
    changed: int = 0
    deleted: int = 0


@dataclass(slots=True)
class Changes:
    """What the folder holds that the catalogue does not, and the other way round."""

    fresh: list[Found] = field(default_factory=list)
    gone: list[Stamp] = field(default_factory=list)
    done: int = 0


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


def load(docs: Path, file: Found, known: Stamp | None, max_bytes: int) -> Entry | None:
    """The file as an entry of the catalogue; None when it holds what it held before."""
    entry = Entry(file.path, file.url, file.size, file.mtime, b"")
    if why := file.lost or refused(file.url):
        return _lost(entry, why)
    if file.size > max_bytes:
        return _lost(entry, f"larger than {max_bytes:,} bytes")
    try:
        data, size, mtime = _bytes_of(docs / os.fsdecode(file.path), max_bytes)
    except OSError as error:
        return _lost(entry, f"cannot be read: {error.strerror}")
    digest = hashlib.blake2b(data, digest_size=16).digest()
    if known is not None and known.digest == digest:
        return None
    entry = Entry(file.path, file.url, size, mtime, digest)
    try:
        page = read(data, file.url)
    except SourceLost as lost:
        return _lost(entry, str(lost))
    return Entry(file.path, file.url, size, mtime, digest, page, windows(page.text))


def _lost(entry: Entry, why: str) -> Entry:
    return Entry(entry.path, entry.url, entry.size, entry.mtime, entry.digest, lost=why)


def _bytes_of(path: Path, max_bytes: int) -> tuple[bytes, int, int]:
    """Content, size and time; never through a link, never from a pipe, never without end."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "not a regular file")
        return stream.read(max_bytes), info.st_size, info.st_mtime_ns


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
        self._pending: list[tuple[int, list[str]]] = []  # files whose chunks wait for vectors
        self.tally = Tally()

    def run(self, docs: Path, max_bytes: int = MAX_BYTES) -> None:
        self._progress(Progress("scanning"))
        stamps = self._catalogue.stamps()
        found = changes(docs, stamps)
        for batch in _batches(found.fresh) or [[]] * bool(found.gone):
            with self.publishing() as writer:
                while found.gone:
                    self._remove(found.gone.pop(), writer)
                    self.tally.deleted += 1
                for file in batch:
                    self._read(docs, file, stamps.get(file.path), max_bytes, writer)
                    found.done += 1
                    self._progress(Progress("reading", found.done, len(found.fresh), file.url))
                self._progress(Progress("saving", found.done, len(found.fresh)))

    @contextmanager
    def publishing(self) -> Iterator[Writer]:
        """What happens inside counts when it is over, all of it or nothing."""
        with self._catalogue.transaction():
            with self._shelf.branch(self._catalogue.meta()) as writer:
                yield writer
                self._embed()
            for name, value in self._shelf.published().items():
                self._catalogue.set_meta(name, value)
        self._shelf.prune()

    def insert(self, entry: Entry, writer: Writer) -> None:
        """Writes a file that is not there yet; its vectors follow by the batch."""
        file = self._catalogue.add(entry)
        if entry.page is None:
            return
        texts = [entry.page.text[chunk.start : chunk.end] for chunk in entry.chunks]
        for number, text in enumerate(texts):
            writer.add(chunk_key(file, number), file, entry.page.title, text)
        if self._embedder is not None and texts:
            self._pending.append((file, [f"{entry.page.title}\n{text}" for text in texts]))
            if sum(len(waiting) for _, waiting in self._pending) >= _EMBED_CHUNKS:
                self._embed()

    def _read(
        self, docs: Path, file: Found, known: Stamp | None, max_bytes: int, writer: Writer
    ) -> None:
        entry = load(docs, file, known, max_bytes)
        if entry is None:
            assert known is not None
            self._catalogue.touch(known.id, file.size, file.mtime)
            return
        if known is not None:
            self._remove(known, writer)
        if not entry.lost:
            self.tally.changed += known is not None
            self.tally.added += known is None
        self.insert(entry, writer)

    def _embed(self) -> None:
        if self._embedder is None or not self._pending:
            return
        rows = self._embedder.embed([text for _, texts in self._pending for text in texts])
        at = 0
        for file, texts in self._pending:
            self._catalogue.add_vectors(file, rows[at : at + len(texts)])
            at += len(texts)
        self._pending.clear()

    def _remove(self, stamp: Stamp, writer: Writer) -> None:
        self._catalogue.remove(stamp.id)
        writer.remove(stamp.id)


def _batches(files: list[Found]) -> list[list[Found]]:
    """Files in their order, a new batch whenever one holds enough bytes."""
    batches: list[list[Found]] = []
    weight = _BATCH_BYTES
    for file in files:
        if weight >= _BATCH_BYTES:
            batches.append([])
            weight = 0
        batches[-1].append(file)
        weight += file.size
    return batches
