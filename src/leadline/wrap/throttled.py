"""Ask a provider no more often, and no more at once, than it allows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from leadline.ports import Find
from leadline.types import Batch, Query


def throttled(
    find: Find,
    concurrency: int,
    per_second: float,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Find:
    """At most `concurrency` searches at once; as many may start together, then `per_second`."""
    places = asyncio.Semaphore(concurrency)
    gap = 1 / per_second
    due = clock()  # when the next search would start if all kept an even pace

    async def paced(query: Query, k: int) -> Batch:
        nonlocal due
        async with places:
            now = clock()
            start = max(now, due - (concurrency - 1) * gap)
            due = max(due, now) + gap
            if start > now:
                await sleep(start - now)
            return await find(query, k)

    return paced
