"""Makes files safe from a power cut behind whoever wrote them.

What a process has written survives its death. Only a power cut or a crash of the system can take
what the disk has not been asked for, and asking takes milliseconds. So where losing the last moment
does no harm, as with a step that would only be done again, nobody waits for the disk.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

_ASKED: SimpleQueue[Path] = SimpleQueue()
_WAITING: set[Path] = set()
_LOCK = Lock()
_WORKING: list[Thread] = []


def flush_soon(path: Path) -> None:
    """Have the disk keep `path` as it is now, or a little later."""
    with _LOCK:
        if path in _WAITING:
            return
        _WAITING.add(path)
        if not _WORKING:
            # A daemon: a process that ends need not wait, since the system has what it wrote.
            _WORKING.append(Thread(target=_work, name="flush", daemon=True))
            _WORKING[0].start()
    _ASKED.put(path)


def flush(path: Path) -> None:
    """Have the disk keep `path` now; one that is gone needs no keeping."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _work() -> None:
    while True:
        path = _ASKED.get()
        with _LOCK:
            _WAITING.discard(path)
        flush(path)


def log_of(database: Path) -> Path:
    """The file that SQLite's newest rows are in."""
    return database.with_name(f"{database.name}-wal")
