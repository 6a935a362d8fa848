"""Try a page again, a little later, when that may help."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from leadline.errors import SourceLost
from leadline.fetch.fetched import Brings, Fetched
from leadline.types import Hit
from leadline.values import replace


class AgainFetcher:
    """Asks up to `attempts` times; a server that wants more than `max_wait` is not asked again."""

    def __init__(
        self,
        web: Brings,
        dice: Random,
        *,
        attempts: int = 2,
        first_wait: float = 0.5,
        max_wait: float = 10.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._web, self._dice, self._sleep = web, dice, sleep
        self._attempts, self._first_wait, self._max_wait = attempts, first_wait, max_wait

    async def bring(self, hit: Hit) -> Fetched:
        """The page, or what the last attempt ended in."""
        made = 0
        notes: list[str] = []
        while True:
            try:
                found = await self._web.bring(hit)
                return replace(found, page=replace(found.page, notes=tuple(notes)))
            except SourceLost as lost:
                made += 1
                if not lost.retryable or made >= self._attempts:
                    raise _given_up(lost, made) from lost
                if lost.retry_after > self._max_wait:
                    raise
                notes.append(f"{lost}; fetched again")
                backoff = self._first_wait * 2 ** (made - 1) * (1 - 0.5 * self._dice.random())
                await self._sleep(min(self._max_wait, max(lost.retry_after, backoff)))


def _given_up(lost: SourceLost, made: int) -> SourceLost:
    said = f"{lost}; given up after {made} attempts" if made > 1 else str(lost)
    return SourceLost(said, retryable=lost.retryable, retry_after=lost.retry_after)
