"""The web as a source of pages: guarded, polite, within limits, read in worker processes."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

import httpcore2

from leadline.errors import UNREADABLE, SourceLost
from leadline.ports import Fetcher
from leadline.read.charset import decode
from leadline.read.file_type import media_type
from leadline.retry import source_retried
from leadline.types import Hit, Page, SourceKind
from leadline.values import replace
from leadline.web.addresses import Guard, Target
from leadline.web.http import Answer, Downloader, FetchLimits
from leadline.web.per_host import PerHost
from leadline.web.robots import AGENT, MAX_BYTES, Robots, read_robots, whole_lines
from leadline.web.workers import PageReaders

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Download:
    """A page with what the snapshot keeps beside it."""

    page: Page
    final_url: str
    content_type: str


class PageSource(Protocol):
    """Brings a page and says where it was found."""

    async def download(self, hit: Hit) -> Download: ...


class ReadsPages(Protocol):
    """Turns what was fetched into a page; worker processes do."""

    async def read(self, data: bytes, url: str, content_type: str) -> Page: ...

    async def aclose(self) -> None: ...


class WebPages:
    """Brings web pages. One event loop, many fetches at the same time; `aclose` when done."""

    def __init__(
        self,
        *,
        guard: Guard | None = None,
        limits: FetchLimits | None = None,
        per_host: PerHost | None = None,
        readers: ReadsPages | None = None,
        user_agent: str = AGENT,
        robots: bool = True,
        attempts: int = 2,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        ssl_context: ssl.SSLContext | None = None,
        network: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._guard = guard or Guard()
        self._limits = limits or FetchLimits()
        self._per_host = per_host or PerHost()
        self._readers = readers or PageReaders()
        self._obeys_robots, self._attempts, self._now = robots, attempts, now
        self._http = Downloader(self._guard, self._limits, user_agent, ssl_context, network)
        self._robots: dict[str, tuple[Robots | SourceLost, float]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def fetch(self, hit: Hit) -> Page:
        """The page that `hit` points at."""
        return (await self.download(hit)).page

    async def download(self, hit: Hit) -> Download:
        """The page, where it was found, and what the server called it; tried again where that may
        help, which the page's notes tell."""
        download, failures = await source_retried(
            lambda: self._download(hit), attempts=self._attempts
        )
        notes = tuple(f"{lost}; fetched again" for lost in failures)
        return replace(download, page=replace(download.page, notes=notes))

    async def _download(self, hit: Hit) -> Download:
        try:
            answer = await self._follow(hit.url, self._get)
            page = await self._readers.read(answer.data, answer.url, answer.content_type)
        except UNREADABLE as error:  # one page is lost, whatever it is; the run goes on
            _LOG.exception("a page could not be fetched")
            raise SourceLost(f"what came cannot be read ({error!r:.200})") from error
        page = replace(
            page,
            url=hit.url,
            title=page.title or hit.title,
            date=page.date or hit.published,
            fetched_at=self._now().isoformat(timespec="seconds"),
        )
        return Download(page, answer.url, media_type(answer.content_type))

    async def _follow(
        self, url: str, get: Callable[[Target], Awaitable[Answer | Target]]
    ) -> Answer:
        """Follow redirects to the answer; every hop is checked."""
        target = self._guard.target(url)
        seen: set[str] = set()
        for _ in range(self._limits.redirects + 1):
            if target.url in seen:
                raise SourceLost(f"{target.host} redirects in a circle")
            seen.add(target.url)
            answer = await get(target)
            if isinstance(answer, Answer):
                return answer
            target = answer
        raise SourceLost(f"more than {self._limits.redirects} redirects")

    async def _get(self, target: Target) -> Answer | Target:
        delay_s = await self._ask_leave(target) if self._obeys_robots else 0.0
        if self._guard.allows(target.host, target.port):
            return await self._http.get(target)  # the user's own host needs no sparing
        async with self._per_host.turn(target.host, delay_s):
            return await self._http.get(target)

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
        try:
            answer = await self._follow(
                f"{target.origin}/robots.txt", partial(self._http.get, start_of=MAX_BYTES)
            )
        except SourceLost as error:
            # Undecodable, a private redirect: no rules of use.
            return error if error.retryable else Robots()
        if answer.status >= 500:
            return SourceLost(f"the robots.txt of {target.host} answered {answer.status}")
        if answer.status >= 400:
            return Robots()
        text = decode(whole_lines(answer.data), answer.content_type)
        return await asyncio.to_thread(read_robots, text)

    async def aclose(self) -> None:
        """Close connections and let the workers end."""
        await self._http.aclose()
        await self._readers.aclose()


class PagesByKind:
    """Sends a hit to the fetcher of its kind."""

    def __init__(self, fetchers: Mapping[SourceKind, Fetcher]) -> None:
        self._fetchers = dict(fetchers)

    async def fetch(self, hit: Hit) -> Page:
        """The page of a hit. Raises `SourceLost` when nothing here fetches its kind."""
        fetcher = self._fetchers.get(hit.kind)
        if fetcher is None:
            raise SourceLost(f"no {hit.kind} is fetched in this run: {hit.url}")
        return await fetcher.fetch(hit)
