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
from leadline.loop import Kit, drafted, finished, gathered, proven
from leadline.ports import Memory
from leadline.run import JournaledRun
from leadline.steps.gate import look_at
from leadline.steps.read import passages_of
from leadline.text.urls import canonical
from leadline.types import Batch, Page, Rules, State

if TYPE_CHECKING:
    from leadline.results import Record

_AFTER_S = 0.05  # for the next searches to be thought of and to go out
_OPEN: list[Rehearsal] = []  # of all runs of this process


class Rehearsal:
    """`steps.ahead.Rehearse`: in a thread, one at a time, where a run has the process to itself.

    Where several share it nobody's processor is idle, and each would wait for the others'. Pages
    are told of by `fetched` while they are scanned: hardly any has something barred in it.
    """

    def __init__(self, kit: Kit, stack: AsyncExitStack) -> None:
        self._kit = replace(kit, judge=None, editing=None, memory=None)
        self._memory = kit.memory
        self._ends, self._busy = 0, False
        self._next: tuple[State, Rules, tuple[Page, ...]] | None = None
        self._pages: deque[Page] = deque()  # each to be looked at by itself
        self._waited: tuple[State, Rules, dict[str, Page | None]] | None = None
        _OPEN.append(self)
        stack.callback(self._close)

    def begin(self, state: State, rules: Rules, pages: tuple[Page, ...]) -> None:
        if len(_OPEN) == 1:
            self._next = state, rules, pages
            self._wake(_AFTER_S)

    def last(self, state: State, rules: Rules, here: Mapping[str, Page | None]) -> None:
        if len(_OPEN) == 1 and any(here.values()) and not all(here.values()):
            self._waited = state, rules, dict(here)
            self._next = state, rules, tuple(page for page in here.values() if page)
            self._wake(0.0)

    async def found(self, batch: Batch) -> None:
        """Results have come and are being scanned: the gate's part is begun meanwhile."""
        if len(_OPEN) == 1 and batch.hits:
            await asyncio.to_thread(look_at, batch.hits, self._kit.embedder)

    def fetched(self, page: Page) -> None:
        """A page has come and is being scanned: what it gives to do is done meanwhile; with the
        last of them, all that is left."""
        if self._waited is None:
            return
        state, rules, here = self._waited
        if here.get(canonical(page.url), page) is None:
            here[canonical(page.url)] = page
            self._pages.append(page)
            if all(here.values()):
                self._pages.clear()
                self._next = state, rules, tuple(one for one in here.values() if one)
            self._wake(0.0)

    def end(self) -> None:
        self._next = self._waited = None
        self._pages.clear()
        self._ends += 1

    def _wake(self, delay: float) -> None:
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().call_later(delay, self._start, self._ends)

    def _start(self, ends: int) -> None:
        playing = asyncio.get_running_loop().run_in_executor(None, self._play, ends)
        playing.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _play(self, ends: int) -> None:
        """Until nothing is asked for any more, or the end itself has begun."""

        def late() -> bool:
            return self._ends > ends or self._next is not None

        try:
            while (what := self._next) is not None or self._pages:
                self._next = None
                if what is not None:
                    asyncio.run(self._played(*what, late))
                self._looked(late)
            if self._memory is not None and not late():
                _prepare(self._memory)
        except LeadlineError:
            pass  # the run itself will meet it, and say so
        finally:
            self._busy = False

    async def _played(
        self, state: State, rules: Rules, pages: tuple[Page, ...], late: Callable[[], bool]
    ) -> None:
        kit, run = self._kit, _run()
        found = await gathered(state, pages, rules, kit, run)
        if late() or not found.passages:
            return
        draft = await drafted(found, kit, run)
        self._looked(late)
        if late():
            return
        state, checked = await proven(found, draft, kit, run)
        if not late():
            response = await finished(state, checked, found.passages, kit, run)
            dumped(response)

    def _looked(self, late: Callable[[], bool]) -> None:
        """Cut the pages that have come meanwhile: that can be done without the rest of them."""
        while (waited := self._waited) and not late() and (page := self._next_page()):
            state, rules, _ = waited
            passages_of(state, (page,), rules, self._kit.embedder)

    def _next_page(self) -> Page | None:
        try:
            return self._pages.popleft()
        except IndexError:  # none is left, or the end has begun in between
            return None

    def _close(self) -> None:
        self.end()
        _OPEN.remove(self)


def _prepare(memory: Memory) -> None:
    from leadline.store.memory.recalling import RunMemory  # only where there is a memory

    if isinstance(memory, RunMemory):
        memory.prepare()


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
