"""Reads runs as they stand in `runs.db`, without starting the engine that writes them.

What writes them is `journal.py`; the tables are in `schema.py`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from leadline.errors import RunNotFound
from leadline.ports import Row, RunStatus
from leadline.results import Place, Record, row_of
from leadline.store.reading import Reading
from leadline.store.runstore import Entry, info_of
from leadline.store.schema import broken_store, connect, door

# The steps of a run and of its children; "0" comes after "/".
_FAMILY = "(run = {0} OR (run > {0} || '/' AND run < {0} || '0'))"
_RUNS = f"""
    SELECT id, task, settings, status, turn, version, created_ms, updated_ms, failure,
           origin, origin_s, owner, queued, priority,
           json_extract(result, '$.stop_reason') AS stop_reason,
           (SELECT count(*) FROM steps WHERE {_FAMILY.format("runs.id")}) AS steps
    FROM runs
"""  # noqa: S608 - no value in it
_NEWEST = "ORDER BY created_ms DESC, rowid DESC"
_OPEN = "queued AND status IN ('queued', 'running')"
_DUE = "ORDER BY priority DESC, rowid"


class Logbook:
    """The reading side of one store, short enough to be done in the event loop; `held` says
    whether any process has a run."""

    def __init__(self, path: Path, held: Callable[[str], bool]) -> None:
        self._path, self._held = path, held
        self._reading = Reading(path)

    async def entry(self, run_id: str) -> Entry:
        """One run. Raises `RunNotFound`."""
        found = self._entries(f"{_RUNS} WHERE id = ?", (run_id,))
        if not found:
            raise _unknown(run_id)
        return found[0]

    async def status(self, run_id: str) -> RunStatus:
        """How a run stands. Raises `RunNotFound`."""
        sql = "SELECT id, status, queued FROM runs WHERE id = ?"
        for row in self._read(sql, (run_id,)):
            return self._shown(row)
        raise _unknown(run_id)

    async def entries(self, limit: int, owner: str | None = None) -> list[Entry]:
        """The newest runs first."""
        if owner is None:
            return self._entries(f"{_RUNS} {_NEWEST} LIMIT ?", (limit,))
        return self._entries(f"{_RUNS} WHERE owner = ? {_NEWEST} LIMIT ?", (owner, limit))

    async def open_entries(self) -> list[Entry]:
        """The runs that wait, go on or were left by a process that died, the oldest first."""
        return self._entries(f"{_RUNS} WHERE status IN ('queued', 'running') ORDER BY rowid", ())

    async def unfinished(self) -> list[Entry]:
        """The runs that could be resumed, the newest first."""
        found = self._entries(f"{_RUNS} WHERE status <> 'finished' {_NEWEST}", ())
        return [entry for entry in found if entry.info.unfinished]

    async def result(self, run_id: str) -> Any:
        """What a finished run returned."""
        return json.loads(
            self._read("SELECT result FROM runs WHERE id = ?", (run_id,))[0]["result"]
        )

    async def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        """Rows written beyond a position, in the order of writing, and the position reached."""
        sql = f"""SELECT position, record FROM steps
                  WHERE {_FAMILY.format("?1")} AND position > ?2 ORDER BY position"""  # noqa: S608
        found = self._read(sql, (run_id, beyond))
        rows = [row_of(json.loads(row["record"])) for row in found]
        return rows, found[-1]["position"] if found else beyond

    async def records(self, run_id: str) -> dict[Place, Record]:
        """What earlier lives of a run and its children wrote down, by the place of the step."""
        sql = f"SELECT run, number, record FROM steps WHERE {_FAMILY.format('?1')}"  # noqa: S608
        return {
            (row["run"][len(run_id) + 1 :], row["number"]): json.loads(row["record"])
            for row in self._read(sql, (run_id,))
        }

    async def waiting(self, full: Collection[str] = ()) -> list[str]:
        """The runs of the queue that nobody has, but for those of the owners in `full`."""
        sql = f"SELECT id, status, queued, owner FROM runs WHERE {_OPEN} {_DUE}"  # noqa: S608
        found = [row for row in self._read(sql, ()) if row["owner"] not in full]
        return [row["id"] for row in found if self._shown(row) == "queued"]

    async def said(self, run_ids: Sequence[str], name: str) -> dict[str, Any]:
        """The words of that name, by the run that they are for."""
        marks = ", ".join("?" * len(run_ids))
        sql = f"SELECT run, value FROM words WHERE name = ? AND run IN ({marks})"  # noqa: S608
        found = self._read(sql, (name, *run_ids))
        return {row["run"]: json.loads(row["value"]) for row in found}

    def _entries(self, sql: str, values: tuple[object, ...]) -> list[Entry]:
        return [self._entry(row) for row in self._read(sql, values)]

    def _entry(self, row: sqlite3.Row) -> Entry:
        status = self._shown(row)
        failed = json.loads(row["failure"]) if row["failure"] else None
        info = info_of(dict(row), status, json.loads(row["settings"]), failed)
        return Entry(info, row["turn"], row["version"], row["origin_s"], row["priority"])

    def _shown(self, row: sqlite3.Row) -> RunStatus:
        """A run that is stored as running and that nobody has was left by a process that died."""
        status: RunStatus = row["status"]
        if status == "running" and not self._held(row["id"]):
            return "queued" if row["queued"] else "interrupted"
        return status

    def _read(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        with broken_store(self._path):
            try:
                return self._reading.rows(sql, values)
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):  # killed before the tables were made
                    return []
                if "no such column" in str(error):
                    self._widen()
                elif "readonly" not in str(error):
                    raise
            # Killed while the file was made: only a writer may clear up what it left.
            return self._again(sql, values)

    def _widen(self) -> None:
        """The file is of an earlier version: a writer makes it one of today."""
        with door(self._path):
            connect(self._path).close()

    def _again(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        try:
            return self._reading.once(sql, values)
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise


def _unknown(run_id: str) -> RunNotFound:
    return RunNotFound(f"no run has the id {run_id}; see: leadline runs list")
