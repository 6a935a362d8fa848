"""Ask again, a little later each time, while a failure is worth another try."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from leadline.errors import ReasonerFailed
from leadline.ports import Model
from leadline.retry import Failure, retried
from leadline.types import Ask, Completion
from leadline.write.wrapper_name import Around

T = TypeVar("T")
ATTEMPTS = 3
FIRST_WAIT_S = 1.0
MAX_WAIT_S = 20.0
_DOWN = frozenset({"unreachable"})  # asked once more at each call, but not waited for again
_SLOW = frozenset({"timeout"})  # an answer that took too long once will take too long again


class RetriedModel(Around):
    """A model asked up to three times. A server that wants a longer wait is not asked again.

    The run's deadline ends the waiting; nothing here outlives it.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._down = False

    async def complete(self, ask: Ask) -> Completion:
        return await self._retried(lambda: self._model.complete(ask))

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        """Asked again only while nothing of the answer has been passed on."""

        async def begin() -> tuple[AsyncGenerator[str | Completion, None], str | Completion]:
            pieces = self._model.stream(ask)
            return pieces, await anext(pieces)

        pieces, first = await self._retried(begin)
        async with aclosing(pieces):
            yield first
            async for piece in pieces:
                yield piece

    async def _retried(self, call: Callable[[], Awaitable[T]]) -> T:
        try:
            answer = await retried(
                call,
                attempts=1 if self._down else ATTEMPTS,
                first_wait_s=FIRST_WAIT_S,
                max_wait_s=MAX_WAIT_S,
                worth=_may_pass,
            )
        except ReasonerFailed as failed:
            self._down = self._down or failed.type in _DOWN
            raise
        self._down = False
        return answer


def _may_pass(failure: Failure) -> bool:
    is_slow = isinstance(failure, ReasonerFailed) and failure.type in _SLOW
    return failure.retryable and not is_slow
