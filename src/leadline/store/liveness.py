"""Which processes are alive: each holds a lock on a file of its own for as long as it lives.

The system drops the lock with the process, however it dies, so there is no heartbeat to miss and
no clock to trust. That needs one machine; many machines need another `Liveness`.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from leadline.errors import StoreBroken

# Record locks belong to a process: taking one twice from the same process always succeeds, and
# closing any handle of the file drops it. So a process must never ask the file about itself.
_OWN: set[str] = set()


class Liveness(Protocol):
    """Says who is alive, and that we are."""

    def announce(self, executor: str) -> None:
        """From now until `retire` or death, `executor` is alive."""

    def retire(self, executor: str) -> None: ...

    def alive(self, executor: str) -> bool: ...

    def count(self) -> int:
        """How many are alive."""

    def sweep(self) -> None:
        """Remove what dead processes left. Never while another one announces itself."""


class FileLiveness:
    """A locked file per process, in one folder.

    Record locks rather than `flock`: a forked child would inherit a `flock` and keep its dead
    parent looking alive.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, IO[bytes]] = {}

    def announce(self, executor: str) -> None:
        path = self._path(executor)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle = path.open("wb")
            fcntl.lockf(handle, fcntl.LOCK_EX)
        except OSError as error:
            raise StoreBroken(f"cannot write {path}: {error.strerror}") from error
        self._held[executor] = handle
        _OWN.add(executor)

    def retire(self, executor: str) -> None:
        handle = self._held.pop(executor, None)
        if handle is None:
            return
        with suppress(OSError):
            self._path(executor).unlink()
        handle.close()
        _OWN.discard(executor)

    def alive(self, executor: str) -> bool:
        if executor in _OWN:
            return True
        try:
            with self._path(executor).open("rb") as handle:
                fcntl.lockf(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def bury(self, executor: str) -> None:
        """Remove what a dead one left; the living keep theirs."""
        if not self.alive(executor):
            with suppress(OSError):
                self._path(executor).unlink()

    def count(self) -> int:
        return sum(self.alive(path.stem) for path in self._folder.glob("*.lock"))

    def sweep(self) -> None:
        for path in self._folder.glob("*.lock"):
            if not self.alive(path.stem):
                with suppress(OSError):
                    path.unlink()

    def _path(self, executor: str) -> Path:
        return self._folder / f"{os.path.basename(executor)}.lock"  # noqa: PTH119
