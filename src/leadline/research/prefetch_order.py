"""What can wait gives way to the next searches, and is begun when they are under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

AFTER_S = 0.03  # for the requests to go out


async def ahead_of(begin: Callable[[], None], work: Coroutine[Any, Any, T]) -> T:
    """What `work` brings; `begin` is called once it is under way, or over."""
    under_way = asyncio.ensure_future(work)
    try:
        await asyncio.wait({under_way}, timeout=AFTER_S)
        begin()
        return await under_way
    finally:
        if not under_way.done():  # somebody gave up
            under_way.cancel()
            await asyncio.wait({under_way})
