"""One writer at a time: a lock on a file, which the system lets go when its holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.errors import StoreBroken


@contextmanager
def locked(path: Path | None, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the lock; calls `waiting` once when somebody else has it. No path, no lock."""
    if path is None:
        yield
        return
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreBroken(
            f"the index folder cannot be written: {path}: {error.strerror}"
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
