"""How a run went, line by line, as `leadline runs show` tells it above the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from leadline.render.safe import one_line

if TYPE_CHECKING:
    from leadline.ports import Row, RunInfo
    from leadline.types import AgentResponse

_CHARS = 300  # of an address or a reason


def history(info: RunInfo, rows: Sequence[Row], response: AgentResponse | None) -> str:
    """The run, its providers, each search, and what was lost or skipped and why."""
    from leadline.observe.providers import askings, in_words, searched_with
    from leadline.observe.record import pages, searches

    made = searches(rows)
    lines = [
        *_about(info, len(rows)),
        *([f"Summary  {used}"] if (used := searched_with(made, pages(rows))) else []),
        *(f"Asked    {one.provider}: {in_words(one)}" for one in askings(made)),
        *(line for search in made for line in _searched(search)),
        *_pages(rows),
    ]
    if response is not None:
        skipped = dict.fromkeys((one.what, one.why) for one in response.skipped)
        lines += [f"Skipped  {_said(what)}: {_said(why)}" for what, why in skipped]
    return "\n".join(lines) + "\n\n"


def _about(info: RunInfo, steps: int) -> Iterator[str]:
    why = info.stop_reason or info.reason
    yield f"Run      {info.id}"
    yield f"Question {one_line(info.task, 500)}"
    yield f"Status   {info.status}{f' ({why})' if why else ''}, {steps} steps"
    yield f"Started  {info.created_at:%Y-%m-%d %H:%M:%S} UTC"
    if info.forked_from:
        yield f"Forked   from {info.forked_from}"
    if info.settings.get("follows"):
        yield f"Follows  {info.settings['follows']}"


def _searched(search: Mapping[str, Any]) -> Iterator[str]:
    query = one_line(search["query"], 200)
    score = f"{search['score']:4.1f}" if "score" in search else "   –"
    if search["error"]:
        yield f"Search   {score}  failed: {query}: {_said(search['error'])}"
    else:
        verdict = f"{search['verdict']} ({search.get('reason', 'unjudged')})"
        by = "from the cache" if search["cached"] else search["provider"]
        yield f"Search   {score}  {verdict}: {query}{f' [{one_line(by, 60)}]' if by else ''}"
    for note in search["notes"]:
        yield f"Trouble  {query}: {_said(note)}"


def _pages(rows: Sequence[Row]) -> Iterator[str]:
    """What could not be had beside a search, and pages that took a second try."""
    for row in rows:
        if row.error:
            yield f"Lost     {_said(f'{row.what or row.name}: {row.error}')}"
        elif row.name == "read" and isinstance(row.value, dict):
            for note in row.value.get("notes") or ():
                yield f"Trouble  {_said(row.value.get('url', ''))}: {_said(str(note))}"


def _said(text: str) -> str:
    return one_line(text, _CHARS)


def resumed(info: RunInfo, rows: Sequence[Row]) -> str:
    """What of a run is taken from its record, and where it goes on."""
    if info.status == "finished":
        return f"Run {info.id} is finished: its report is shown, and nothing is done again."
    made = [row for row in rows if row.name != "start"]
    if not made:
        return f"Run {info.id} had finished no step yet; it begins with its plan."
    from functools import reduce

    from leadline.render.view import View, advance

    phase = reduce(advance, rows, View(info.task)).phase
    steps = "1 step is" if len(made) == 1 else f"{len(made)} steps are"
    return (
        f"Going on with run {info.id}: {steps} taken from its record, not done again "
        f"({_counted(made)}). It goes on with {phase}."
    )


def _counted(rows: Sequence[Row]) -> str:
    """`plan, 3 searches (1 failed), 2 pages, 4 others`."""
    from leadline.observe.rows import why_failed
    from leadline.render.words import counted

    told: list[str] = ["plan"] if any(row.name == "plan" for row in rows) else []
    for name, one, many in (("search", "search", "searches"), ("read", "page", "pages")):
        own = [row for row in rows if row.name == name]
        failed = sum(bool(why_failed(row)) for row in own)
        if own:
            lost = f" ({failed} failed)" if failed else ""
            told.append(counted(len(own), one, many) + lost)
    others = sum(row.name not in ("plan", "search", "read") for row in rows)
    return ", ".join([*told, *([f"{others} of other kinds"] if others else [])])
