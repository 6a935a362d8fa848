"""Hears what other processes write to PostgreSQL, over a connection and in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from leadline.store.postgres.link import Link

CHANNEL = "leadline"
_HEAR_S = 0.25
_RETRY_S = 0.5


class Listener:
    """Tells the loop that made it of runs that were changed, until `stop`."""

    def __init__(self, link: Link, tell: Callable[[str], None]) -> None:
        self._link, self._tell = link, tell
        self._loop = asyncio.get_running_loop()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="listen", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _listen(self) -> None:
        while not self._over.is_set():
            with suppress(psycopg.Error), self._link.fresh() as connection:  # it may come back
                connection.execute(f"LISTEN {CHANNEL}")
                self._pass("")  # what was said before we listened
                while not self._over.is_set():
                    for note in connection.notifies(timeout=_HEAR_S):
                        self._pass(note.payload)
            self._over.wait(_RETRY_S)

    def _pass(self, run_id: str) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._tell, run_id)
