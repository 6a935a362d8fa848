"""Intake: one file becomes an entry of the catalogue, cut into chunks, with their vectors."""

from __future__ import annotations

import hashlib
import os
import stat
import string
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.documents.catalogue import Entry
from leadline.documents.files import Found
from leadline.errors import SourceLost
from leadline.frozen import frozen
from leadline.read.registry import read, refused
from leadline.text.windows import windows

if TYPE_CHECKING:
    from leadline.ports import Embedder

MAX_BYTES = 20_000_000  # a larger file is named and passed by
_DROPPED = (string.punctuation + string.digits).encode()
_NOT_WORDS = bytes.maketrans(_DROPPED, b" " * len(_DROPPED))
Half = np.ndarray[Any, np.dtype[np.float16]]


@frozen
class Job:
    """Files to take in, each with the digest of what it held before, if it is known."""

    docs: Path
    files: tuple[tuple[Found, bytes], ...]
    max_bytes: int


class Taken(NamedTuple):
    """What became of a file; no entry means that it holds what it held before."""

    file: Found
    entry: Entry | None
    vectors: Half | None = None


def take_in(job: Job, embedder: Embedder | None) -> list[Taken]:
    """Reads, cuts and embeds the files of a job."""
    entries = [_entry(job.docs, file, digest, job.max_bytes) for file, digest in job.files]
    vectors = embedded([entry for entry in entries if entry is not None], embedder)
    return [
        Taken(file, entry, vectors.get(entry.path) if entry else None)
        for (file, _), entry in zip(job.files, entries, strict=True)
    ]


def embedded(entries: list[Entry], embedder: Embedder | None) -> dict[bytes, Half]:
    """The vectors of each entry's chunks; a chunk is embedded with the title above it."""
    if embedder is None:
        return {}
    bare = getattr(embedder, "words_only", False)
    texts = [
        meaning(f"{entry.page.title}\n{entry.page.text[chunk.start : chunk.end]}", bare)
        for entry in entries
        if entry.page
        for chunk in entry.chunks
    ]
    rows = embedder.embed(texts).astype(np.float16)
    found, at = {}, 0
    for entry in entries:
        if entry.page:
            found[entry.path] = rows[at : at + len(entry.chunks)]
            at += len(entry.chunks)
    return found


def meaning(text: str, bare: bool) -> str:
    """What is embedded of a text. The bare words do as well where order does not matter, and
    take half the time: SciFact +.020 over BM25 against +.019, Cranfield +.005 and +.005."""
    if not bare:
        return text
    words = text.encode("utf-8", "replace").translate(_NOT_WORDS)  # faster than of str
    return " ".join(words.decode().split())


def lost(file: Found, why: str, digest: bytes = b"") -> Entry:
    return Entry(file.path, file.url, file.size, file.mtime, digest, lost=why)


def _entry(docs: Path, file: Found, known: bytes, max_bytes: int) -> Entry | None:
    url = file.url
    if why := file.lost or refused(url):
        return lost(file, why)
    if file.size > max_bytes:
        return lost(file, f"larger than {max_bytes:,} bytes")
    try:
        data, size, mtime = _bytes_of(os.path.join(docs, os.fsdecode(file.path)), max_bytes)  # noqa: PTH118 - thousands of these
    except OSError as error:
        return lost(file, f"cannot be read: {error.strerror}")
    digest = hashlib.blake2b(data, digest_size=16).digest()
    if known == digest:
        return None
    try:
        page = read(data, url)
    except SourceLost as error:
        return Entry(file.path, url, size, mtime, digest, lost=str(error))
    return Entry(file.path, url, size, mtime, digest, page, windows(page.text))


def _bytes_of(path: str, max_bytes: int) -> tuple[bytes, int, int]:
    """Content, size and time; never through a link, never from a pipe, never without end."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "not a regular file")
        return stream.read(max_bytes), info.st_size, info.st_mtime_ns
