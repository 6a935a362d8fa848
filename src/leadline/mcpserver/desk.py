"""What the tools work with: one session, the searches it opens once, and the runs under way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anyio import CancelScope

from leadline.errors import BadInput, LeadlineError
from leadline.hidden import Hidden
from leadline.kit import open_kit, prepare, refuse_empty, uses_web
from leadline.kit.documents import documents
from leadline.mcpserver.access import Access
from leadline.ports import Row
from leadline.research.loop import Kit
from leadline.service.asked import of_owner, settled
from leadline.session import Session, open_session
from leadline.settings import Settings, check_task
from leadline.store.keyring import Keyring
from leadline.types import AgentResponse

if TYPE_CHECKING:
    from leadline.search.documents import DocumentSearcher, Folders

BEAT_S = 10.0  # clients give up on a tool that says nothing for long
FRESH_S = 30.0  # how long an index counts as up to date with its folder

Tell = Callable[[Row | None], Awaitable[None]]
"""Told of each finished step, and with None when nothing has finished for a while."""


@dataclass(frozen=True)
class Answer:
    """A report, the active seconds it took, and whether an earlier run was gone on with."""

    response: AgentResponse
    seconds: float
    resumed: bool


class Desk:
    """Settings, an open session, and whatever its tools have opened; `open_desk` makes one."""

    def __init__(
        self,
        session: Session,
        stack: AsyncExitStack,
        beat_s: float = BEAT_S,
        *,
        queued: bool = False,
    ) -> None:
        """Where runs are `queued`, a worker of any machine may carry them out."""
        self.session, self.settings = session, session.settings
        self.access = Access(
            session.engine, Keyring(self.settings.data_dir), self.settings.serve_max_runs
        )
        self.hidden = Hidden(self.settings)
        self.closing = False
        self._queued = queued
        self._stack, self._beat_s = stack, beat_s
        self._opening = asyncio.Lock()
        self._web: Kit | None = None
        self._docs: tuple[DocumentSearcher | Folders, float] | None = None

    # ── research ────────────────────────────────────────────────────────────────────────────

    async def research(self, question: str, options: Mapping[str, Any], tell: Tell) -> Answer:
        """Carry out a run, or go on with the one that was left of the same question.

        Whoever stops waiting cancels it; it stays as it is and can be gone on with.
        """
        asked = check_task(question)
        settings = of_owner(settled(self.settings, options), self.access.owner)
        session = self.session
        if settings != self.settings:
            session = Session(settings, self.session.engine)
        await asyncio.to_thread(lambda: refuse_empty(settings, prepare(settings)))
        await session.settled()  # may look for a model, and takes as long as that takes
        with self.access.place():
            with CancelScope(shield=True):  # a run that was begun must be known, to be cancelled
                run_id, resumed = await self._begin(session, asked)
            try:
                seconds = await self._followed(run_id, tell)
                return Answer(await session.response(run_id), seconds, resumed)
            except asyncio.CancelledError:
                with CancelScope(shield=True):
                    await self._cancel(run_id)
                raise

    async def _begin(self, session: Session, asked: str) -> tuple[str, bool]:
        left = await session.unfinished(asked)
        if left and self.access.mine(left):
            try:
                await (session.engine.requeue if self._queued else session.engine.resume)(left)
            except BadInput:  # another process has it, or it is of another version
                pass
            else:
                return left, True
        if self._queued:
            run_id = await session.enqueue(asked, owner=self.access.owner)
        else:
            run_id = await session.start(asked)
        self.access.own(run_id)
        return run_id, False

    async def _followed(self, run_id: str, tell: Tell) -> float:
        """Tell of each step until the run ends; the active seconds of the last."""
        rows = self.session.engine.follow(run_id)
        seconds = 0.0
        row = asyncio.ensure_future(_next(rows))
        try:
            while True:
                done, _ = await asyncio.wait({row}, timeout=self._beat_s)
                if not done:
                    await tell(None)
                    continue
                if (found := row.result()) is None:
                    return seconds
                seconds = max(seconds, found.elapsed)
                await tell(found)
                row = asyncio.ensure_future(_next(rows))
        finally:
            row.cancel()

    async def _cancel(self, run_id: str) -> None:
        """Not when the server stops: closing the session leaves its runs to be resumed."""
        if self.closing:
            return
        try:
            await self.session.engine.cancel(run_id)
        except LeadlineError:
            return  # it ended in the same moment, or its store is gone

    async def finished(self, run_id: str) -> AgentResponse:
        """The report of a finished run of the caller's."""
        info = await self.access.info(run_id)
        if info.status != "finished":
            why = f": {info.reason}" if info.reason else ""
            raise BadInput(f"run {run_id} is {info.status}{why}; it has no report yet")
        return await self.session.response(run_id)

    # ── search ──────────────────────────────────────────────────────────────────────────────

    async def web(self) -> Kit:
        """The tools of the web, opened once."""
        if not uses_web(self.settings):
            raise BadInput(
                "this server searches documents alone and opens no connection; "
                "whoever runs it allows the web with: leadline mcp --web"
            )
        async with self._opening:
            if self._web is None:
                settings = self.settings.but(docs=(), web=True)
                prepare(settings)
                self._web = await self._stack.enter_async_context(open_kit(settings))
        return self._web

    async def docs(self) -> DocumentSearcher | Folders:
        """The documents, their indexes up to date."""
        if not self.settings.docs:
            raise BadInput(
                "no documents are given to this server; "
                "whoever runs it names a folder or file with: leadline mcp --docs PATH"
            )
        async with self._opening:
            if self._docs is None or time.monotonic() - self._docs[1] > FRESH_S:
                settings = self.settings.but(web=False)
                await asyncio.to_thread(lambda: refuse_empty(settings, prepare(settings)))
                self._docs = documents(settings), time.monotonic()
        return self._docs[0]


async def _next(rows: AsyncIterator[Row]) -> Row | None:
    return await anext(rows, None)


@asynccontextmanager
async def open_desk(settings: Settings, beat_s: float = BEAT_S) -> AsyncIterator[Desk]:
    """A desk over the runs in the data folder; closing it leaves its runs resumable."""
    shared = _shared(settings)
    async with open_session(settings) as session, AsyncExitStack() as stack:
        yield Desk(session, stack, beat_s, queued=shared)


def _shared(settings: Settings) -> bool:
    """Whether runs are kept where other machines see them."""
    return bool(settings.store_url.get_secret_value())
