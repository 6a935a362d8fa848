"""The live view of a run in a terminal: `draw` turns what is known of a run into lines.

It knows no clock and no screen: the face gives the seconds, the size and what is under way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from leadline.render.safe import one_line
from leadline.render.view import Searched, View

BAR_CELLS = 10  # one a point of the score
ROOMY = 100  # columns under which the bars give way to the words of the queries
NARROW = 60  # columns under which nobody is told who answered
_FREE_COLUMNS = 3
_LABEL = 8
_FIXED_LINES = 8  # lines of the view that are always one
_ALL = 1_000  # lines of a view that is finished, which is printed whole
_SAID = {
    "first": "accepted",
    "novel": "new",
    "epsilon": "let through",
    "discarded": "repeats",
    "failed": "failed",
}


UnderWay = Sequence[tuple[str, str]]  # the steps that go on: what is done, and to which


def draw(
    view: View,
    seconds: float,
    width: int,
    height: int,
    unicode: bool = True,
    under_way: UnderWay = (),
) -> Constrain:
    """The view in at most `height` lines of `width` columns; all of it once the run is done.

    The last columns stay free: a terminal that writes `^C` there must not begin a new line, or the
    next drawing lands one line too low.
    """
    columns = max(width - _FREE_COLUMNS, 1)
    room = _ALL if view.done else max(height - _FIXED_LINES, 4)
    told, used = _told(view, under_way, columns, room // 2)
    room = max(room - used, 2)
    pages = view.pages[-min(len(view.pages), max(room // 3, 1)) :]
    parts: list[RenderableType] = [_head(view, seconds)]
    if view.plan:
        parts.append(_plan(view))
    if view.parts and any(search.child for search in view.searched):
        numbered = (f"({number}) {one_line(part)}" for number, part in enumerate(view.parts, 1))
        parts.append(_labelled("Parts", "; ".join(numbered)))
    if view.searched:
        parts.append(_searches(view, max(room - 1, 1), width, unicode))
    if pages:
        parts.append(_labelled("Read", f"{len(view.pages)}: {_names(pages)}"))
    parts += told
    if view.gaps:
        parts.append(_labelled("Open", "; ".join(one_line(gap) for gap in view.gaps), "yellow"))
    if view.calls:
        money = f", ${view.cost:.4f}" if view.cost else ""
        parts.append(_labelled("Model", f"{view.calls} calls, {view.tokens:,} tokens{money}"))
    if (share := _last_repeated(view)) is not None:
        parts.append(_labelled("Repeated", f"{share} % of the last batch had been seen before"))
    return Constrain(Group(*parts), columns)


_DOING = {"search": "searching", "read": "reading", "see": "looking at"}


def _told(
    view: View, under_way: UnderWay, columns: int, room: int
) -> tuple[list[RenderableType], int]:
    """What goes on now, lost pages, trouble and what was left out, in `room` lines; and how many
    they are. None is cut: a page and its reason can be read, or are counted."""
    now = [f"{_DOING[name]} {what}" for name, what in under_way if name in _DOING and what]
    kinds = (
        ("Now", now, "cyan"),
        ("Lost", _once(view.lost[::-1]), "red"),
        ("Trouble", _once(view.trouble[::-1]), "yellow"),
        ("Left out", view.left_out, "dim"),
    )
    told: list[RenderableType] = []
    used = 0
    shown = [(label, some, style) for label, some, style in kinds if some]
    for at, (label, some, style) in enumerate(shown):
        share = max((room - used) // (len(shown) - at), 1)  # what one leaves, the next may have
        counts = label in ("Lost", "Trouble")
        lines = _in_lines(some, columns - _LABEL - 2, share, counts)
        told.append(_grid(label, Text("\n".join(lines), style=style, no_wrap=True)))
        used += len(lines)
    return told, used


def _once(said: Sequence[str]) -> list[str]:
    """What was met several times is told once."""
    return [f"{one} ({n} times)" if n > 1 else one for one, n in Counter(said).items()]


def _in_lines(said: Sequence[str], columns: int, room: int, counts: bool) -> list[str]:
    """Each on lines of its own; those for which there is no room are counted."""
    lines: list[str] = []
    for number, one in enumerate(said):
        first = f"{len(said)}: " if counts and not number else ""
        wrapped = _wrapped(first + one_line(one), max(columns, 1))
        left = len(said) - number
        if lines and len(lines) + len(wrapped) + (left > 1) > room:
            return [*lines[: max(room - 1, 1)], f"… and {left} more"] if room > 1 else lines[:1]
        lines += wrapped
    return lines[:room]


def _wrapped(text: str, columns: int) -> list[str]:
    """`text` in lines of so many cells, broken at spaces and within what is longer than a line."""
    lines = [""]
    for word in text.split(" "):
        room = columns - cell_len(lines[-1]) - 1
        if not lines[-1]:
            lines.pop()
            lines += chop_cells(word, columns) or [""]
        elif cell_len(word) <= room:
            lines[-1] += f" {word}"
        elif cell_len(word) <= columns or room < columns // 3:
            lines += chop_cells(word, columns)
        else:  # an address begins where there is room for it
            head = chop_cells(word, room)[0]
            lines[-1] += f" {head}"
            lines += chop_cells(word[len(head) :], columns)
    return lines


def _head(view: View, seconds: float) -> Text:
    """The run's id stands before who answers, which may be long."""
    mark = "done" if view.done else view.phase
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{seconds:5.1f} s  ", style="dim")
    text.append(mark, style="bold green" if view.done else "bold cyan")
    if view.run_id:
        text.append(f"  run {view.run_id}", style="dim")
    if view.reasoner:
        text.append(f"  {view.reasoner}", style="dim")
    return text


