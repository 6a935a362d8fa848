"""The doors of a run: whatever is found, fetched or remembered is scanned before anyone sees it.

The scanner works in a thread, so that nothing else waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from leadline.errors import SourceLost
from leadline.guard.policy import screen_batch, screen_page, screen_recall
from leadline.ports import Fetcher, Find, Memory
from leadline.types import Batch, Doors, Hit, Kept, Observation, Page, Query, Recall
from leadline.values import replace

T = TypeVar("T")


async def in_thread(screen: Callable[[], T]) -> T:
    """What `screen` lets pass; `SourceLost` without the weights, for nothing passes unscanned."""
    try:
        return await asyncio.to_thread(screen)
    except (OSError, ValueError) as error:
        raise SourceLost(
            f"the scanner of text from outside cannot work: {error}; install leadline again, or "
            "set scan = false to go without it"
        ) from error


def guarded_find(find: Find, doors: Doors) -> Find:
    """`find`, its results scanned."""

    async def search(query: Query, k: int) -> Batch:
        batch = await find(query, k)
        return await in_thread(lambda: screen_batch(batch, doors))

    return search


class GuardedFetcher:
    """Satisfies `ports.Fetcher`; what gives orders in a page is barred from being quoted."""

    def __init__(self, fetcher: Fetcher, doors: Doors) -> None:
        self._fetcher, self._doors = fetcher, doors

    async def fetch(self, hit: Hit) -> Page:
        """The page of a hit, scanned."""
        page = await self._fetcher.fetch(hit)
        return await in_thread(lambda: screen_page(page, self._doors))


class GuardedMemory:
    """Satisfies `ports.Memory`; what it writes has a gate of its own."""

    def __init__(self, memory: Memory, doors: Doors) -> None:
        self._memory, self._doors = memory, doors

    async def recall(self, task: str, today: datetime) -> Recall:
        """What is known of `task`, scanned."""
        recall = await self._memory.recall(task, today)
        try:
            return await in_thread(lambda: screen_recall(recall, self._doors))
        except SourceLost as lost:
            return replace(Recall(), trouble=str(lost))

    async def remember(self, observation: Observation) -> Kept:
        """Hand over what a run proved."""
        return await self._memory.remember(observation)
