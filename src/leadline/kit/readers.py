"""One pool of page readers and one scanner for all runs of an event loop: processes for each run
would be too many."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from leadline.fetch.reading import ReaderPool
from leadline.fetch.scanning import ScannerPool
from leadline.guard.scan_result import Scan
from leadline.types import Page

_POOLS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Held] = WeakKeyDictionary()


class _Held:
    """The pools and how many have them."""

    def __init__(self) -> None:
        self.pool, self.scanner, self.borrowers = ReaderPool(), ScannerPool(), 0


class SharedReaders:
    """`fetch.client.Reads` over the loop's pool; the last to close it ends its processes."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        if loop not in _POOLS:
            _POOLS[loop] = _Held()
        self._held = _POOLS[loop]
        self._held.borrowers += 1
        self._open = True

    def warm(self, scans: bool = False) -> None:
        """Start the processes; with `scans` the one that scans as well, which is needed first."""
        if scans:
            self._held.scanner.warm()
        self._held.pool.warm()

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
            await asyncio.gather(self._held.pool.aclose(), self._held.scanner.aclose())


async def scanned_ahead(texts: Sequence[str]) -> dict[str, Scan]:
    """What the loop's scanner says of texts; nothing where there is none, or none at leisure."""
    held = _POOLS.get(asyncio.get_running_loop())
    return await held.scanner.scan(texts) if held is not None else {}
