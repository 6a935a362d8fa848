"""What an event stream says of a run: a short word on each finished step, then the report.

A row of the journal may hold whole pages; a reader of events gets what a person would be shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from leadline.observe.rows import calls_of, results_of, tier_of
from leadline.ports import Row, RunInfo
from leadline.types import AgentResponse

PIECE_CHARS = 1200
_HITS, _TITLE = 10, 160
_BREAK = re.compile(r"\n{2,}")

Position = tuple[int, int]  # a step's number; then what comes after the last step
START: Position = (0, 0)


def frame(event: str, data: Any, at: str = "") -> bytes:
    """One server-sent event."""
    told = json.dumps(data, ensure_ascii=True, default=str, separators=(",", ":"))
    marked = f"id: {at}\n" if at else ""
    return f"{marked}event: {event}\ndata: {told}\n\n".encode()


def position(last_event_id: str) -> Position:
    """Where a reader was; an id that is none of ours is the start."""
    found = re.fullmatch(r"(\d{1,12})(?:\.(\d{1,9}))?", last_event_id.strip())
    return (int(found[1]), int(found[2] or 0)) if found else START


def step_frame(row: Row, number: int, tier: str = "") -> bytes:
    """A finished step of a run for which that tier was chosen, if one was; `number` counts the rows
    in the order in which they were written."""
    said = told(row)
    if "tier" in said:
        said["tier"] = tier_of(row, tier)
    return frame("step", said, str(number))


def ending(response: AgentResponse, last: int) -> Iterator[tuple[Position, bytes]]:
    """The report in pieces and then all of it; `last` is the number of the last step."""
    number = 0
    for number, piece in enumerate(pieces(response.final_answer), 1):
        yield (last, number), frame("report", {"text": piece}, f"{last}.{number}")
    at = (last, number + 1)
    yield at, frame("done", as_data(response), f"{last}.{number + 1}")


def stopped_frame(info: RunInfo) -> bytes:
    """The end of a run that has no report; it has no id, for the run may go on."""
    told = {"run_id": info.id, "status": info.status, "reason": info.reason}
    return frame("stopped", told | {"resumable": info.unfinished})


def as_data(response: AgentResponse) -> dict[str, Any]:
    """The whole response as JSON."""
    from leadline.render.json import as_json

    found: dict[str, Any] = json.loads(as_json(response))
    return found


def pieces(text: str) -> Iterator[str]:
    """A text by its paragraphs, short ones together; joined they are the text."""
    held = ""
    start = 0
    for gap in [*_BREAK.finditer(text), None]:
        end = gap.end() if gap else len(text)
        part, start = text[start:end], end
        if held and len(held) + len(part) > PIECE_CHARS:
            yield held
            held = ""
        held += part
    if held:
        yield held


def told(row: Row) -> dict[str, Any]:
    """A finished step in short."""
    said: dict[str, Any] = {
        "seq": row.seq,
        "step": row.name,
        "child": row.child,
        "elapsed": round(row.elapsed, 3),
        "finished_at": row.finished_at.isoformat(),
        "error": row.error,
        "results": results_of(row),
    }
    calls = calls_of(row)
    if calls:
        said["model"] = {
            "calls": len(calls),
            "tokens": sum(one["prompt_tokens"] + one["completion_tokens"] for one in calls),
            "cost": round(sum(one["cost"] for one in calls), 6),
        }
    if row.what:
        said["query" if row.name == "search" else "url"] = row.what
    detail = _DETAILS.get(row.name)
    return said | (detail(row.value) if detail and row.value else {})


def _plan(value: Any) -> dict[str, Any]:
    names = ("tier", "task_type", "language", "subtasks", "knowledge_gaps")
    return {
        "queries": [one["text"] for one in value["search_queries"]],
        **{name: value.get(name) for name in names},
    }


def _search(value: Any) -> dict[str, Any]:
    hits = [
        {"title": one["title"][:_TITLE], "url": one.get("ref") or one["url"]}
        for one in value.get("hits", ())[:_HITS]
    ]
    said = {name: value.get(name) for name in ("provider", "cached")}
    query = value["query"]
    return {
        "query": query["text"],
        "intent": query.get("intent", ""),
        "hits": hits,
        **said,
        "error": value.get("error", ""),
        "notes": [one["why"] for one in value.get("notes") or ()],
    }


def _gate(value: Any) -> dict[str, Any]:
    names = ("query", "score", "threshold", "accepted", "reason", "hits", "repeated")
    return {"verdicts": [{name: one.get(name) for name in names} for one in value]}


def _reflect(value: Any) -> dict[str, Any]:
    return {
        "sufficient": value.get("sufficient"),
        "confidence": value.get("confidence"),
        "gaps": value.get("gaps"),
        "new_queries": [one["text"] for one in value.get("new_queries", ())],
    }


def _read(value: Any) -> dict[str, Any]:
    return {
        "url": value.get("url", ""),
        "title": str(value.get("title", ""))[:_TITLE],
        "characters": len(value.get("text", "")),
        "notes": [str(note) for note in value.get("notes") or ()],
    }


def _knowledge(value: Any) -> dict[str, Any]:
    return {"knowledge": value.get("text", "")}


def _written(value: Any) -> dict[str, Any]:
    return {
        "characters": len(value.get("answer") or ""),
        "sources": len(value.get("citations", ())),
    }


_DETAILS = {
    "plan": _plan,
    "review": _plan,
    "compress": _knowledge,
    "write": _written,
    "search": _search,
    "gate": _gate,
    "reflect": _reflect,
    "read": _read,
}
