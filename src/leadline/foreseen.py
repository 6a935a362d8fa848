"""A result that is worked out beforehand: who asks the same later takes it, or waits for it.

For work that always gives the same of the same. While a run waits, its end is gone through in a
thread (`kit/rehearsal.py`); where nothing has changed when the end comes, it is done already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Foreseen(Generic[T]):
    """The last piece of work, by what it was made of, and what came of it."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._made_of: object = None
        self._result: Future[list[T]] | None = None

    async def of(self, made_of: object, work: Callable[[], Awaitable[T]]) -> T:
        """What `work` gives, which is all decided by `made_of`."""
        result: Future[list[T]] = Future()
        result.set_running_or_notify_cancel()  # who waits may give up; the work goes on
        with self._turn:
            known = self._result if self._made_of == made_of else None
            if known is None:
                self._made_of, self._result = made_of, result
        if known is not None:
            found = await asyncio.shield(asyncio.wrap_future(known))
            return found[0] if found else await work()
        try:
            value = await work()
        except BaseException:
            with self._turn:
                if self._result is result:
                    self._made_of = self._result = None
            result.set_result([])  # whoever waits meets the trouble himself, or does not
            raise
        result.set_result([value])
        return value
