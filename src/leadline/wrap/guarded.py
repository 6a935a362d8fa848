"""The doors of a run: whatever is found, fetched or remembered is scanned before anyone sees it.

What somebody can scan elsewhere is not scanned here. For the rest the scanner works in a thread and
in short pieces, so that nothing else waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TypeVar

from leadline.errors import SourceLost
from leadline.guard.doors import Known, batch_at, keep, page_at, recall_at, texts_of
from leadline.ports import Fetcher, Find, Memory
from leadline.types import Batch, Doors, Hit, Page, Query
from leadline.types.remembering import Kept, Observation, Recall

T = TypeVar("T")
Entering = TypeVar("Entering", Batch, Page)
Meanwhile = Callable[[Batch], Awaitable[None]]
Ahead = Callable[[Sequence[str]], Awaitable[Known]]  # scans texts elsewhere: all of them or none


async def nowhere(texts: Sequence[str]) -> Known:
    """Nobody scans elsewhere."""
    return {}


async def aside(look: Callable[[T, Doors], T], one: T, doors: Doors) -> T:
    """`one` as it may pass. Nothing passes unscanned: without its weights this is `SourceLost`."""
    try:
        return await asyncio.to_thread(look, one, doors)
    except (OSError, ValueError) as error:
        raise SourceLost(
            f"the scanner of text from outside cannot work: {error}; install leadline again, or "
            "set scan = false to go without it"
        ) from error


async def _passed(
    look: Callable[[Entering, Doors, Known], Entering], one: Entering, doors: Doors, ahead: Ahead
) -> Entering:
    texts = texts_of(one, doors)
    known = await ahead(texts) if texts else {}
    if texts and all(text in known for text in texts):
        return look(one, doors, known)  # nothing is left to scan
    return await aside(lambda one, doors: look(one, doors, known), one, doors)


async def nothing(batch: Batch) -> None:
    """Nobody has anything to do meanwhile."""


def guarded_find(
    find: Find, doors: Doors, ahead: Ahead = nowhere, meanwhile: Meanwhile = nothing
) -> Find:
    """`find`, its results scanned; `meanwhile` hears of them, to save time and for nothing else."""

    async def search(query: Query, k: int) -> Batch:
        batch = await find(query, k)
        passed = _passed(batch_at, batch, doors, ahead)
        return (await asyncio.gather(passed, meanwhile(batch)))[0]

    return search


class GuardedFetcher:
    """Satisfies `ports.Fetcher`; what gives orders in a page is barred from being quoted.

    `tell` hears of a page before it is scanned, and must keep nothing of it but to save time.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        doors: Doors,
        ahead: Ahead = nowhere,
        tell: Callable[[Page], None] = lambda page: None,
    ) -> None:
        self._fetcher, self._doors, self._ahead, self._tell = fetcher, doors, ahead, tell

    async def fetch(self, hit: Hit) -> Page:
        """The page of a hit, scanned."""
        page = await self._fetcher.fetch(hit)
        self._tell(page)
        return await _passed(page_at, page, self._doors, self._ahead)


class GuardedMemory:
    """Satisfies `ports.Memory`; what it writes has a gate of its own."""

    def __init__(self, memory: Memory, doors: Doors, ahead: Ahead = nowhere) -> None:
        self._memory, self._doors, self._ahead = memory, doors, ahead

    async def recall(self, task: str, today: datetime) -> Recall:
        """What is known of `task`, scanned."""
        found = await self._memory.recall(task, today)
        try:
            return await aside(recall_at, found, self._doors)
        except SourceLost as lost:
            return replace(Recall(), trouble=str(lost))

    async def remember(self, observation: Observation) -> Kept:
        """Hand over what a run proved; its gate need not scan again what is scanned elsewhere."""
        found = ((one.text, one.quote, one.title) for one in observation.findings)
        keep(await self._ahead(tuple(dict.fromkeys((observation.task, *chain(*found))))))
        return await self._memory.remember(observation)
