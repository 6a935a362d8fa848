"""Reads runs as they stand in `runs.db`, without starting the engine that writes them.

What writes them is `journal.py`; the tables are in `schema.py`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from leadline.errors import BadInput, RunNotFound, StoreBroken
from leadline.ports import Row, RunInfo, RunStatus
from leadline.results import Place, Record, row_of
from leadline.store.liveness import Liveness

# The steps of a run and of its children; "0" comes after "/".
_FAMILY = "(run = {0} OR (run > {0} || '/' AND run < {0} || '0'))"
_RUNS = f"""
    SELECT id, task, settings, status, executor, token, version, created_ms, updated_ms, failure,
           origin, origin_s,
           json_extract(result, '$.stop_reason') AS stop_reason,
           (SELECT count(*) FROM steps WHERE {_FAMILY.format("runs.id")}) AS steps
    FROM runs
"""  # noqa: S608 - no value in it
_NEWEST = "ORDER BY created_ms DESC, rowid DESC"


@dataclass(frozen=True, slots=True)
class Entry:
    """One run with what taking it over needs to know."""

    info: RunInfo
    state: str  # as it is stored: a run of a dead process is stored as running
    token: str
    version: str
    origin_s: float = 0.0  # seconds of the run that it was forked from


class Logbook:
    """The runs of one store."""

    def __init__(self, path: Path, liveness: Liveness) -> None:
        self._path, self._liveness = path, liveness

    def entry(self, run_id: str) -> Entry:
        """One run. Raises `RunNotFound`."""
        found = self._entries(f"{_RUNS} WHERE id = ?", (run_id,))
        if not found:
            raise RunNotFound(f"no run has the id {run_id}; see: leadline runs list")
        return found[0]

    def entries(self, limit: int) -> list[Entry]:
        """The newest runs first."""
        return self._entries(f"{_RUNS} {_NEWEST} LIMIT ?", (limit,))

    def unfinished(self) -> list[Entry]:
        """The runs that could be resumed, the newest first."""
        found = self._entries(f"{_RUNS} WHERE status <> 'finished' {_NEWEST}", ())
        return [entry for entry in found if entry.info.unfinished]

    def result(self, run_id: str) -> Any:
        """What a finished run returned."""
        return json.loads(
            self._read("SELECT result FROM runs WHERE id = ?", (run_id,))[0]["result"]
        )

    def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        """Rows written beyond a position, in the order of writing, and the position reached."""
        sql = f"""SELECT position, record FROM steps
                  WHERE {_FAMILY.format("?1")} AND position > ?2 ORDER BY position"""  # noqa: S608
        found = self._read(sql, (run_id, beyond))
        rows = [row_of(json.loads(row["record"])) for row in found]
        return rows, found[-1]["position"] if found else beyond

    def records(self, run_id: str) -> dict[Place, Record]:
        """What earlier lives of a run and its children wrote down, by the place of the step."""
        sql = f"SELECT run, number, record FROM steps WHERE {_FAMILY.format('?1')}"  # noqa: S608
        return {
            (row["run"][len(run_id) + 1 :], row["number"]): json.loads(row["record"])
            for row in self._read(sql, (run_id,))
        }

    def _entries(self, sql: str, values: tuple[object, ...]) -> list[Entry]:
        return [self._entry(row) for row in self._read(sql, values)]

    def _entry(self, row: sqlite3.Row) -> Entry:
        status: RunStatus = row["status"]
        if status == "running" and not self._liveness.alive(row["executor"]):
            status = "interrupted"
        failed = json.loads(row["failure"]) if status == "failed" else {}
        info = RunInfo(
            id=row["id"],
            task=row["task"],
            status=status,
            created_at=_time(row["created_ms"]),
            updated_at=_time(row["updated_ms"]),
            stop_reason=_stop_reason(status, row["stop_reason"]),
            settings=json.loads(row["settings"]),
            steps=row["steps"],
            reason=failed.get("message", ""),
            mendable=failed.get("kind", "") == BadInput.__name__,
            forked_from=row["origin"],
        )
        return Entry(info, row["status"], row["token"], row["version"], row["origin_s"])

    def _read(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        if not self._path.exists():
            return []
        with broken_store(self._path):
            try:
                return self._select(sql, values, "ro")
            except sqlite3.OperationalError as error:
                if "readonly" not in str(error):
                    raise
            # Killed while the file was made: only a writer may clear up what it left.
            return self._select(sql, values, "rw")

    def _select(self, sql: str, values: tuple[object, ...], mode: str) -> list[sqlite3.Row]:
        address = f"{self._path.absolute().as_uri()}?mode={mode}"
        with closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
            connection.row_factory = sqlite3.Row
            try:
                return connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):  # killed before the tables were made
                    return []
                raise


@contextmanager
def broken_store(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a bad file or disk into `StoreBroken`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise store_broken(path, str(error)) from error


def store_broken(path: Path, why: str) -> StoreBroken:
    """The error for a store that cannot be used, with what to do about it."""
    if "malformed" in why or "not a database" in why:
        return StoreBroken(
            f"{path} is damaged ({why}); move it away and Leadline starts a new one "
            f"(the runs in it are lost to it)"
        )
    return StoreBroken(f"cannot use {path} ({why}); free or unlock the disk and try again")


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _stop_reason(status: RunStatus, said: str | None) -> str:
    if status == "finished":
        return said or ""
    return {"failed": "error", "cancelled": "cancelled"}.get(status, "")
