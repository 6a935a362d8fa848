"""While searches are waited for, the end of the run is gone through with the pages at hand.

What comes of it is thrown away. But sentences, vectors and the like are kept by whatever works them
out, so that after the last page only what that page brings is left to do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leadline.codec import dumped
from leadline.errors import LeadlineError
from leadline.research.loop import Kit, drafted, finished, gathered, proven
from leadline.research.novelty_gate import look_at
from leadline.research.read import passages_of
from leadline.run import JournaledRun
from leadline.text.urls import canonical
from leadline.types import Batch, Page, Rules, State

if TYPE_CHECKING:
    from leadline.results import Record

_AFTER_S = 0.05  # for the next searches to be thought of and to go out
_OPEN: list[Rehearsal] = []  # of all runs of this process


class Rehearsal:
    """`steps.ahead.Rehearse`: in a thread, one at a time, where a run has the process to itself.

    Where several share it nobody's processor is idle, and each would wait for the others'. Pages
    are told of by `fetched` while they are scanned: hardly any has something barred in it. What is
    to be opened for the end is opened by `prepare`.
    """

    def __init__(
        self, kit: Kit, stack: AsyncExitStack, prepare: Callable[[], None] | None = None
    ) -> None:
        self._kit = replace(kit, judge=None, editing=None, memory=None)
        self._prepare = prepare
        self._busy = self._gives_way = False
        self._due: asyncio.TimerHandle | None = None  # when the next one starts
        self._next: tuple[State, Rules, tuple[Page, ...]] | None = None
        self._at: tuple[State, Rules] | None = None  # where the run is
        self._gone_through = 0  # with so many pages
        self._came: dict[str, Page] = {}  # by address, also what is scanned yet
        self._pages: deque[Page] = deque()  # each to be looked at by itself
        self._waited: tuple[State, Rules, dict[str, Page | None]] | None = None
        _OPEN.append(self)
        stack.callback(self._close)

    def begin(self, state: State, rules: Rules, pages: tuple[Page, ...]) -> None:
        if len(_OPEN) == 1:
            self._at, self._gives_way = (state, rules), False
            if len(pages) > self._gone_through:
                self._next = state, rules, pages
            if self._next or self._pages:
                self._wake(_AFTER_S)

    def last(self, state: State, rules: Rules, here: Mapping[str, Page | None]) -> None:
        if len(_OPEN) == 1 and any(here.values()) and not all(here.values()):
            known = {address: page or self._came.get(address) for address, page in here.items()}
            self._at, self._gives_way = (state, rules), False
            self._waited = state, rules, known
            self._next = state, rules, tuple(page for page in known.values() if page)
            self._wake(0.0)

    async def found(self, batch: Batch) -> None:
        """Results have come and are being scanned: the gate's part is begun meanwhile. The end
        gives way, since the next searches wait for what is made of them."""
        self._gives_way = True
        if len(_OPEN) == 1 and batch.hits:
            await asyncio.to_thread(look_at, batch.hits, self._kit.embedder)

    def fetched(self, page: Page) -> None:
        """A page has come and is being scanned: what it gives to do by itself is done meanwhile;
        with the last that is waited for, all that is left."""
        if self._at is None or len(_OPEN) > 1:
            return
        self._came[canonical(page.url)] = page
        self._pages.append(page)
        if self._waited is not None:
            state, rules, here = self._waited
            if here.get(canonical(page.url), page) is None:
                here[canonical(page.url)] = page
                if all(here.values()):
                    self._pages.clear()
                    self._next = state, rules, tuple(one for one in here.values() if one)
        self._wake(0.0)

    def end(self) -> None:
        self._next = self._waited = self._at = None
        self._pages.clear()
        self._gives_way = True

    def _wake(self, delay: float) -> None:
        if self._busy:
            return
        if self._due:
            self._due.cancel()
        self._due = asyncio.get_running_loop().call_later(delay, self._start)

    def _start(self) -> None:
        self._due, self._busy = None, True
        playing = asyncio.get_running_loop().run_in_executor(None, self._play)
        playing.add_done_callback(self._ended)

    def _ended(self, playing: asyncio.Future[None]) -> None:
        """In the loop, as all that wakes it: what came when the thread had looked for the last time
        is not forgotten."""
        self._busy = False
        well = not playing.cancelled() and playing.exception() is None
        if well and not self._gives_way and (self._next or self._pages):
            self._wake(0.0)

    def _play(self) -> None:
        """Until there is nothing left to do, or something else comes first."""
        try:
            if self._prepare:
                self._prepare()
            while not self._gives_way:
                if what := self._wanted():
                    asyncio.run(self._played(*what))
                elif not self._looked():
                    break
        except LeadlineError:
            pass  # the run itself will meet it, and say so

    def _wanted(self) -> tuple[State, Rules, tuple[Page, ...]] | None:
        """What is to be gone through now: what was asked for, or more pages than last time. The
        first time takes too long to begin with when pages happen to come."""
        what, self._next = self._next, None
        more = 0 < self._gone_through < len(self._came) and not self._pages
        if what is None and more and self._at:
            what = (*self._at, tuple(self._came.values()))
        return what

    def _late(self) -> bool:
        return self._gives_way or self._next is not None

    async def _played(self, state: State, rules: Rules, pages: tuple[Page, ...]) -> None:
        kit, run = self._kit, _run()
        found = await gathered(state, pages, rules, kit, run)
        if self._late():
            return
        draft = await drafted(found, kit, run)
        self._looked()
        if self._late():
            return
        state, checked = await proven(found, draft, kit, run)
        if not self._late():
            response = await finished(state, checked, found.passages, kit, run)
            dumped(response)
            self._gone_through = max(self._gone_through, len(pages))

    def _looked(self) -> bool:
        """Cut the pages that have come meanwhile, which needs no others; whether there were any."""
        some = False
        while (at := self._at) and not self._late() and (page := self._next_page()):
            passages_of(at[0], (page,), at[1], self._kit.embedder)
            some = True
        return some

    def _next_page(self) -> Page | None:
        try:
            return self._pages.popleft()
        except IndexError:  # none is left, or the end has begun in between
            return None

    def _close(self) -> None:
        self.end()
        if self._due:
            self._due.cancel()
        _OPEN.remove(self)


def _run() -> JournaledRun:
    return JournaledRun("", _Nowhere(), _Now(), seed=0, started=_Now().now())


class _Nowhere:
    """`run.Ledger` that keeps nothing."""

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        async def done() -> Record:
            return await do()

        return done()

    def child(self, name: str) -> _Nowhere:
        return self

    def kept(self, name: str) -> list[Record]:
        return []


class _Now:
    """`run.Clock` for a run that nobody times."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return 0.0
