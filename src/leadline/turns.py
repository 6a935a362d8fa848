"""Turns: where many runs share one event loop, one of them works between two looks at the rest.

Answers to many runs often come at the same instant. Without turns all of them would be worked off
in a row, and whoever only waits for a line of news would wait for that: with a hundred runs, for
seconds. A run by itself never waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from weakref import WeakKeyDictionary


class Turns:
    """The turns of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._taken = False

    async def wait(self) -> None:
        """Come back when it is our turn, which is at once if nobody else took this one."""
        if not self._taken:
            self._taken = True
            self._loop.call_soon(self._pass_on)
            return
        turn = self._loop.create_future()
        self._waiting.append(turn)
        await turn

    def _pass_on(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # cancelled meanwhile
                turn.set_result(None)
                self._loop.call_soon(self._pass_on)
                return
        self._taken = False


_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


async def my_turn() -> None:
    """Called before work that takes a while, where it does no harm to wait a moment."""
    loop = asyncio.get_running_loop()
    if loop not in _TURNS:
        _TURNS[loop] = Turns(loop)
    await _TURNS[loop].wait()
