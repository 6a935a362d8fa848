"""A run as a trace file that opens in Perfetto or chrome://tracing.

Each finished step is a complete event. Steps that ran at the same time lie on separate tracks, and
those of each child run are a process of their own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from leadline.observe.rows import calls_of, results_of
from leadline.ports import Row

_GROUPS = {"search": "search", "read": "read"}
_TRACKS = ("steps", "search", "read")
_LANES_A_GROUP = 1000
_Place = tuple[int, str, int]  # process, group, lane


def trace(task: str, rows: Sequence[Row]) -> str:
    """The rows of a run in the trace event format, times in microseconds from its start."""
    events: list[dict[str, Any]] = [_named("process_name", 1, 0, f"leadline: {task[:120]}")]
    if rows:
        origin = min(row.started_at for row in rows)
        names = _children(rows)
        events += [
            _named("process_name", pid, 0, f"part {name}") for name, pid in names.items() if name
        ]
        tracks = _tracks(rows, names)
        for pid, tid, label in sorted({_track(*place) for place in tracks}):
            events.append(_named("thread_name", pid, tid, label))
        events += [
            _event(row, _track(*place), origin) for row, place in zip(rows, tracks, strict=True)
        ]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": events}) + "\n"


def _children(rows: Sequence[Row]) -> dict[str, int]:
    """The process of the run itself, 1, and of each child."""
    found = sorted({row.child for row in rows if row.child})
    return {"": 1} | {name: number for number, name in enumerate(found, 2)}


def _tracks(rows: Sequence[Row], names: Mapping[str, int]) -> list[_Place]:
    """For each row its process, its group and the first lane there that is free when it starts."""
    free: dict[tuple[str, str], list[datetime]] = defaultdict(list)
    places: dict[int, _Place] = {}
    in_time = sorted(range(len(rows)), key=lambda i: (rows[i].started_at, rows[i].seq))
    for i in in_time:
        row = rows[i]
        group = _GROUPS.get(row.name, "steps")
        lanes = free[row.child, group]
        lane = next((n for n, end in enumerate(lanes) if end <= row.started_at), len(lanes))
        lanes[lane : lane + 1] = [row.finished_at]
        places[i] = (names[row.child], group, lane)
    return [places[i] for i in range(len(rows))]


def _track(pid: int, group: str, lane: int) -> tuple[int, int, str]:
    return pid, 1 + _TRACKS.index(group) * _LANES_A_GROUP + lane, f"{group} {lane + 1}"


def _named(kind: str, pid: int, tid: int, label: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": label}}


def _event(row: Row, track: tuple[int, int, str], origin: datetime) -> dict[str, Any]:
    pid, tid, _ = track
    return {
        "ph": "X",
        "name": _label(row),
        "cat": row.name,
        "pid": pid,
        "tid": tid,
        "ts": _microseconds(origin, row.started_at),
        "dur": _microseconds(row.started_at, row.finished_at),
        "args": {"seq": row.seq, "results": results_of(row), **_details(row)},
    }


def _microseconds(start: datetime, end: datetime) -> int:
    return max(round((end - start).total_seconds() * 1_000_000), 0)


def _label(row: Row) -> str:
    if row.name == "search" and row.value:
        return f"search: {row.value['query']['text']}"
    if row.name == "read" and row.value:
        return f"read: {row.value.get('title') or row.value.get('url', '')}"
    return f"{row.name}: {row.what}" if row.what else row.name


def _details(row: Row) -> dict[str, Any]:
    said: dict[str, Any] = {"error": row.error} if row.error else {}
    if row.what:
        said["what"] = row.what
    if row.name == "gate":
        said["verdicts"] = row.value
    elif row.name == "search" and isinstance(row.value, dict):
        said |= {key: row.value.get(key) for key in ("provider", "cached", "notes")}
        if row.value.get("error"):
            said |= {"error": row.value["error"], "asked": row.value.get("asked")}
    elif row.name == "read" and isinstance(row.value, dict) and row.value.get("notes"):
        said["notes"] = row.value["notes"]
    elif row.name == "compact" and isinstance(row.value, dict):
        handles = [gist["handle"] for gist in row.value["gists"]]
        said |= {"before": row.value["before"], "after": row.value["after"], "handles": handles}
    elif row.name == "reflect" and isinstance(row.value, dict):
        said |= {key: row.value.get(key) for key in ("sufficient", "confidence", "gaps")}
    if calls := calls_of(row):
        said["calls"] = calls
    return said
