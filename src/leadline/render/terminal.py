"""The live view of a run in a terminal, drawn from nothing but the rows of its journal.

`advance` folds one row into the view; `draw` turns the view into lines. Neither knows a clock or a
screen: the face gives the seconds and the size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from leadline.frozen import frozen
from leadline.observe.rows import calls_of, tier_of
from leadline.ports import Row
from leadline.render.safe import one_line
from leadline.render.words import left_out, variants
from leadline.types import AgentResponse

BAR_CELLS = 10  # one a point of the score
NARROW = 70  # columns under which the bars are left out
_FREE_COLUMNS = 3
_FIXED_LINES = 14  # lines of the view that are not searches or pages
_SAID = {
    "first": "accepted",
    "novel": "new",
    "epsilon": "let through",
    "discarded": "repeats",
    "failed": "failed",
}
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


@frozen
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


@frozen
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
    view = _paid(replace(view, phase=_NEXT.get(row.name, view.phase)), row)
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
    trouble = (*view.trouble, *(str(note) for note in row.value.get("notes") or ()))
    return replace(view, pages=(*view.pages, str(name)), trouble=trouble)


def _found(view: View, row: Row) -> View:
    return _with_notes(replace(view, searched=(*view.searched, _searched(row))), row.value)


def _with_notes(view: View, batch: Any) -> View:
    """What the user's own filters left out is no trouble."""
    notes = batch.get("notes") or () if isinstance(batch, dict) else ()
    left = tuple(str(note["why"]) for note in notes if note["stage"] == "filter")
    said = tuple(str(note["why"]) for note in notes if note["stage"] != "filter")
    return replace(view, trouble=view.trouble + said, left_out=view.left_out + left)


def ended(view: View, response: AgentResponse) -> View:
    """The view of a run that has its answer: with all that was left out, and copies that differ."""
    return replace(
        view,
        done=True,
        left_out=tuple(left_out(response)),
        trouble=view.trouble + tuple(variants(response)),
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
    provider = "cache" if batch.get("cached") else str(batch.get("provider") or "")
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


# ── drawing ─────────────────────────────────────────────────────────────────────────────────


def draw(view: View, seconds: float, width: int, height: int, unicode: bool = True) -> Constrain:
    """The view in at most `height` lines of `width` columns.

    The last columns stay free: a terminal that writes `^C` there must not begin a new line, or the
    next drawing lands one line too low.
    """
    room = max(height - _FIXED_LINES, 2)
    pages = view.pages[-min(len(view.pages), max(room // 3, 1)) :]
    parts: list[RenderableType] = [_head(view, seconds)]
    if view.plan:
        parts.append(_plan(view))
    if view.parts and any(search.child for search in view.searched):
        told = (f"({number}) {one_line(part)}" for number, part in enumerate(view.parts, 1))
        parts.append(_labelled("Parts", "; ".join(told)))
    if view.searched:
        parts.append(_searches(view, max(room - len(pages), 1), width >= NARROW, unicode))
    if pages:
        parts.append(_labelled("Read", f"{len(view.pages)}: {_names(pages)}"))
    parts += _told(view)
    if view.gaps:
        parts.append(_labelled("Open", "; ".join(one_line(gap) for gap in view.gaps), "yellow"))
    if view.calls:
        money = f", ${view.cost:.4f}" if view.cost else ""
        parts.append(_labelled("Model", f"{view.calls} calls, {view.tokens:,} tokens{money}"))
    if (share := _last_repeated(view)) is not None:
        parts.append(_labelled("Repeated", f"{share} % of the last batch had been seen before"))
    return Constrain(Group(*parts), max(width - _FREE_COLUMNS, 1))


def _told(view: View) -> list[RenderableType]:
    """A line each for lost pages, trouble and what was left out: how many, the newest first."""
    lines = (("Lost", view.lost, "red"), ("Trouble", view.trouble, "yellow"))
    told: list[RenderableType] = [
        _labelled(label, f"{len(some)}: {'; '.join(reversed(some))}", style)
        for label, some, style in lines
        if some
    ]
    if view.left_out:
        told.append(_labelled("Left out", "; ".join(view.left_out), "dim"))
    return told


def _head(view: View, seconds: float) -> Text:
    mark = "done" if view.done else view.phase
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{seconds:5.1f} s  ", style="dim")
    text.append(mark, style="bold green" if view.done else "bold cyan")
    if view.reasoner:
        text.append(f"  {view.reasoner}", style="dim")
    if view.run_id:
        text.append(f"  run {view.run_id}", style="dim")
    return text


def _plan(view: View) -> Table:
    queries = " | ".join(one_line(query) for query in view.plan)
    return _labelled("Plan", f"{view.facts}: {queries}" if view.facts else queries)


def _searches(view: View, room: int, bars: bool, unicode: bool) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(width=8, no_wrap=True, style="bold")
    table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column(width=8, no_wrap=True, justify="right", style="dim")
    if bars:
        table.add_column(width=9, no_wrap=True, overflow="ellipsis", style="dim")
        table.add_column(width=BAR_CELLS + 1, no_wrap=True)
    table.add_column(width=4, no_wrap=True, justify="right")
    table.add_column(width=11, no_wrap=True)
    hidden = max(len(view.searched) - room, 0)
    for i, search in enumerate(view.searched[hidden:]):
        label = "Searches" if i == 0 else ""
        table.add_row(label, *_search_cells(search, bars, unicode))
    if hidden:
        label = f"… and {hidden} before"
        table.add_row("", Text(label, style="dim"))
    return table


def _search_cells(search: Searched, bars: bool, unicode: bool) -> list[Text]:
    style = _style(search)
    hits = "1 hit" if search.hits == 1 else f"{search.hits} hits"
    score = "" if search.score is None else f"{search.score:.1f}"
    said = "…" if search.score is None else _SAID.get(search.reason, search.reason)
    part = f"({search.child}) " if search.child else ""
    cells = [Text(one_line(part + search.query)), Text("error" if search.error else hits)]
    if bars:
        cells.append(Text(one_line(search.provider)))
        cells.append(bar(search.score, search.threshold, style, unicode))
    return [*cells, Text(score, style=style), Text(said, style=style)]


def _style(search: Searched) -> str:
    if search.error or search.reason == "failed":
        return "red"
    if search.score is None:
        return "dim"
    return "green" if search.accepted else "yellow"


def bar(score: float | None, threshold: float, style: str, unicode: bool = True) -> Text:
    """The score as a bar of ten cells, with a mark where the threshold stands."""
    if score is None:
        return Text(" " * (BAR_CELLS + 1))
    full, empty, mark = ("█", "░", "┃") if unicode else ("#", ".", "|")
    filled = max(0, min(BAR_CELLS, round(score)))
    at = max(0, min(BAR_CELLS, round(threshold)))
    text = Text(no_wrap=True)
    for cell in range(BAR_CELLS + 1):
        if cell == at:
            text.append(mark, style="dim")
        if cell < BAR_CELLS:
            text.append(full if cell < filled else empty, style if cell < filled else "dim")
    return text


def _labelled(label: str, said: str, style: str = "") -> Table:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=8, no_wrap=True, style="bold")
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_row(label, Text(one_line(said), style=style))
    return grid


def _names(pages: Sequence[str]) -> str:
    return ", ".join(one_line(page, 60) for page in reversed(pages))


def _last_repeated(view: View) -> int | None:
    judged = [search for search in view.searched if search.score is not None and search.hits]
    return round(100 * judged[-1].repeated) if len(judged) > 1 else None
