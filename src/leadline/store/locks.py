"""Who has a run on this machine: whoever holds the lock on its file.

The system drops a lock with the process that holds it, however that ends, so there is no heartbeat
to miss and no clock to trust. That needs one machine, and a folder that is on no network share.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote
from weakref import WeakSet

from leadline.errors import StoreBroken

GLANCE_S = 0.1  # whoever looks whether a lock is held has it for an instant: then try again
AGAIN_S = 0.005


class FileLock:
    """A lock on one file; `take` it, `free` it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def take(self) -> bool:
        """Whether it is ours from now on."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("ab")
        except OSError as error:
            raise StoreBroken(f"cannot write {self._path}: {error.strerror}") from error
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_ino == self._path.stat().st_ino:
                self._file = file
                return True  # else whoever had it has just removed the file
        file.close()
        return False

    def free(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            self.drop()

    def drop(self) -> None:
        """Let the file be; a forked child must, or it would hold the lock of its dead parent."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def held(self) -> bool:
        """Whether anybody has it."""
        try:
            with self._path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False


class RunLocks:
    """The runs that one store of this process has, a locked file each in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours: dict[str, FileLock] = {}
        _ALL.add(self)

    def sweep(self) -> None:
        """Remove what dead processes left."""
        for path in self._folder.glob("*.lock"):
            left = FileLock(path)
            if not left.held() and left.take():
                left.free()

    async def take(self, run_id: str, patience_s: float = 0.0) -> bool:
        """Whether the run is ours from now on, which may take so long."""
        lock = FileLock(self._path(run_id))
        until = time.monotonic() + max(GLANCE_S, patience_s)
        while run_id in self._ours or not lock.take():
            if time.monotonic() > until:
                return False
            await asyncio.sleep(AGAIN_S)
        self._ours[run_id] = lock
        return True

    def free(self, run_id: str) -> None:
        if lock := self._ours.pop(run_id, None):
            lock.free()

    def held(self, run_id: str) -> bool:
        """Whether anybody has the run."""
        return run_id in self._ours or FileLock(self._path(run_id)).held()

    def close(self) -> None:
        for run_id in list(self._ours):
            self.free(run_id)

    def drop(self) -> None:
        for lock in self._ours.values():
            lock.drop()

    def _path(self, run_id: str) -> Path:
        return self._folder / f"{quote(run_id, safe='')}.lock"


_ALL: WeakSet[RunLocks] = WeakSet()


def _drop_inherited() -> None:
    for locks in list(_ALL):
        locks.drop()


os.register_at_fork(after_in_child=_drop_inherited)
