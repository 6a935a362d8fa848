"""The web as a `Fetcher`: guarded, polite, within limits, read in worker processes."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Protocol, Self

from leadline.errors import UNREADABLE, SourceLost
from leadline.fetch.download import Answer, Bounds, Downloader
from leadline.fetch.fetched import Fetched
from leadline.fetch.guard import Guard, Target
from leadline.fetch.polite import Polite
from leadline.fetch.reading import ReaderPool
from leadline.fetch.robots import MAX_BYTES, Robots, read_robots, whole_lines
from leadline.keep.downloads import KeepsDownloads
from leadline.net.dialling import Connect, connect
from leadline.read.charset import decode
from leadline.read.file_type import media_type
from leadline.types import Hit, Page
from leadline.values import replace

_LOG = logging.getLogger(__name__)
AGENT = "leadline"
AT_ONCE = 24  # requests in flight; the pool takes time in the square of those that wait


class Reads(Protocol):
    """Turns what was fetched into a page; worker processes do."""

    async def read(self, data: bytes, url: str, content_type: str) -> Page: ...

    async def aclose(self) -> None: ...


class WebFetcher:
    """Brings web pages. One event loop, many fetches at the same time; `aclose` when done."""

    def __init__(
        self,
        *,
        guard: Guard | None = None,
        bounds: Bounds | None = None,
        polite: Polite | None = None,
        readers: Reads | None = None,
        user_agent: str = AGENT,
        robots: bool = True,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        ssl_context: ssl.SSLContext | None = None,
        network: Connect = connect,
        larder: KeepsDownloads | None = None,
    ) -> None:
        self._larder = larder
        self._guard = guard or Guard()
        self._bounds = bounds or Bounds()
        self._polite = polite or Polite()
        self._readers = readers or ReaderPool()
        self._obeys, self._now = robots, now
        self._places = asyncio.Semaphore(AT_ONCE)
        self._net = Downloader(self._guard, self._bounds, user_agent, ssl_context, network)
        self._robots: dict[str, tuple[Robots | SourceLost, float]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def fetch(self, hit: Hit) -> Page:
        """The page that `hit` points at."""
        return (await self.bring(hit)).page

    async def bring(self, hit: Hit) -> Fetched:
        """The page, where it was found, and what the server called it."""
        try:
            answer = await self._answer(hit.url)
            page = await self._readers.read(answer.data, answer.url, answer.content_type)
        except SourceLost:
            self.read(hit)
            raise
        except UNREADABLE as error:  # one page is lost, whatever it is; the run goes on
            _LOG.exception("a page could not be fetched")
            self.read(hit)
            raise SourceLost(f"what came cannot be read ({error!r:.200})") from error
        page = replace(
            page,
            url=hit.url,
            title=page.title or hit.title,
            date=page.date or hit.published,
            fetched_at=self._now().isoformat(timespec="seconds"),
        )
        return Fetched(page, answer.url, media_type(answer.content_type))

    def read(self, hit: Hit) -> None:
        """The page of `hit` has been kept, or cannot be read: its download may go."""
        if self._larder is not None:
            self._larder.drop(hit.url)

    async def _answer(self, url: str) -> Answer:
        """What the server sends, or sent to a run that was killed before it could read it."""
        if self._larder is None:
            return await self._download(url)
        kept = await asyncio.to_thread(self._larder.get, url)
        if kept is not None:
            about, data = kept
            found, kind = str(about["url"]), str(about["content_type"])
            return Answer(found, int(about["status"]), kind, data)
        answer = await self._download(url)
        about = {
            "url": answer.url,
            "status": answer.status,
            "content_type": answer.content_type,
        }
        await asyncio.to_thread(self._larder.put, url, about, answer.data)
        return answer

    async def _download(self, url: str) -> Answer:
        """Follow redirects to the answer; every hop is checked and has to be allowed."""
        target = self._guard.target(url)
        seen: set[str] = set()
        for _ in range(self._bounds.redirects + 1):
            if target.url in seen:
                raise SourceLost(f"{target.host} redirects in a circle")
            seen.add(target.url)
            found = await self._get(target)
            if isinstance(found, Answer):
                return found
            target = found
        raise SourceLost(f"more than {self._bounds.redirects} redirects")

    async def _get(self, target: Target) -> Answer | Target:
        delay_s = await self._ask_leave(target) if self._obeys else 0.0
        if self._guard.allows(target.host, target.port):
            return await self._in_time(target)  # the user's own host needs no sparing
        async with self._polite.turn(target.host, delay_s):
            return await self._in_time(target)

    async def _in_time(self, target: Target, limit: int | None = None) -> Answer | Target:
        try:
            async with self._places, asyncio.timeout(self._bounds.total_s):
                return await self._net.get(target, limit)
        except TimeoutError as error:
            raise SourceLost(
                f"{target.host} took longer than {self._bounds.total_s:g} s", retryable=True
            ) from error

    # ── robots.txt ──────────────────────────────────────────────────────────────────────────

    async def _ask_leave(self, target: Target) -> float:
        """Raises `SourceLost` where the site does not want us; else the pause it asks for."""
        clock = asyncio.get_running_loop().time
        came = clock()
        async with self._asking.setdefault(target.origin, asyncio.Lock()):
            known, answered = self._robots.get(target.origin, (None, 0.0))
            # A failure is shared by those who waited for it; who comes later asks again.
            if known is None or (isinstance(known, SourceLost) and answered < came):
                known = await self._fetch_robots(target)
                self._robots[target.origin] = known, clock()
        if isinstance(known, SourceLost):
            raise SourceLost(str(known), retryable=True)
        if not known.allows(target.url):
            raise SourceLost(f"the robots.txt of {target.host} asks not to fetch this page")
        return known.delay_s

    async def _fetch_robots(self, target: Target) -> Robots | SourceLost:
        """What the site asks. 4xx: nothing. 5xx or no answer: the page is not fetched either."""
        at = self._guard.target(f"{target.origin}/robots.txt")
        for _ in range(self._bounds.redirects + 1):
            try:
                found = await self._in_time(at, MAX_BYTES)
            except SourceLost as error:
                if not error.retryable:
                    return Robots()  # undecodable, a private redirect: no rules of use
                return error
            if isinstance(found, Target):
                at = found
            elif found.status >= 500:
                return SourceLost(f"the robots.txt of {target.host} answered {found.status}")
            elif found.status >= 400:
                return Robots()
            else:
                text = decode(whole_lines(found.data), found.content_type)
                return read_robots(text, AGENT)
        return Robots()

    async def aclose(self) -> None:
        """Close connections and let the workers end."""
        await self._net.aclose()
        await self._readers.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
