"""What can wait gives way to the next searches, and is worked on while they are under way."""

from __future__ import annotations

import asyncio

AFTER_S = 0.03  # for the requests to go out


class Behind:
    """Holds work back until the next searches are under way, or there are none.

    Only work that is computed here: what asks a model is under way itself, and is never held.
    """

    def __init__(self, *, holds: bool) -> None:
        self._holds = holds
        self._free = asyncio.Event()

    def held(self) -> asyncio.Event:
        """What the work of this round waits for."""
        self._free = asyncio.Event()
        if not self._holds:
            self._free.set()
        return self._free

    def searching(self) -> None:
        """Searches begin: what was held may go on when they are out."""
        asyncio.get_running_loop().call_later(AFTER_S, self._free.set)

    def release(self) -> None:
        """There is nothing left to give way to."""
        self._free.set()
