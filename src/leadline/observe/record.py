"""`runs.jsonl`: one line per finished run with every query, score, verdict and call."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.codec import dumped
from leadline.observe.rows import results_of
from leadline.ports import Row
from leadline.types import AgentResponse

FILE_NAME = "runs.jsonl"
_PIECE = 1 << 20  # bytes that are read at once
_HEAD = 200  # bytes by which a file is known again
_RUN_ID = re.compile(rb'^\{"run_id": ("[^"\n]*")', re.MULTILINE)


def run_record(
    response: AgentResponse,
    rows: Sequence[Row],
    settings: dict[str, Any],
    estimate: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything about a finished run but the texts it read, as JSON."""
    return {
        "run_id": response.run_id,
        "task": response.task,
        "started_at": rows[0].started_at.isoformat() if rows else "",
        "finished_at": rows[-1].finished_at.isoformat() if rows else "",
        "active_seconds": round(max((row.elapsed for row in rows), default=0.0), 4),
        "stop_reason": response.stop_reason.value,
        "found": response.found,
        "degraded": response.degraded,
        "confidence": response.confidence,
        "gaps": list(response.gaps),
        "plan": dumped(response.plan) if response.plan else None,
        "searches": searches(rows),
        "pages": pages(rows),
        "compactions": [_compaction(row) for row in rows if row.name == "compact" and row.value],
        "skipped": [dumped(skip) for skip in response.skipped],
        "injections": [dumped(one) for one in response.injections],
        "variants": [dumped(variant) for variant in response.variants],
        "calls": [_call(row) for row in rows],
        "model_calls": [dumped(call) for call in response.calls],
        "sources": [dumped(source) for source in response.sources],
        "claims": [
            {"text": claim.text, "sources": claim.sources, "verdict": claim.verdict.value}
            for claim in (*response.claims, *response.dropped)
        ],
        "dropped": len(response.dropped),
        "revision": dumped(response.revision) if response.revision else None,
        "follows": response.follows,
        "usage": dumped(response.usage),
        "diagnosis": response.diagnosis,
        "errors": [dumped(loss) for loss in response.error_log],
        "estimate": estimate,  # as it was made at the start
        "settings": settings,
    }


def searches(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Every search with the verdict of the gate on it, in the order they were judged."""
    waiting: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    for row in rows:
        if row.name == "search" and row.value:
            waiting.append(_search(row))
        elif row.name == "gate":
            own = [search for search in waiting if search["child"] == row.child]
            for verdict in row.value or ():
                search = next((s for s in own if s["query"] == verdict["query"]), None)
                if search is not None:
                    own.remove(search)
                    waiting.remove(search)
                    told.append(search | _verdict(verdict))
    return told + waiting


def _verdict(verdict: dict[str, Any]) -> dict[str, Any]:
    said = {key: verdict[key] for key in ("score", "threshold", "reason", "repeated")}
    return {**said, "verdict": "accepted" if verdict["accepted"] else "discarded"}


def _search(row: Row) -> dict[str, Any]:
    batch = row.value
    notes = batch.get("notes") or ()
    return {
        "query": batch["query"]["text"],
        "intent": batch["query"].get("intent", ""),
        "origin": batch["query"].get("origin", ""),
        "provider": batch.get("provider", ""),
        "cached": batch.get("cached", False),
        "hits": [hit.get("ref") or hit["url"] for hit in batch.get("hits", ())],
        "retries": sum(note["stage"] == "retry" for note in notes),
        "fallbacks": sum(note["stage"] == "fallback" for note in notes),
        "notes": [note["why"] for note in notes],
        "asked": list(batch.get("asked") or ()),
        "error": batch.get("error", "") or row.error,
        "seconds": _seconds(row),
        "verdict": "unjudged",
        "child": row.child,
    }


def pages(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Every page that was read or lost, in the order in which they came."""
    return [_page(row) for row in rows if row.name == "read"]


def _page(row: Row) -> dict[str, Any]:
    """A page that was read or lost; `kept` when it was read back from an earlier run's copy."""
    page = row.value if isinstance(row.value, dict) else {}
    fetched = page.get("fetched_at") or ""
    return {
        "url": page.get("url", "") or row.what,
        "kept": bool(fetched) and fetched < row.started_at.isoformat(timespec="seconds"),
        "notes": list(page.get("notes") or ()),
        "error": row.error,
        "seconds": _seconds(row),
    }


def _compaction(row: Row) -> dict[str, Any]:
    """What was shown in short from then on; `leadline runs text ID HANDLE` has it whole."""
    done = row.value
    handles = [gist["handle"] for gist in done["gists"]]
    return {"before": done["before"], "after": done["after"], "handles": handles}


def _call(row: Row) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "step": row.name,
        "what": row.what,
        "child": row.child,
        "seconds": _seconds(row),
        "results": results_of(row),
        "error": row.error,
    }


def _seconds(row: Row) -> float:
    return round((row.finished_at - row.started_at).total_seconds(), 4)


def append_record(data_dir: Path, record: dict[str, Any]) -> bool:
    """Add one line, whole or not at all; False when that run already has one.

    Many processes may append at once. A line that a full disk or a power cut tore is closed, so
    that it cannot swallow the next.
    """
    line = json.dumps(record, default=str).encode() + b"\n"
    marks = os.O_RDWR | os.O_CREAT | os.O_APPEND
    handle = os.open(data_dir / FILE_NAME, marks, 0o600)
    with os.fdopen(handle, "r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = file.seek(0, os.SEEK_END)
        if _has(file.fileno(), size, record["run_id"]):
            return False
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            line = b"\n" + line
        if file.write(line) != len(line):
            file.truncate(size)
            raise OSError(28, f"no space left for {FILE_NAME}")
    return True


@dataclass(slots=True)
class _Known:
    """The runs that have a line in one file, as far as it was read."""

    head: bytes = b""
    upto: int = 0
    ids: set[bytes] = field(default_factory=set)


_KNOWN: dict[tuple[int, int], _Known] = {}  # by device and file; only touched under its lock


def _has(handle: int, size: int, run_id: str) -> bool:
    """Is there a line that begins with this run's id? Only what is new of the file is read, in
    pieces: it may be large, and a thousand runs would read it a thousand times."""
    about = os.fstat(handle)
    head = os.pread(handle, _HEAD, 0)
    known = _KNOWN.get((about.st_dev, about.st_ino))
    if known is None or known.upto > size or not head.startswith(known.head):
        known = _KNOWN[about.st_dev, about.st_ino] = _Known()  # new, cut, or written anew
    known.head = head
    tail = b""
    for at in range(known.upto, size, _PIECE):
        block = tail + os.pread(handle, min(_PIECE, size - at), at)
        known.ids.update(_RUN_ID.findall(block))
        tail = block[block.rfind(b"\n") + 1 :]
    known.upto = size - len(tail)  # a torn line is looked at again
    return json.dumps(run_id).encode() in known.ids
