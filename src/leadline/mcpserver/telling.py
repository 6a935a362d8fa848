"""A finished step in a few words, for whoever waits for the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leadline.ports import Row
from leadline.render.safe import one_line

WIDTH = 90


def told(row: Row) -> str:
    """What a step did; "" where it says nothing to a reader."""
    words = _WORDS.get(row.name)
    if words is None:
        return ""
    if row.error:
        return f"{row.name}: {one_line(row.error, WIDTH)}"
    said = words(row.value) if row.value else ""
    return f"Part {row.child}: {said}" if said and row.child else said


def _plan(value: Any) -> str:
    count = len(value.get("search_queries", ()))
    return f"Planned {count} {'search' if count == 1 else 'searches'}"


def _search(value: Any) -> str:
    query = one_line(value["query"]["text"], WIDTH)
    if value.get("error"):
        return f"Search “{query}” failed: {one_line(value['error'], WIDTH)}"
    count = len(value.get("hits", ()))
    cached = ", from the cache" if value.get("cached") else ""
    return f"Searched “{query}”: {count} {'result' if count == 1 else 'results'}{cached}"


def _gate(value: Any) -> str:
    scores = ", ".join(f"{one['score']:g}" for one in value)
    new = sum(bool(one["accepted"]) for one in value)
    return f"Novelty {scores} of 10: {new} of {len(value)} batches taken"


def _reflect(value: Any) -> str:
    if value.get("sufficient"):
        return "Found enough"
    gaps = len(value.get("gaps") or ())
    return f"{gaps} parts of the question are open" if gaps else "Looking further"


def _read(value: Any) -> str:
    return f"Read {one_line(value.get('title') or value.get('url') or 'a page', WIDTH)}"


_WORDS: dict[str, Callable[[Any], str]] = {
    "recall": lambda _: "Looked up what is remembered",
    "plan": _plan,
    "search": _search,
    "gate": _gate,
    "reflect": _reflect,
    "read": _read,
    "write": lambda _: "Wrote a draft",
    "verify": lambda _: "Checked every sentence against its sources",
    "judge": lambda _: "Weighed the report",
    "settle": lambda _: "Settled what was in doubt",
}
