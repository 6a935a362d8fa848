"""Makes and upgrades the tables of `runs.db`, all or nothing.

DBOS's own launch makes each table in a transaction of its own: a process killed in the middle of
its first launch would leave a file that no later launch accepts.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from dbos._serialization import DBOSPortableJSON
from dbos._sys_db import SystemDatabase

from leadline.errors import StoreBroken
from leadline.store.logbook import broken_store, store_broken


@contextmanager
def ready(path: Path) -> Iterator[None]:
    """The tables are there and up to date, and no other process launches meanwhile."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("wb")
    except OSError as error:
        raise StoreBroken(f"cannot write to {path.parent}: {error.strerror}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with broken_store(path), closing(sqlite3.connect(path, timeout=30)) as connection:
            # Stays with the file: readers and the one writer do not wait for each other.
            connection.execute("PRAGMA journal_mode=WAL")
        try:
            _migrate(path)
        except sa.exc.DBAPIError as error:
            raise store_broken(path, str(error.orig)) from error
        yield


def url_of(path: Path) -> str:
    """The address of a store; a folder's name may hold what a URL gives a meaning to."""
    return f"sqlite:///{quote(str(path))}"


def _migrate(path: Path) -> None:
    """DBOS's migrations in one transaction; a step that is in place costs one look."""
    url = url_of(path)
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    sa.event.listen(engine, "connect", _leave_transactions_to_us)
    sa.event.listen(engine, "begin", _begin)
    database = SystemDatabase.create(
        system_database_url=url,
        engine_kwargs={},
        engine=engine,
        schema=None,
        serializer=DBOSPortableJSON,
        executor_id=None,
    )
    database.run_migrations()
    engine.dispose()


def _leave_transactions_to_us(connection: Any, _: object) -> None:
    # Left alone, Python's sqlite3 opens no transaction for CREATE TABLE.
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=30000")


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
