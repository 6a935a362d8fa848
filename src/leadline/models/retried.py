"""Ask again, a little later each time, while a failure is worth another try."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from random import Random

from leadline.errors import ReasonerFailed
from leadline.ports import Model
from leadline.types import Ask, Completion
from leadline.write.wrapper_name import Around

Sleep = Callable[[float], Awaitable[None]]
_DOWN = frozenset({"unreachable"})  # asked once more at each call, but not waited for again
_SLOW = frozenset({"timeout"})  # an answer that took too long once will take too long again


class RetriedModel(Around):
    """A model asked up to `attempts` times. A server that wants a longer wait is not asked again.

    The run's deadline ends the waiting; nothing here outlives it.
    """

    def __init__(
        self,
        model: Model,
        dice: Random,
        *,
        attempts: int = 3,
        first_wait: float = 1.0,
        max_wait: float = 20.0,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._model, self._dice, self._sleep = model, dice, sleep
        self._attempts, self._first_wait, self._max_wait = attempts, first_wait, max_wait
        self._down = False

    async def complete(self, ask: Ask) -> Completion:
        made = 0
        while True:
            try:
                done = await self._model.complete(ask)
                self._down = False
                return done
            except ReasonerFailed as failed:
                made += 1
                await self._wait(failed, made)

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        """Asked again only while nothing of the answer has been passed on."""
        made, begun = 0, False
        while True:
            try:
                async with aclosing(self._model.stream(ask)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ReasonerFailed as failed:
                if begun:
                    raise
                made += 1
                await self._wait(failed, made)

    async def _wait(self, failed: ReasonerFailed, made: int) -> None:
        worth_it = failed.retryable and failed.type not in _SLOW
        attempts = 1 if self._down else self._attempts
        if not worth_it or made >= attempts or failed.retry_after > self._max_wait:
            self._down = self._down or failed.type in _DOWN
            raise failed
        backoff = min(self._max_wait, self._first_wait * 2 ** (made - 1))
        await self._sleep(max(failed.retry_after, backoff * (1 - 0.5 * self._dice.random())))
