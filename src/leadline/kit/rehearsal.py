"""While searches are waited for, the end of the run is gone through with the pages at hand.

What comes of it is thrown away. But sentences, vectors and the like are kept by whatever works them
out, so that after the last page only what that page brings is left to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leadline.errors import LeadlineError
from leadline.loop import Kit, drafted, finished, proven
from leadline.results import adapter_for
from leadline.run import JournaledRun
from leadline.steps.children import Finding
from leadline.steps.read import passages_of
from leadline.types import AgentResponse, Page, Rules, State

if TYPE_CHECKING:
    from leadline.results import Record

_AFTER_S = 0.03  # for the searches themselves to go out
_OPEN: list[Rehearsal] = []  # of all runs of this process


class Rehearsal:
    """`Kit.rehearse`: in a thread, one at a time, and only where one run has the process to itself.

    Where several share it nobody's processor is idle, and each would wait for the others'.
    """

    def __init__(self, kit: Kit, stack: AsyncExitStack) -> None:
        self._kit = replace(kit, judge=None, editing=None, memory=None)
        self._busy = self._over = False
        _OPEN.append(self)
        stack.callback(self._close)

    def __call__(self, state: State, rules: Rules, pages: tuple[Page, ...]) -> None:
        if self._busy or self._over or len(_OPEN) > 1:
            return
        self._busy = True
        asyncio.get_running_loop().call_later(_AFTER_S, self._start, state, rules, pages)

    def _start(self, *what: Any) -> None:
        asyncio.get_running_loop().run_in_executor(None, self._play, *what)

    def _play(self, state: State, rules: Rules, pages: tuple[Page, ...]) -> None:
        try:
            asyncio.run(self._played(state, rules, pages))
        except LeadlineError:
            pass  # the run itself will meet it, and say so
        finally:
            self._busy = False

    async def _played(self, state: State, rules: Rules, pages: tuple[Page, ...]) -> None:
        kit, run = self._kit, JournaledRun("", _Nowhere(), _Now(), seed=0, started=_Now().now())
        found = Finding(state, passages_of(state, pages, rules, kit.embedder))
        if self._late() or not found.passages:
            return
        draft = await drafted(found, kit, run)
        if self._late():
            return
        state, checked = await proven(found, draft, kit, run)
        if not self._late():
            response = await finished(state, checked, found.passages, kit, run)
            adapter_for(AgentResponse).dump_python(response, mode="json")

    def _late(self) -> bool:
        """The run itself has ended: nothing is left to prepare."""
        return self._over

    def _close(self) -> None:
        self._over = True
        _OPEN.remove(self)


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
