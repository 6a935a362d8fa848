"""The live view of a run in a terminal: `draw` turns what is known of a run into lines.

It knows no clock and no screen: the face gives the seconds and the size.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from leadline.render.safe import one_line
from leadline.render.view import Searched, View

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
