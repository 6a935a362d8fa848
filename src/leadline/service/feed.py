"""One stream of events a run, however many read it.

The frames of a run are made once and shared; a reader is only a place in them. A slow one holds
up nobody and costs no more memory than a fast one.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from leadline.service.told import START, Position

BEAT = b": still here\n\n"
CHUNK = 32_768  # bytes handed to a connection at a time


class Feed:
    """The frames of one run so far. `closed` when no more will come."""

    def __init__(self) -> None:
        self._at: list[Position] = []
        self._frames: list[bytes] = []
        self._farewell = b""
        self.closed = False
        self._news = asyncio.Event()
        self._end = asyncio.Event()

    @property
    def steps(self) -> int:
        """The number of the last step."""
        return self._at[-1][0] if self._at else 0

    def add(self, at: Position, data: bytes) -> None:
        if self.closed:
            return
        self._at.append(at)
        self._frames.append(data)
        self._tell()

    def close(self, farewell: bytes = b"") -> None:
        """No more will come; every reader is told `farewell` last."""
        if not self.closed:
            self._farewell, self.closed = farewell, True
            self._end.set()
            self._tell()

    def nothing_after(self, after: Position) -> bool:
        """Whether a reader who was there has seen the end."""
        return self.closed and bool(self._at) and after >= self._at[-1] and not self._farewell

    async def read(self, after: Position, beat_s: float) -> AsyncIterator[bytes]:
        """What comes after a place, as it comes; a heartbeat where nothing does."""
        at = 0
        while True:
            at = max(at, bisect_right(self._at, after) if after > START else 0)
            while at < len(self._frames):
                chunk = bytearray()
                while at < len(self._frames) and len(chunk) < CHUNK:
                    chunk += self._frames[at]
                    at += 1
                yield bytes(chunk)
            if self.closed:
                if self._farewell:
                    yield self._farewell
                return
            if not await self._more(beat_s):
                yield BEAT

    async def ended(self, within_s: float) -> bool:
        """Wait for the end, but no longer than that."""
        return await _within(within_s, self._end)

    async def _more(self, beat_s: float) -> bool:
        return await _within(beat_s, self._news)

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


async def _within(seconds: float, event: asyncio.Event) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
        return True
    return False


class Feeds:
    """The feeds of the runs that are carried out or read now."""

    def __init__(self, fill: Callable[[str, Feed], Awaitable[None]]) -> None:
        self._fill = fill
        self._feeds: dict[str, Feed] = {}
        self._readers: dict[str, int] = {}
        self._filling: dict[str, asyncio.Task[None]] = {}

    def open(self, run_id: str) -> Feed:
        """The feed of a run, filled from its journal from now on. `leave` it once for each open."""
        self._readers[run_id] = self._readers.get(run_id, 0) + 1
        feed = self._feeds.get(run_id)
        if feed is None:
            feed = self._feeds[run_id] = Feed()
            self._filling[run_id] = asyncio.create_task(self._filled(run_id, feed))
        return feed

    def leave(self, run_id: str) -> None:
        """One reader less; with the last one the feed goes."""
        self._readers[run_id] -= 1
        if not self._readers[run_id]:
            del self._readers[run_id]
            self._drop(run_id)

    async def filled(self, run_id: str) -> None:
        """Wait until the feed of a run has its end."""
        await asyncio.wait({self._filling[run_id]})

    async def read(self, run_id: str, after: Position, beat_s: float) -> AsyncIterator[bytes]:
        """The events of a run after a place."""
        feed = self.open(run_id)
        try:
            async for chunk in feed.read(after, beat_s):
                yield chunk
        finally:
            self.leave(run_id)

    def restart(self, run_id: str) -> None:
        """Forget a feed that has ended: its run goes on. Who still reads it sees its end."""
        feed = self._feeds.get(run_id)
        if feed is not None and feed.closed:
            del self._feeds[run_id]
            self._filling.pop(run_id).cancel()

    def end(self, farewell: bytes) -> None:
        """End every stream, whatever comes of its run."""
        for feed in self._feeds.values():
            if not feed.closed:
                feed.close(farewell)

    async def close(self) -> None:
        """Stop following."""
        tasks = set(self._filling.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _filled(self, run_id: str, feed: Feed) -> None:
        try:
            await self._fill(run_id, feed)
        finally:
            if not feed.closed:
                feed.close()

    def _drop(self, run_id: str) -> None:
        self._feeds.pop(run_id, None)
        task = self._filling.pop(run_id, None)
        if task is not None:
            task.cancel()
