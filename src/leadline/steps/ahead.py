"""Pages are read while the search goes on: the best hits of the first round, then the others.

Reading takes a page's latency and a worker's time, and searches leave both idle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from leadline.ports import Begun, Run
from leadline.text.urls import canonical
from leadline.types import Hit, Loss, Page, Rules, State

Read = Callable[[Hit], Awaitable[Page]]
Promising = Callable[[State, Rules], tuple[Hit, ...]]


class Rehearse(Protocol):
    """Goes through the end of a run with the pages that are here, to know its way then."""

    def begin(self, state: State, rules: Rules, pages: tuple[Page, ...], *, soon: bool) -> None:
        """Do so behind what is under way; at once where nothing is left but to wait for it."""

    def one(self, state: State, rules: Rules, page: Page) -> None:
        """A page has come and others have not: what it alone gives to do is done."""

    def end(self) -> None:
        """The end itself begins."""


class Reading:
    """The pages of one run, each read once."""

    def __init__(
        self,
        run: Run,
        read: Read,
        promising: Promising,
        rules: Rules,
        rehearse: Rehearse | None = None,
    ) -> None:
        self._run, self._promising, self._rules = run, promising, rules
        self._begun: list[Begun[list[Page | Loss]]] = []
        self._asked: set[str] = set()
        self._here: list[Page] = []
        self._rehearse, self._rehearsed = rehearse, 0
        self._free: asyncio.Event | None = None
        self._last: State | None = None  # where only pages are waited for

        async def noting(hit: Hit) -> Page:
            if self._free is not None:
                await self._free.wait()
            self._here.append(page := await read(hit))
            if self._rehearse and self._last and len(self._here) < len(self._asked):
                self._rehearse.one(self._last, self._rules, page)
            return page

        self._read = noting

    def ahead(self, state: State, free: asyncio.Event | None = None) -> None:
        """Begin with the best half of what would be read now; the ranking may still change.

        Only of the web: a document is at hand, and reading one for nothing is all there is to win.
        No request goes out before it is `free` to.
        """
        self._free = free
        half = (self._rules.url_enrich_count + 1) // 2 - len(self._asked)
        hits = [hit for hit in self._promising(state, self._rules) if hit.kind == "web"]
        self._begin(hits[: max(half, 0)])
        if len(self._here) > self._rehearsed:
            self._rehearsing(state)

    async def finish(self, state: State) -> list[Page | Loss]:
        """Every page that was begun, and those of the final ranking that were not."""
        self._begin(self._promising(state, self._rules))
        self._rehearsing(state, soon=True)
        self._last = state
        pages = [page for begun in self._begun for page in await begun()]
        if self._rehearse:
            self._rehearse.end()
        return pages

    def _rehearsing(self, state: State, *, soon: bool = False) -> None:
        """What is here may be gone through while the rest is waited for."""
        if self._rehearse and 0 < len(self._here) < len(self._asked) + (not soon):
            self._rehearsed = len(self._here)
            self._rehearse.begin(state, self._rules, tuple(self._here), soon=soon)

    def _begin(self, hits: Sequence[Hit]) -> None:
        fresh = [hit for hit in hits if canonical(hit.url) not in self._asked]
        self._asked |= {canonical(hit.url) for hit in fresh}
        if fresh:
            self._begun.append(self._run.begin_each("read", self._read, fresh))
