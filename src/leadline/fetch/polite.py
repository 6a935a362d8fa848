"""Not too much at once for one host: so many requests in flight, so long between two starts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic

Now = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class _Host:
    places: asyncio.Semaphore
    next_start: float = field(default=0.0)


class Polite:
    """Turns at a host. `at_once` requests in flight, `delay_s` between the starts of two."""

    def __init__(
        self,
        at_once: int = 4,
        delay_s: float = 0.25,
        now: Now = monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._at_once, self._delay_s = at_once, delay_s
        self._now, self._sleep = now, sleep
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, host: str, delay_s: float = 0.0) -> AsyncIterator[None]:
        """Wait for a place; a `delay_s` that the host asks for wins when it is longer."""
        known = self._hosts.setdefault(host, _Host(asyncio.Semaphore(self._at_once)))
        async with known.places:
            now = self._now()
            wait = max(0.0, known.next_start - now)
            known.next_start = now + wait + max(self._delay_s, delay_s)
            if wait:
                await self._sleep(wait)
            yield
