"""What is known of a run so far, from nothing but the rows of its journal.

`advance` folds one row into the view. How it is drawn is `terminal.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadline.observe.rows import calls_of, tier_of
from leadline.ports import Row
from leadline.render.words import left_out, variants
from leadline.types import AgentResponse
from leadline.values import replace

_NEXT = {
    "see": "planning",
    "recall": "planning",
    "plan": "searching",
    "review": "searching",
    "search": "judging what is new",
    "gate": "reflecting",
    "compress": "reflecting",
    "read": "reading",
    "compact": "writing",
    "decide": "looking things up",
    "calculate": "looking things up",
    "write": "checking every quotation",
    "verify": "finishing",
    "remember": "finishing",
}


_BEFORE_PLAN = frozenset({"see", "recall"})
_FEW_COPIES = 3  # copies that differ are named up to so many, else counted


@dataclass(frozen=True)
class Searched:
    """One search as a line of the view; `score` is None until the gate has judged it."""

    query: str
    hits: int = 0
    child: str = ""  # the part of a compound task that it was made for
    error: str = ""
    provider: str = ""  # who answered; the cache, where it did
    score: float | None = None
    threshold: float = 0.0
    accepted: bool = False
    reason: str = ""
    repeated: float = 0.0


@dataclass(frozen=True)
class View:
    """What is known of a run so far, and no more than is shown."""

    task: str
    run_id: str = ""
    reasoner: str = ""
    tier: str = ""  # the user's choice, which wins over the planner's
    phase: str = "planning"
    plan: tuple[str, ...] = ()
    facts: str = ""  # the run's tier, type and language of the plan
    searched: tuple[Searched, ...] = ()
    pages: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()  # pages that could not be had, and why
    trouble: tuple[str, ...] = ()  # what went wrong with searches and what was done about it
    left_out: tuple[str, ...] = ()  # results and pages that were skipped, and why
    gaps: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # the subtasks of a compound task
    open_parts: tuple[tuple[str, tuple[str, ...]], ...] = ()  # what each of them has open
    iteration: int = 0
    done: bool = False
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


def advance(view: View, row: Row) -> View:
    """The view after one more finished step."""
    late = bool(view.plan) and row.name in _BEFORE_PLAN  # made beside it, and done after it
    phase = view.phase if late else _NEXT.get(row.name, view.phase)
    view = _paid(replace(view, phase=phase), row)
    fold = _FOLDS.get(row.name)
    return fold(view, row) if fold else view


def _paid(view: View, row: Row) -> View:
    """With the model calls of the step counted."""
    calls = calls_of(row)
    tokens = sum(call["prompt_tokens"] + call["completion_tokens"] for call in calls)
    return replace(
        view,
        calls=view.calls + len(calls),
        tokens=view.tokens + tokens,
        cost=view.cost + sum(call["cost"] for call in calls),
    )


def _reflected(view: View, row: Row) -> View:
    if not isinstance(row.value, dict):
        return view
    gaps = tuple(str(gap) for gap in row.value.get("gaps", ()))
    if row.child:  # what one part has open takes the place of what it had; the others go on
        parts = tuple(sorted((dict(view.open_parts) | {row.child: gaps}).items()))
        return replace(view, open_parts=parts, gaps=tuple(gap for _, own in parts for gap in own))
    phase = "reading" if row.value.get("sufficient") else "searching"
    return replace(view, phase=phase, gaps=gaps)


def _read(view: View, row: Row) -> View:
    if row.error:
        lost = f"{row.what}: {row.error}" if row.what else row.error
        return replace(view, lost=(*view.lost, lost))
    if not isinstance(row.value, dict):
        return view
    name = row.value.get("title") or row.value.get("url") or ""
    url = row.value.get("url") or name
    notes = (f"{url}: {note}" for note in row.value.get("notes") or ())
    trouble = (*view.trouble, *notes)
    return replace(view, pages=(*view.pages, str(name)), trouble=trouble)


def _found(view: View, row: Row) -> View:
    made = _searched(row)
    failed = (f"{made.query}: {made.error}",) if made.error else ()
    view = _with_notes(replace(view, searched=(*view.searched, made)), row.value)
    return replace(view, trouble=view.trouble + failed)


def _with_notes(view: View, batch: Any) -> View:
    """What the user's own filters left out is no trouble."""
    notes = batch.get("notes") or () if isinstance(batch, dict) else ()
    left = tuple(str(note["why"]) for note in notes if note["stage"] == "filter")
    said = tuple(
        f"{note.get('what') or batch['query']['text']}: {note['why']}"
        for note in notes
        if note["stage"] != "filter"
    )
    return replace(view, trouble=view.trouble + said, left_out=view.left_out + left)


def ended(view: View, response: AgentResponse) -> View:
    """The view of a run that has its answer: with all that was left out, and copies that differ."""
    copies = tuple(variants(response))
    if len(copies) > _FEW_COPIES:
        copies = (f"{len(copies)} sources say the same as others with other numbers",)
    return replace(
        view, done=True, left_out=tuple(left_out(response)), trouble=view.trouble + copies
    )


def _planned(view: View, row: Row) -> View:
    if row.child or not isinstance(row.value, dict):  # the plan of the whole is shown
        return view
    plan = row.value
    facts = [tier_of(row, view.tier), plan.get("task_type"), plan.get("language")]
    return replace(
        view,
        plan=tuple(query["text"] for query in plan.get("search_queries", ())),
        facts=" · ".join(str(fact).replace("_", " ") for fact in facts if fact),
        parts=tuple(str(part) for part in plan.get("subtasks", ())),
    )


def _searched(row: Row) -> Searched:
    if not isinstance(row.value, dict) or "query" not in row.value:
        return Searched(row.what or "(search)", error=row.error or "failed", child=row.child)
    batch = row.value
    error = batch.get("error") or row.error
    asked = batch.get("asked") or ()
    last = str(asked[-1]["provider"]) if asked else ""  # who was asked where nobody answered
    provider = "cache" if batch.get("cached") else str(batch.get("provider") or last)
    hits = len(batch.get("hits", ()))
    return Searched(batch["query"]["text"], hits, row.child, error, provider)


def _judged(view: View, row: Row) -> View:
    """Searches end in any order; once judged they stand in the order of the judging."""
    settled = [search for search in view.searched if search.score is not None]
    waiting = [search for search in view.searched if search.score is None]
    for verdict in row.value or ():
        own = (one for one in waiting if one.child == row.child)
        search = next((one for one in own if one.query == verdict["query"]), None)
        if search is not None:
            waiting.remove(search)
            settled.append(_with_verdict(search, verdict))
    return replace(view, searched=(*settled, *waiting), iteration=view.iteration + 1)


def _with_verdict(search: Searched, verdict: dict[str, Any]) -> Searched:
    return replace(
        search,
        score=float(verdict["score"]),
        threshold=float(verdict["threshold"]),
        accepted=bool(verdict["accepted"]),
        reason=str(verdict["reason"]),
        repeated=float(verdict.get("repeated", 0.0)),
    )


_FOLDS = {
    "plan": _planned,
    "review": _planned,
    "search": _found,
    "gate": _judged,
    "reflect": _reflected,
    "read": _read,
}
