"""Ask a provider no more often, and no more at once, than it allows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from leadline.ports import Find
from leadline.types import Batch, Query


class Pace:
    """Turns at one provider, for all who hold it.

    At most `concurrency` searches at once; as many may start together, then `per_second`.
    """

    def __init__(
        self,
        concurrency: int,
        per_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._places = asyncio.Semaphore(concurrency)
        self._gap = 1 / per_second
        self._burst = (concurrency - 1) * self._gap
        self._due = clock()  # when the next search would start if all kept an even pace

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a place."""
        async with self._places:
            now = self._clock()
            start = max(now, self._due - self._burst)
            self._due = max(self._due, now) + self._gap
            if start > now:
                await self._sleep(start - now)
            yield


def paced(find: Find, pace: Pace) -> Find:
    """`find` in the turns of a pace that others may hold too."""

    async def in_turn(query: Query, k: int) -> Batch:
        async with pace.turn():
            return await find(query, k)

    return in_turn
