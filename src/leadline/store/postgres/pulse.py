"""The heartbeat of one process, in a thread of its own: no busy event loop makes it look dead.

The same connection listens for what others have written, where somebody waits for that.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import psycopg

from leadline.store.postgres.link import Connection, Link

LEASE_S = 10.0  # a process that has not beaten for so long is dead to the others
BEAT_S = 2.0
MARGIN_S = 2.0
CHANNEL = "leadline"
_HEAR_S = 0.25
_RETRY_S = 0.5

# Nobody can beat while the database is down: when it is back, all have a moment to do so.
ALIVE = """(w.executor IS NOT NULL AND clock_timestamp() < greatest(
    w.beat_at + w.lease_s * interval '1 second',
    pg_postmaster_start_time() + least(5, w.lease_s / 2) * interval '1 second'))"""
_BEAT = """INSERT INTO workers (executor, beat_at, lease_s) VALUES (%s, clock_timestamp(), %s)
           ON CONFLICT (executor) DO UPDATE SET beat_at = excluded.beat_at"""
_SWEEP = """DELETE FROM workers w WHERE w.beat_at < clock_timestamp() - interval '1 day'
            AND NOT EXISTS (SELECT FROM runs r WHERE r.executor = w.executor
                            AND r.status = 'running')"""


def ticks() -> float:
    """Seconds that go on while the machine sleeps, where the system can tell."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Pulse:
    """Beats from `start` to `stop`."""

    def __init__(self, link: Link, executor: str, lease_s: float = LEASE_S) -> None:
        self._link, self._executor, self._lease_s = link, executor, lease_s
        self._sent = 0.0
        self._wake = threading.Event()
        self._over = False
        self._tell: Callable[[str], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._go, name="pulse", daemon=True)

    def start(self) -> None:
        """Alive from now on; `StoreBroken` where that cannot be said."""
        self._link.now(lambda connection: connection.execute(_SWEEP))
        self._link.now(self.beat)
        self._thread.start()

    def stop(self) -> None:
        """Dead from now on, at once and for all to see."""
        self._over = True
        self._wake.set()
        self._thread.join()

    def hear(self, tell: Callable[[str], None]) -> None:
        """Tell the running loop of runs that were changed; the first who asks is told."""
        if self._tell is None:
            self._loop, self._tell = asyncio.get_running_loop(), tell
            self._wake.set()

    def certain(self) -> bool:
        """Whether nobody can have taken us for dead."""
        return ticks() - self._sent < self._lease_s - MARGIN_S

    def beat(self, connection: Connection) -> None:
        sent = ticks()
        connection.execute(_BEAT, (self._executor, self._lease_s))
        self._sent = max(self._sent, sent)

    def _go(self) -> None:
        while not self._over:
            with suppress(psycopg.Error):  # the server is away; it may come back
                connection = self._link.fresh()
                try:
                    self._live(connection)
                finally:
                    connection.close()
            self._wake.wait(_RETRY_S)

    def _live(self, connection: Connection) -> None:
        listening = False
        while not self._over:
            self.beat(connection)
            if self._tell and not listening:
                connection.execute(f"LISTEN {CHANNEL}")
                self._pass("")  # what was said before we listened
                listening = True
            next_beat = time.monotonic() + BEAT_S
            while not self._over and time.monotonic() < next_beat:
                if listening:
                    for note in connection.notifies(timeout=_HEAR_S):
                        self._pass(note.payload)
                elif self._wake.wait(BEAT_S):
                    self._wake.clear()
                    break
        connection.execute("DELETE FROM workers WHERE executor = %s", (self._executor,))

    def _pass(self, run_id: str) -> None:
        if self._loop and self._tell:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._tell, run_id)
