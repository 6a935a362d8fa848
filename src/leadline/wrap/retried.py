"""Try again, a little later each time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Batch, Loss, Query
from leadline.wrap.find import note, noted

Sleep = Callable[[float], Awaitable[None]]


def retried(
    find: Find,
    dice: Random,
    *,
    attempts: int = 3,
    max_wait: float = 10.0,
    first_wait: float = 0.5,
    sleep: Sleep = asyncio.sleep,
) -> Find:
    """`find`, asked up to `attempts` times while its failures are worth another try.

    Each retry is noted. A server that wants more than `max_wait` is not asked again: going on
    without its leave would break what it asked for, and another provider is quicker.
    """

    async def again(query: Query, k: int) -> Batch:
        notes: list[Loss] = []
        while True:
            try:
                return noted(await find(query, k), *notes)
            except SourceLost as lost:
                made = len(notes) + 1
                if not lost.retryable or made >= attempts or lost.retry_after > max_wait:
                    raise _given_up(lost, made, max_wait) from lost
                notes.append(note(query, f"{lost}; retried", "retry"))
                backoff = wait(made, dice.random(), first_wait, max_wait)
                await sleep(max(lost.retry_after, backoff))

    return again


def wait(made: int, chance: float, first_wait: float, max_wait: float) -> float:
    """Seconds after the attempt number `made`: doubled each time, and up to half of it left out."""
    return float(min(max_wait, first_wait * 2 ** min(made - 1, 30)) * (1 - 0.5 * chance))


def _given_up(lost: SourceLost, made: int, max_wait: float) -> SourceLost:
    why = str(lost)
    if lost.retryable and lost.retry_after > max_wait:
        why += f"; it asks to wait {lost.retry_after:g} s"
    if made > 1:
        why += f"; given up after {made} attempts"
    return SourceLost(why, retryable=lost.retryable, retry_after=lost.retry_after)
