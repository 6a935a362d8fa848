"""Taking in: a file becomes an entry of the index, cut into chunks, with their vectors.

Many files are taken in by several processes at the same time, which a bad file may kill.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import string
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.documents.files import File, Reason, holds_private_key, read_bytes
from leadline.errors import SourceLost
from leadline.text.windows import Window, windows
from leadline.types import Page

if TYPE_CHECKING:
    from leadline.ports import Embedder

_MOST_WORKERS = 6
_JOB_BYTES = (500_000, 16_000_000)  # at least, and at most: an interrupt waits for those begun
_FILE_BYTES = 4_000  # what opening a file costs beside its bytes
_BIG = 4_000_000  # bytes below which starting workers costs more than it saves
_DROPPED = (string.punctuation + string.digits).encode()
_NOT_WORDS = bytes.maketrans(_DROPPED, b" " * len(_DROPPED))


class Known(NamedTuple):
    """A file to take in; and its number in the store and the digest of what it held, if known."""

    file: File
    number: int = 0
    digest: bytes = b""


class Entry(NamedTuple):
    """A file as it goes into the store, with its page or the reason why there is none."""

    file: File
    digest: bytes = b""
    page: Page | None = None
    chunks: tuple[Window, ...] = ()
    vectors: bytes = b""
    left_out: Reason | None = None


@dataclass(frozen=True)
class Job:
    """Files to take in at once."""

    files: tuple[Known, ...]
    max_bytes: int
    embedder: Embedder | None


def take_in(job: Job) -> list[Entry | None]:
    """Reads, cuts and embeds the files of a job; None for one that holds what it held before."""
    return [_entry(known, job) for known in job.files]


def page_entry(file: File, page: Page, embedder: Embedder | None, digest: bytes) -> Entry:
    """A page cut into chunks; each is embedded with the title above it."""
    chunks = windows(page.text)
    vectors = b""
    if embedder is not None:
        texts = [f"{page.title}\n{page.text[chunk.start : chunk.end]}" for chunk in chunks]
        rows = embedder.embed([meaning(text, embedder) for text in texts])
        vectors = rows.astype(np.float16).tobytes()
    return Entry(file, digest, page, chunks, vectors)


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def meaning(text: str, embedder: Embedder) -> str:
    """What is embedded of a text. The bare words do as well where order does not matter, and
    take half the time: SciFact +.020 over BM25 against +.019, Cranfield +.005 and +.005."""
    if not getattr(embedder, "words_only", False):
        return text
    words = text.encode("utf-8", "replace").translate(_NOT_WORDS)  # faster than of str
    return " ".join(words.decode().split())


def _entry(known: Known, job: Job) -> Entry | None:
    # Not with the module: a question over an index that is up to date reads no file.
    from leadline.read.registry import read, refused

    file, reason = known.file, known.file.left_out
    if not reason and (why := refused(file.url)):
        reason = Reason("format", why)
    if not reason and file.size > job.max_bytes:
        reason = Reason("size", f"larger than {job.max_bytes:,} bytes")
    if reason:
        return Entry(file, left_out=reason)
    digest = b""
    try:
        data, size, mtime = read_bytes(file.path, job.max_bytes)
        digest = _digest(data)
        if known.digest == digest:
            return None
        file = file._replace(size=size, mtime=mtime)
        page = read(data, file.url)
    except OSError as error:
        return Entry(file, left_out=Reason("unreadable", f"cannot be read: {error.strerror}"))
    except SourceLost as error:
        return Entry(file, digest, left_out=Reason("unreadable", str(error)))
    if not file.by_name and holds_private_key(page.text):
        return Entry(file, digest, left_out=Reason("secret", "it holds a private key"))
    return page_entry(file, page, job.embedder, digest)


def take_in_all(
    files: Sequence[Known], max_bytes: int, embedder: Embedder | None
) -> Generator[Entry | None, None, None]:
    """What becomes of each file, in their order; of many, by several processes."""
    size = sum(known.file.size for known in files if known.file.size <= max_bytes)
    cores = min(os.cpu_count() or 1, _MOST_WORKERS)
    alone = cores == 1 or size < _BIG
    share = _JOB_BYTES[0] if alone else min(max(size // (2 * cores), _JOB_BYTES[0]), _JOB_BYTES[1])
    jobs = (Job(group, max_bytes, embedder) for group in grouped(files, share))
    if alone:
        yield from chain.from_iterable(map(take_in, jobs))
        return
    threads = ThreadPoolExecutor(cores)  # each waits for a process
    try:
        yield from chain.from_iterable(threads.map(take_in_apart, jobs))
    finally:
        threads.shutdown(cancel_futures=True)


def grouped(files: Iterable[Known], size: int) -> Iterator[tuple[Known, ...]]:
    """Files in their order, a new group whenever one has enough bytes."""
    group: list[Known] = []
    weight = 0
    for known in files:
        group.append(known)
        weight += known.file.size + _FILE_BYTES
        if weight >= size:
            yield tuple(group)
            group, weight = [], 0
    if group:
        yield tuple(group)


def take_in_apart(job: Job) -> list[Entry | None]:
    """The same in a process of its own, so that a bad file kills no more than that: it is named.

    A program of ours, not one of multiprocessing or anyio: those run the caller's main module a
    second time, and where that starts a run unguarded, it would start another without end.
    """
    program = "from leadline.documents.ingest import answer; answer()"
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-P", "-c", program],
        input=pickle.dumps(job),
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode == 0:
        entries: list[Entry | None] = pickle.loads(done.stdout)  # noqa: S301 - of our own process
        return entries
    if len(job.files) == 1:
        return [Entry(job.files[0].file, left_out=_DEADLY)]
    half = len(job.files) // 2
    halves = job.files[:half], job.files[half:]
    parts = (Job(files, job.max_bytes, job.embedder) for files in halves)
    return list(chain.from_iterable(map(take_in_apart, parts)))


_DEADLY = Reason("unreadable", "the reader crashed on it")


def answer() -> None:
    """What such a process runs: a job on its input, the entries on its output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner decides what an interrupt means
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not break the protocol
    job = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this
    with sink:
        pickle.dump(take_in(job), sink)
