"""One pool of page readers for all runs of an event loop: one for each would be too many."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from leadline.fetch.reading import ReaderPool
from leadline.types import Page

_POOLS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Held] = WeakKeyDictionary()


class _Held:
    """The pool and how many have it."""

    def __init__(self) -> None:
        self.pool, self.borrowers = ReaderPool(), 0


class SharedReaders:
    """`fetch.client.Reads` over the loop's pool; the last to close it ends its processes."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        if loop not in _POOLS:
            _POOLS[loop] = _Held()
        self._held = _POOLS[loop]
        self._held.borrowers += 1
        self._open = True

    async def read(self, data: bytes, url: str, content_type: str) -> Page:
        return await self._held.pool.read(data, url, content_type)

    async def aclose(self) -> None:
        if not self._open:
            return
        self._open = False
        self._held.borrowers -= 1
        if not self._held.borrowers:
            loop = asyncio.get_running_loop()
            if _POOLS.get(loop) is self._held:
                del _POOLS[loop]
            await self._held.pool.aclose()
