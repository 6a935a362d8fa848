"""Follows a run to its end: the live view and the log, then the record and the report."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.cli.common import console, note
from leadline.cli.exits import ANSWERED, FAILED, INTERRUPTED, NOT_FOUND
from leadline.cli.output import Output, deliver, write_file

if TYPE_CHECKING:
    from leadline.cli.doors import OpenSession
    from leadline.cli.review import TerminalReview
    from leadline.ports import Engine, Row, RunInfo
    from leadline.render.terminal import UnderWay
    from leadline.session import Session
    from leadline.settings import Settings
    from leadline.types import AgentResponse


def carry_out(
    settings: Settings,
    output: Output,
    begin: Callable[[Session], Awaitable[str]],
    open_session: OpenSession,
    review: TerminalReview | None = None,
) -> int:
    """Begin a run, follow it to its end and deliver the report. Returns the exit code.

    `review` is shown the plan of a run that was begun to be reviewed.
    """

    import asyncio

    from leadline.errors import RunStopped, StoreBroken

    run_id = ""

    async def whole() -> int:
        nonlocal run_id
        asked = (settings, review) if review else (settings,)
        async with open_session(*asked) as session:
            run_id = await begin(session)
            return await _watch(session, run_id, output)

    try:
        return asyncio.run(whole())
    except RunStopped:
        if review is None or not review.declined:
            raise
        note(f"Nothing was searched. Go on with it: leadline runs resume {run_id}")
        return INTERRUPTED
    except StoreBroken as broken:
        if not run_id:
            raise
        raise StoreBroken(
            f"{broken}. Run {run_id} stopped there; what is kept of it is not done again. "
            f"Once that is mended, go on with it: leadline runs resume {run_id}"
        ) from broken
    except KeyboardInterrupt:
        if not run_id:
            raise
        note(
            f"\nInterrupted. Go on with it: leadline runs resume {run_id}\n"
            f"The report of what was found: leadline runs finish {run_id}"
        )
        return INTERRUPTED


async def say_resumed(session: Session, run_id: str, output: Output) -> None:
    """Tell what of a run is at hand; before it goes on, or its new steps would be counted too."""
    if output.quiet:
        return
    from leadline.cli.history import resumed

    note(resumed(await session.engine.info(run_id), await session.engine.rows(run_id)))


async def _watch(session: Session, run_id: str, output: Output) -> int:
    from leadline.errors import LeadlineError

    response = await _followed(session, run_id, output)
    try:
        deliver(response, output)
    except OSError as error:
        raise LeadlineError(
            f"cannot write the report: {error.strerror}; it is kept, "
            f"write it elsewhere with: leadline runs show {run_id} -o FILE"
        ) from error
    if output.trace is not None:
        try:
            await write_trace(session.engine, run_id, output.trace)
        except OSError as error:
            raise LeadlineError(
                f"cannot write the trace: {error.strerror}; "
                f"write it elsewhere with: leadline runs show {run_id} --trace FILE"
            ) from error
    return exit_code(response)


async def _followed(session: Session, run_id: str, output: Output) -> AgentResponse:
    from leadline.observe.logs import PhaseLog

    info = await session.engine.info(run_id)
    reasoner = await session.reasoner(run_id)
    log = PhaseLog(run_id, session.settings.token_budget)
    log.started(info.task, reasoner)
    if not output.quiet and not output.live:
        note(f"Run {run_id}, reasoner: {reasoner}; leadline doctor tells more")
    under_way = partial(session.engine.under_way, run_id)
    screen, made = Screen(info, reasoner, output.live, under_way), Made()
    rows = session.engine.follow(run_id)
    if info.settings.get("review_plan"):
        async for row in rows:  # the screen belongs to whoever reviews the plan
            screen.row(row)
            log.row(row)
            made.row(row)
            if row.name == "review":
                break
    with screen.shown():
        async for row in rows:
            screen.row(row)
            log.row(row)
            made.row(row)
        response = await session.response(run_id)
        screen.done(response)
    log.finished(response.stop_reason.value, response.found, response.usage.searches)
    if not output.quiet and (said := made.said()):
        note(said)
    if output.live:  # the view that named it may have scrolled away
        note(f"Run {run_id}: leadline runs show {run_id}")
    return response


class Made:
    """The searches and pages of a run, told in one line at its end."""

    def __init__(self) -> None:
        self._rows: list[Row] = []

    def row(self, row: Row) -> None:
        if row.name in ("search", "read"):
            self._rows.append(row)

    def said(self) -> str:
        from leadline.observe.providers import searched_with
        from leadline.observe.record import pages, searches

        return searched_with(searches(self._rows), pages(self._rows))


async def write_trace(engine: Engine, run_id: str, path: Path) -> None:
    """The run's trace for Perfetto, in a file."""
    from leadline.observe.trace import trace

    info = await engine.info(run_id)
    write_file(path, trace(info.task, await engine.rows(run_id)))


def exit_code(response: AgentResponse) -> int:
    """What the shell is told about a response."""
    from leadline.render.words import unreached
    from leadline.types import Stop

    if not response.reached:
        note(f"leadline: {unreached(response)}")
        return FAILED
    if not response.found:
        return NOT_FOUND
    return FAILED if response.stop_reason is Stop.ERROR else ANSWERED


class Screen:
    """The live view while a run goes on; nothing at all where there is no screen."""

    def __init__(
        self, info: RunInfo, reasoner: str, live: bool, under_way: Callable[[], UnderWay]
    ) -> None:
        self._live, self._under_way = live, under_way
        self._began = time.monotonic()
        if live:
            from leadline.render.view import View

            self._console = console()
            tier = info.settings.get("tier") or ""
            self._view = View(task=info.task, run_id=info.id, reasoner=reasoner, tier=tier)

    def shown(self) -> AbstractContextManager[Any]:
        """Keeps the view on the screen, redrawn a few times a second."""
        if not self._live:
            return nullcontext()
        from rich.live import Live

        return Live(
            get_renderable=self._draw,
            console=self._console,
            refresh_per_second=8,
            vertical_overflow="crop",
        )

    def row(self, row: Row) -> None:
        if self._live:
            from leadline.render.view import advance

            self._view = advance(self._view, row)

    def done(self, response: AgentResponse) -> None:
        if self._live:
            from leadline.render.view import ended

            self._view = ended(self._view, response)

    def _draw(self) -> Any:
        from leadline.render.terminal import draw

        size = self._console.size
        seconds = time.monotonic() - self._began
        unicode = self._console.encoding.startswith("utf")
        now = self._under_way()
        return draw(self._view, seconds, size.width, size.height, unicode, now)
