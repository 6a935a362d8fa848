"""The cache of searches: answers kept for a day, and one search for all who ask the same at once.

Tasks of this process wait for one another; other processes see in the file that an answer is being
fetched and wait for it, or for its owner to die or to stop renewing the claim. A cache that cannot
be used is said so and gone round: it never loses a search.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from leadline.errors import SourceLost, StoreBroken
from leadline.keep.cachefile import KEEP_S, Answer, CacheFile, CacheStats
from leadline.types import Hit

DAY_S = 86_400.0
EMPTY_TTL_S = 900.0  # "nothing found" may be a server's way of saying "not now"
LEASE_S = 6.0
_SKEW_S = 300.0
_POLL_S = (0.02, 0.4)

T = TypeVar("T")
Hits = tuple[Hit, ...]
Make = Callable[[], Awaitable[Hits]]


def normal(query: str) -> str:
    """`query` as it is compared: one form of each character, no case, single spaces."""
    text = unicodedata.normalize("NFKC", query)
    for _ in range(3):  # folding can undo the form, and the form the folding
        text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(text.split())


def key_of(provider: str, query: str, params: Mapping[str, str | int]) -> str:
    """SHA-256 over provider, normalised query and parameters."""
    parts = [provider, normal(query), sorted((name, str(value)) for name, value in params.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(slots=True)
class _Flight:
    """A search under way in this process, and how many wait for it."""

    task: asyncio.Task[tuple[Hits, bool]]
    waiting: int = 0


class SearchCache:
    """`ports.Cache` over a file. `ttl_s` 0 turns it off.

    `refresh` trusts only what was stored since this cache was opened. `frozen` reads, whatever the
    age, and raises `SourceLost` for what is not there: nothing is ever asked of the network.
    """

    def __init__(
        self,
        path: Path,
        *,
        ttl_s: float = DAY_S,
        refresh: bool = False,
        frozen: bool = False,
        lease_s: float = LEASE_S,
        now: Callable[[], float] = time.time,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._file = CacheFile(path, read_only=frozen, notice=notice)
        self._ttl_s, self._refresh, self._frozen, self._lease_s = ttl_s, refresh, frozen, lease_s
        self._now, self._notice = now, notice
        self._opened = now()
        self._flights: dict[str, _Flight] = {}
        self._claims: dict[str, str] = {}  # what this process holds, and in whose name
        self._beating: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "leadline-cache")
        self._told = False

    async def once(
        self, provider: str, query: str, params: Mapping[str, str | int], make: Make
    ) -> tuple[Hits, bool]:
        """The hits and whether they were here already, or on their way. See `ports.Cache`."""
        key = key_of(provider, query, params)
        if self._ttl_s <= 0 and not self._frozen:
            return await make(), False
        try:
            kept = await self._do(self._file.look, key)
        except StoreBroken as broken:
            self._tell(broken)
            kept = None
        if kept is not None and self._fresh(kept):
            return kept.hits, True
        if self._frozen:
            raise SourceLost(f"{provider}: {query!r} is not in the frozen cache")
        return await self._board(key, provider, query, make)

    # ── one search for many ─────────────────────────────────────────────────────────────────

    async def _board(self, key: str, provider: str, query: str, make: Make) -> tuple[Hits, bool]:
        """Wait for the flight of this process, or start it; the last to leave ends it."""
        flight = self._flights.get(key)
        joined = flight is not None
        if flight is None:
            task = asyncio.ensure_future(self._fly(key, provider, query, make))
            flight = self._flights[key] = _Flight(task)
            task.add_done_callback(lambda _: self._land(key, task))
        flight.waiting += 1
        try:
            hits, kept = await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._flights.pop(key, None)
                flight.task.cancel()
        return hits, kept or joined

    def _land(self, key: str, task: asyncio.Task[tuple[Hits, bool]]) -> None:
        if (flight := self._flights.get(key)) is not None and flight.task is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()  # seen by those who wait; nobody may be left to see it

    async def _fly(self, key: str, provider: str, query: str, make: Make) -> tuple[Hits, bool]:
        owner = f"{await self._do(self._file.name)}/{secrets.token_hex(8)}"
        try:
            kept = await self._claim(key, owner)
            if kept is not None:
                return kept.hits, True
            self._claims[key] = owner
            if self._beating is None or self._beating.done():
                self._beating = asyncio.ensure_future(self._beat())
            hits = await make()
            self._keep(key, Answer(provider, query, self._now(), hits))
            return hits, False
        finally:
            if self._claims.get(key) == owner:
                del self._claims[key]
            self._thread.submit(self._file.release, key, owner)

    def _keep(self, key: str, answer: Answer) -> None:
        """Nobody waits for it: who looks for the answer later, and the end of our claim on it,
        come after it in the cache's thread."""
        oldest = answer.stored - max(self._ttl_s, KEEP_S)
        loop = asyncio.get_running_loop()
        storing = loop.run_in_executor(self._thread, self._file.store, key, answer, oldest)
        storing.add_done_callback(self._stored)

    def _stored(self, storing: asyncio.Future[None]) -> None:
        if storing.cancelled():
            return
        try:
            storing.result()  # anything but a broken file is a mistake, which the loop tells
        except StoreBroken as broken:
            self._tell(broken)

    async def _claim(self, key: str, owner: str) -> Answer | None:
        """An answer that came meanwhile, or None once the search is ours to make."""
        pause, longest = _POLL_S
        while True:
            now = self._now()
            until = now + self._lease_s
            try:
                got = await self._do(self._file.claim, key, owner, now, until, self._fresh)
            except StoreBroken as broken:
                self._tell(broken)
                return None
            if not isinstance(got, bool):
                return got
            if got:
                return None
            await asyncio.sleep(pause)
            pause = min(longest, pause * 1.5)

    async def _beat(self) -> None:
        """Say, as long as it takes, that this process is still at all that it holds.

        For all in one go: a thousand searches that wait for their turn would write all the time.
        """
        with suppress(StoreBroken):
            while self._claims:
                await asyncio.sleep(self._lease_s / 3)
                held = tuple(self._claims.items())
                await self._do(self._file.renew, held, self._now() + self._lease_s)

    def _fresh(self, answer: Answer) -> bool:
        if self._frozen:
            return True
        now = self._now()
        ttl = self._ttl_s if answer.hits else min(self._ttl_s, EMPTY_TTL_S)
        since = max(now - ttl, self._opened if self._refresh else 0.0)
        return since <= answer.stored <= now + _SKEW_S

    # ── upkeep ──────────────────────────────────────────────────────────────────────────────

    async def stats(self) -> CacheStats:
        """What the file holds. Raises `StoreBroken`, like all upkeep."""
        return await self._do(self._file.stats, self._now() - self._ttl_s)

    async def prune(self, older_than_s: float | None = None) -> int:
        """Delete what is older, by default than the ttl; how many went."""
        age = self._ttl_s if older_than_s is None else older_than_s
        return await self._do(self._file.drop, self._now() - age)

    async def clear(self) -> int:
        """Delete every answer; how many went."""
        return await self._do(self._file.drop, float("inf"))

    async def close(self) -> None:
        """Let go of the file; searches under way are ended."""
        under_way = [flight.task for flight in self._flights.values()]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        if self._beating is not None:
            self._beating.cancel()
        await self._do(self._file.leave)
        self._thread.shutdown(wait=False)

    async def _do(self, call: Callable[..., T], *args: object) -> T:
        """Run a blocking call on the cache's own thread; the loop never waits for a disk."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, *args)

    def _tell(self, broken: StoreBroken) -> None:
        if not self._told:
            self._told = True
            self._notice(f"{broken}; searching without it")
