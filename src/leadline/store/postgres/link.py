"""A few connections to one PostgreSQL; what fails for want of one is tried again.

A server that restarts is waited for, so a run goes on over it. Whatever is done here may therefore
be done twice, when the server went away before it could say that it had done it: callers see to
it that the second time changes nothing.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from leadline.errors import BadInput, StoreBroken
from leadline.store.postgres.tables import SCHEMA, make_tables

T = TypeVar("T")
Connection = psycopg.Connection[Any]
Work = Callable[[Connection], T]

PATIENCE_S = 25.0  # how long a server that was there before is waited for
FIRST_S = 5.0  # and one that nobody has seen yet
CONNECTIONS = 4  # a process; one more beats and listens
# A client that vanished may hold no lock for long, and one whose network is cut must notice.
_OPTIONS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "leadline",
}
_SESSION = f"""
    SET search_path TO {SCHEMA};
    SET statement_timeout TO '20s';
    SET lock_timeout TO '10s';
    SET idle_in_transaction_session_timeout TO '5s'
"""
_LINKS: dict[str, Link] = {}
_GUARD = threading.Lock()


class Link:
    """A database. `Link.to` shares one a process; each who got it must `close` it."""

    def __init__(self, url: str) -> None:
        self._url, self.where = url, place_of(url)
        self._idle: list[Connection] = []
        self._slots = threading.BoundedSemaphore(CONNECTIONS)
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="postgres")
        self._users = 0
        self._ready = False
        self._making = threading.Lock()

    @classmethod
    def to(cls, url: str) -> Link:
        """The link of this process to a database."""
        with _GUARD:
            link = _LINKS.get(url)
            if link is None:
                link = _LINKS[url] = cls(url)
            link._users += 1
            return link

    @classmethod
    def of(cls, url: str) -> Link:
        """The same for those who use it only while somebody else keeps it open."""
        link = cls.to(url)
        with _GUARD:
            link._users -= 1
        return link

    def close(self) -> None:
        with _GUARD:
            self._users -= 1
            if self._users > 0:
                return
            _LINKS.pop(self._url, None)
        self._threads.shutdown(wait=True)
        while self._idle:
            self._idle.pop().close()

    async def do(self, work: Work[T]) -> T:
        """What `work` makes of a connection, outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.now, work)

    def now(self, work: Work[T], patience_s: float | None = None) -> T:
        """What `work` makes of a connection, here and now. `StoreBroken` when it cannot be had."""
        if patience_s is None:
            patience_s = PATIENCE_S if self._ready else FIRST_S
        until, pause = time.monotonic() + patience_s, 0.05
        while True:
            try:
                with self._lent() as connection:
                    return work(connection)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                if time.monotonic() > until or _hopeless(error):
                    raise self._broken(error) from error
            except psycopg.Error as error:
                raise self._broken(error) from error
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    def fresh(self) -> Connection:
        """A connection of one's own; whoever asks closes it."""
        connection = psycopg.connect(self._url, autocommit=True, **_OPTIONS)
        try:
            connection.execute(_SESSION)
            with self._making:
                if not self._ready:
                    make_tables(connection)
                    self._ready = True
        except psycopg.Error:
            connection.close()
            raise
        return connection

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        """A connection for one piece of work; one that something went wrong with is not kept."""
        with self._slots:
            connection = self._idle.pop() if self._idle else self.fresh()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            if self._users > 0:
                self._idle.append(connection)
            else:
                connection.close()  # nobody will close the link, so it keeps none

    def _broken(self, error: psycopg.Error) -> StoreBroken:
        why = " ".join(str(error).split()) or type(error).__name__
        return StoreBroken(
            f"the database at {self.where} cannot be used ({why}); see that it runs and that "
            "RESEARCH_STORE_URL is right"
        )


def place_of(url: str) -> str:
    """Where a database is, without user and password; `BadInput` where the address is none."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        # What is wrong with it is not told: the message would quote parts of the password.
        raise BadInput(
            "store_url must be postgresql://user:password@host:port/name; "
            "got a value that is not shown"
        ) from None
    host = parts.get("host") or "this machine"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"{host}{port}/{parts.get('dbname') or ''}"


def _hopeless(error: psycopg.Error) -> bool:
    """No use in trying again: the server is there and says no."""
    said = str(error)
    return "authentication failed" in said or (
        "FATAL" in said and ("does not exist" in said or "no pg_hba.conf entry" in said)
    )
