"""Downloads that wait to be read: a run killed in between does not fetch them again.

Reading a page takes longer than fetching it. What came over the network is written down at once and
goes when the page has been read.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from leadline.errors import StoreBroken
from leadline.keep.sqlite import in_words
from leadline.types import content_id

MAX_AGE_S = 3600.0  # what a crash left behind longer ago is not the page of today
About = dict[str, str | int]


class KeepsDownloads(Protocol):
    """Raw answers by address: `Downloads`, or the same in PostgreSQL."""

    def put(self, address: str, about: About, data: bytes) -> None: ...

    def get(self, address: str) -> tuple[About, bytes] | None: ...

    def drop(self, address: str) -> None: ...


class Downloads:
    """Raw answers by address, one file each. Safe for many processes: whole files or none."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._folder, self._now = folder, now
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.iterdir():  # what killed runs left, nobody would come for it
                with suppress(FileNotFoundError):  # another process was quicker
                    if self._is_old(path):
                        path.unlink()
        except OSError as error:
            why = in_words(folder / "any", error)
            raise StoreBroken(f"downloads cannot be kept: {why}") from error

    def put(self, address: str, about: About, data: bytes) -> None:
        """Keep an answer. A full disk costs the safety, not the page."""
        path = self._path(address)
        part = path.with_suffix(f".{os.getpid()}")
        try:
            part.write_bytes(json.dumps(about).encode() + b"\n" + data)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)

    def get(self, address: str) -> tuple[About, bytes] | None:
        """What was kept lately for this address."""
        path = self._path(address)
        try:
            if self._is_old(path):
                return None
            head, _, data = path.read_bytes().partition(b"\n")
            about: About = json.loads(head)
        except (OSError, ValueError):
            return None
        return about, data

    def drop(self, address: str) -> None:
        """The page has been read, or cannot be."""
        self._path(address).unlink(missing_ok=True)

    def _is_old(self, path: Path) -> bool:
        return self._now() - path.stat().st_mtime > MAX_AGE_S

    def _path(self, address: str) -> Path:
        return self._folder / f"{content_id(address)}.raw"