def _plan(view: View) -> Table:
    queries = " | ".join(one_line(query) for query in view.plan)
    return _labelled("Plan", f"{view.facts}: {queries}" if view.facts else queries)


def _searches(view: View, room: int, width: int, unicode: bool) -> Table:
    bars, providers = width >= ROOMY, width >= NARROW
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(width=_LABEL, no_wrap=True, style="bold")
    table.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column(width=8, no_wrap=True, justify="right", style="dim")
    if providers:
        table.add_column(width=9, no_wrap=True, overflow="ellipsis", style="dim")
    if bars:
        table.add_column(width=BAR_CELLS + 1, no_wrap=True)
    table.add_column(width=4, no_wrap=True, justify="right")
    table.add_column(width=11, no_wrap=True)
    hidden = max(len(view.searched) - room, 0)
    for i, search in enumerate(view.searched[hidden:]):
        label = "Searches" if i == 0 else ""
        table.add_row(label, *_search_cells(search, providers, bars, unicode))
    if hidden:
        label = f"… and {hidden} before"
        table.add_row("", Text(label, style="dim"))
    return table


def _search_cells(search: Searched, providers: bool, bars: bool, unicode: bool) -> list[Text]:
    style = _style(search)
    hits = "1 hit" if search.hits == 1 else f"{search.hits} hits"
    score = "" if search.score is None else f"{search.score:.1f}"
    said = "…" if search.score is None else _SAID.get(search.reason, search.reason)
    part = f"({search.child}) " if search.child else ""
    cells = [Text(one_line(part + search.query)), Text("error" if search.error else hits)]
    if providers:
        cells.append(Text(one_line(search.provider)))
    if bars:
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
    return _grid(label, Text(one_line(said), style=style))


def _grid(label: str, said: Text) -> Table:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=_LABEL, no_wrap=True, style="bold")
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_row(label, said)
    return grid


def _names(pages: Sequence[str]) -> str:
    return ", ".join(one_line(page, 60) for page in reversed(pages))


def _last_repeated(view: View) -> int | None:
    judged = [search for search in view.searched if search.score is not None and search.hits]
    return round(100 * judged[-1].repeated) if len(judged) > 1 else None
