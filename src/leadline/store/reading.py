"""One open connection for all that a process reads of a SQLite file."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path


class Reading:
    """Reads a file that others write; a file that was put in its place is opened anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._open: sqlite3.Connection | None = None
        self._which: tuple[int, int, int] = (0, 0, 0)

    def rows(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        """What a query finds; nothing where there is no file."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return []
        with self._turn:
            which = found.st_dev, found.st_ino, os.getpid()
            if self._open is None or which != self._which:
                self._close()
                self._open, self._which = self._connect("ro"), which
            try:
                return self._open.execute(sql, values).fetchall()
            except sqlite3.Error:
                self._close()  # whatever it is, the next one begins afresh
                raise

    def once(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        """The same over a connection that may write: some files need clearing up first."""
        with closing(self._connect("rw")) as connection:
            return connection.execute(sql, values).fetchall()

    def close(self) -> None:
        with self._turn:
            self._close()

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = f"{self._path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            address, uri=True, timeout=30, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        return connection
