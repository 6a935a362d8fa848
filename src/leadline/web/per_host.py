"""Not too much at once for one host: so many requests in flight, so long between two starts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic


@dataclass(slots=True)
class _Host:
    places: asyncio.Semaphore
    next_start: float = field(default=0.0)


class PerHost:
    """Turns at a host. `at_once` requests in flight, `delay_s` between the starts of two."""

    def __init__(
        self,
        at_once: int = 4,
        delay_s: float = 0.25,
        now: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._at_once, self._delay_s = at_once, delay_s
        self._now, self._sleep = now, sleep
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, name: str, delay_s: float = 0.0) -> AsyncIterator[None]:
        """Wait for a place; a `delay_s` that the host asks for wins when it is longer."""
        host = self._hosts.setdefault(name, _Host(asyncio.Semaphore(self._at_once)))
        async with host.places:
            now = self._now()
            wait_s = max(0.0, host.next_start - now)
            host.next_start = now + wait_s + max(self._delay_s, delay_s)
            if wait_s:
                await self._sleep(wait_s)
            yield
