"""Try again, a little later each time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from random import Random

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Asked, Batch, Loss, Query
from leadline.wrap.find import having_asked, note, noted

Sleep = Callable[[float], Awaitable[None]]


def retried(
    find: Find,
    dice: Random,
    *,
    attempts: int = 3,
    max_wait: float = 10.0,
    first_wait: float = 0.5,
    patience: float = 15.0,
    sleep: Sleep = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Find:
    """`find`, asked up to `attempts` times while its failures are worth another try, and no more
    once `patience` seconds are over: who does not answer at all is asked twice, not four times.

    Each retry is noted. A server that wants more than `max_wait` is not asked again: going on
    without its leave would break what it asked for, and another provider is quicker.
    """

    async def again(query: Query, k: int) -> Batch:
        notes: list[Loss] = []
        asked: tuple[Asked, ...] = ()
        began = clock()
        while True:
            try:
                return noted(having_asked(asked, await find(query, k)), *notes)
            except SourceLost as lost:
                asked += lost.asked
                made = len(notes) + 1
                over = made >= attempts or clock() - began > patience
                if not lost.retryable or over or lost.retry_after > max_wait:
                    raise _given_up(lost, made, max_wait, asked) from lost
                notes.append(note(query, f"{lost}; retried", "retry"))
                backoff = wait(made, dice.random(), first_wait, max_wait)
                await sleep(max(lost.retry_after, backoff))

    return again


def wait(made: int, chance: float, first_wait: float, max_wait: float) -> float:
    """Seconds after the attempt number `made`: doubled each time, and up to half of it left out."""
    return float(min(max_wait, first_wait * 2 ** min(made - 1, 30)) * (1 - 0.5 * chance))


def _given_up(lost: SourceLost, made: int, max_wait: float, asked: tuple[Asked, ...]) -> SourceLost:
    why = str(lost)
    if lost.retryable and lost.retry_after > max_wait:
        why += f"; it asks to wait {lost.retry_after:g} s"
    if made > 1:
        why += f"; given up after {made} attempts"
    return SourceLost(why, retryable=lost.retryable, retry_after=lost.retry_after, asked=asked)
