"""Wakes those who wait for a run when something was written of it."""

from __future__ import annotations

import asyncio
from typing import Any

ANY = ""


class News:
    """One event for each run that is waited for. `tell` is for the loop's own thread."""

    def __init__(self) -> None:
        self._events: dict[str, asyncio.Event] = {}

    def tell(self, run_id: str) -> None:
        """Something happened to a run, or with "" to the queue; who waits for any is told too."""
        for name in {run_id, ANY}:
            if event := self._events.pop(name, None):
                event.set()

    def of(self, run_id: str) -> asyncio.Event:
        """Is set by the next news of the run (with "" of any); get it, look, then wait for it."""
        return self._events.setdefault(run_id, asyncio.Event())


async def heard(event: asyncio.Event, seconds: float, *others: asyncio.Future[Any]) -> None:
    """Until the event is set or one of the others is done, at most so many seconds."""
    waiting = asyncio.ensure_future(event.wait())
    try:
        both: set[asyncio.Future[Any]] = {waiting, *others}
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
