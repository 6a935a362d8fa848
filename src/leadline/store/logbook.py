"""Reads runs as they stand in `runs.db`, without starting the engine that writes them.

DBOS keeps the records; this module knows the few of its tables that listing, inspecting and
following need. A plain read costs a millisecond, importing DBOS half a second.
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
from leadline.run import Past, row_of
from leadline.store.liveness import Liveness

WORKFLOW = "leadline.run"  # the name every run is stored under; never change it

_STATUS: dict[str, RunStatus] = {
    "SUCCESS": "finished",
    "ERROR": "failed",
    "CANCELLED": "cancelled",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "interrupted",
    "ENQUEUED": "queued",
    "DELAYED": "queued",
}
_RUNS = """
    SELECT s.workflow_uuid AS id, s.status, s.executor_id, s.owner_xid, s.application_version,
           s.created_at, s.updated_at, i.inputs, o.error,
           json_extract(o.output, '$.stop_reason') AS stop_reason,
           (SELECT count(*) FROM operation_outputs p WHERE p.workflow_uuid = s.workflow_uuid)
               AS steps
    FROM workflow_status s
    LEFT JOIN workflow_input i ON i.workflow_uuid = s.workflow_uuid
    LEFT JOIN workflow_output o ON o.workflow_uuid = s.workflow_uuid
    WHERE s.name = ?
"""
_NEWEST = "ORDER BY s.created_at DESC, s.rowid DESC"


@dataclass(frozen=True, slots=True)
class Entry:
    """One run with what taking it over needs to know."""

    info: RunInfo
    state: str  # as DBOS calls it
    executor: str
    owner: str | None
    version: str


class Logbook:
    """The runs of one store."""

    def __init__(self, path: Path, liveness: Liveness) -> None:
        self._path, self._liveness = path, liveness

    def entry(self, run_id: str) -> Entry:
        """One run. Raises `RunNotFound`."""
        found = self._entries(f"{_RUNS} AND s.workflow_uuid = ?", (WORKFLOW, run_id))
        if not found:
            raise RunNotFound(f"no run has the id {run_id}; see: leadline runs list")
        return found[0]

    def entries(self, limit: int) -> list[Entry]:
        """The newest runs first."""
        return self._entries(f"{_RUNS} {_NEWEST} LIMIT ?", (WORKFLOW, limit))

    def unfinished(self) -> list[Entry]:
        """The runs that could be resumed, the newest first."""
        found = self._entries(f"{_RUNS} AND s.status <> 'SUCCESS' {_NEWEST}", (WORKFLOW,))
        return [entry for entry in found if entry.info.unfinished]

    def result(self, run_id: str) -> Any:
        """What a finished run returned."""
        sql = "SELECT output FROM workflow_output WHERE workflow_uuid = ?"
        return json.loads(self._read(sql, (run_id,))[0]["output"])

    def rows(self, run_id: str, beyond: int = 0) -> tuple[list[Row], int]:
        """Rows written beyond a position, in the order of writing, and the position reached."""
        sql = """SELECT rowid, output FROM operation_outputs
                 WHERE workflow_uuid = ? AND rowid > ? ORDER BY rowid"""
        found = self._read(sql, (run_id, beyond))
        rows = [row_of(json.loads(row["output"])) for row in found if row["output"]]
        return rows, found[-1]["rowid"] if found else beyond

    def past(self, run_id: str) -> Past:
        """What earlier lives of a run left."""
        sql = """SELECT coalesce(max(json_extract(output, '$.seq')), 0) AS seq,
                        coalesce(max(json_extract(output, '$.elapsed')), 0.0) AS elapsed
                 FROM operation_outputs WHERE workflow_uuid = ?"""
        row = self._read(sql, (run_id,))[0]
        return Past(seq=int(row["seq"]), elapsed=float(row["elapsed"]))

    def _entries(self, sql: str, values: tuple[object, ...]) -> list[Entry]:
        return [self._entry(row) for row in self._read(sql, values)]

    def _entry(self, row: sqlite3.Row) -> Entry:
        request = json.loads(row["inputs"])["args"][0]
        status = _STATUS.get(row["status"], "interrupted")
        if row["status"] == "PENDING" and self._liveness.alive(row["executor_id"]):
            status = "running"
        failed = json.loads(row["error"]) if status == "failed" and row["error"] else {}
        info = RunInfo(
            id=row["id"],
            task=request["task"],
            status=status,
            created_at=_time(row["created_at"]),
            updated_at=_time(row["updated_at"]),
            stop_reason=_stop_reason(status, row["stop_reason"]),
            settings=request["settings"],
            steps=row["steps"],
            reason=failed.get("$error", {}).get("message", ""),
            mendable=failed.get("$error", {}).get("kind", "") == BadInput.__name__,
        )
        owner, version = row["owner_xid"], row["application_version"] or ""
        return Entry(info, row["status"], row["executor_id"] or "", owner, version)

    def _read(self, sql: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
        if not self._path.exists():
            return []
        with broken_store(self._path), closing(self._connect()) as connection:
            connection.row_factory = sqlite3.Row
            try:
                return connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):  # killed before its first launch was through
                    return []
                raise

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)


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
