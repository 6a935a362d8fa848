"""Reads fetched files in worker processes, each page within its time and memory.

A worker that hangs or dies costs the page it was at and is replaced. `anyio.to_process` would do
but for one thing: its workers run the main script again, so that a script which asks a question
without `if __name__ == "__main__"` would ask it, and pay for it, a second time.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from weakref import WeakKeyDictionary

import msgspec

from leadline.errors import SourceLost
from leadline.types import Page

COMMAND = (sys.executable, "-P", "-m", "leadline.web.page_worker")
SIZE_BYTES = 8  # of the length that stands before each message
PATIENCE_S = 2.0  # after which who waits is given another worker


class PageReaders:
    """One worker process, and up to `size` where one is waited for longer than `patience_s`;
    `limit_s` is what reading a page may take."""

    def __init__(
        self,
        size: int = 2,
        limit_s: float = 20.0,
        command: Sequence[str] = COMMAND,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._command, self._limit_s, self._patience_s = command, limit_s, patience_s
        self.users = 0  # of those that are shared
        self._places = asyncio.Semaphore(1)
        self._more = size - 1
        self._idle: list[Process] = []
        self._started: list[Process] = []

    async def read(self, data: bytes, url: str, content_type: str) -> Page:
        """The page in `data`. Raises `SourceLost` when it cannot be read, or not in time."""
        request = msgspec.msgpack.encode((data, url, content_type))
        impatient = asyncio.get_running_loop().call_later(self._patience_s, self._open_place)
        try:
            async with self._places:
                impatient.cancel()
                reply = await self._in_time(request)
        finally:
            impatient.cancel()
        page: Page | str = msgspec.msgpack.decode(reply, type=Page | str)
        if isinstance(page, str):
            raise SourceLost(page)
        return page

    def _open_place(self) -> None:
        if self._more:
            self._more -= 1
            self._places.release()

    async def _in_time(self, request: bytes) -> bytes:
        worker = self._idle.pop() if self._idle else await self._start()
        try:
            async with asyncio.timeout(self._limit_s):
                reply = await _ask(worker, request)
        except TimeoutError as error:
            _kill(worker)
            raise SourceLost(f"reading it took longer than {self._limit_s:g} s") from error
        except (OSError, EOFError) as error:
            _kill(worker)
            raise SourceLost("the page broke its reader") from error
        except asyncio.CancelledError:
            _kill(worker)
            raise
        self._idle.append(worker)
        return reply

    async def _start(self) -> Process:
        worker = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )
        self._started.append(worker)
        return worker

    async def aclose(self) -> None:
        """End the workers, unless others use them."""
        self.users -= 1
        if self.users > 0:
            return
        loop = asyncio.get_running_loop()
        if _SHARED.get(loop) is self:
            del _SHARED[loop]
        for worker in self._started:
            _kill(worker)
        await asyncio.gather(*(worker.wait() for worker in self._started))


def _kill(worker: Process) -> None:
    with suppress(ProcessLookupError):
        worker.kill()


async def _ask(worker: Process, request: bytes) -> bytes:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(len(request).to_bytes(SIZE_BYTES, "big") + request)
    await worker.stdin.drain()
    size = int.from_bytes(await worker.stdout.readexactly(SIZE_BYTES), "big")
    return await worker.stdout.readexactly(size)


# The readers that the runs of an event loop share: workers for each run would be too many.
_SHARED: WeakKeyDictionary[asyncio.AbstractEventLoop, PageReaders] = WeakKeyDictionary()


def shared_readers() -> PageReaders:
    """The readers of this event loop; the last of their users to close them ends them."""
    readers = _SHARED.setdefault(asyncio.get_running_loop(), PageReaders())
    readers.users += 1
    return readers
