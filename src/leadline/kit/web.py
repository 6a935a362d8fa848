"""The web, put together: providers in their wrappers, a guarded fetcher that keeps snapshots."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from leadline.errors import StoreBroken
from leadline.keep.sqlite import notice
from leadline.kit.paces import pace_of
from leadline.kit.stores import open_downloads, open_snapshots
from leadline.net.dialling import system_proxies
from leadline.ports import Fetcher, Find
from leadline.rank.domains import Wanted
from leadline.search.http import open_client
from leadline.settings import Settings, is_secret, names_proxy
from leadline.types import Hit, Page
from leadline.wrap import breaker, cached, fallback, filtered, floored, metered, of, paced, retried

if TYPE_CHECKING:
    from leadline.fetch.client import WebFetcher
    from leadline.fetch.kept import KeepsPages
    from leadline.keep.downloads import KeepsDownloads
    from leadline.keep.searches import SearchCache
    from leadline.net.client import Client, Sends
    from leadline.ports import Cache
    from leadline.search.registry import Ready


RETRIES = 3


async def open_web(settings: Settings, stack: AsyncExitStack) -> tuple[Find, Fetcher]:
    """Search and fetch over the web; what they hold open is closed with `stack`."""
    client, searches = _client(settings), open_cache(settings)

    async def close() -> None:
        # Together: one waits for a disk, another for connections.
        await asyncio.gather(searches.close(), client.aclose())

    stack.push_async_callback(close)
    return web_search(settings, client, searches), LateFetcher(lambda: _kept(settings, stack))


def _client(settings: Settings) -> Client:
    proxies = system_proxies(names_proxy())
    return open_client(settings.fetch_contact, settings.search_timeout_s, proxies)


class LateFetcher:
    """Put together when the first page is wanted: the first search should not wait for it."""

    def __init__(self, make: Callable[[], Fetcher]) -> None:
        self._make = cache(make)

    async def fetch(self, hit: Hit) -> Page:
        """The page that `hit` points at."""
        return await self._make().fetch(hit)


def _kept(settings: Settings, stack: AsyncExitStack) -> Fetcher:
    from leadline.fetch.again import AgainFetcher
    from leadline.fetch.kept import KeptFetcher

    web = open_fetcher(settings)
    stack.push_async_callback(web.aclose)
    again = AgainFetcher(web, Random(settings.seed))  # noqa: S311 - jitter between retries
    return KeptFetcher(
        again,
        _pages(settings, stack),
        max_age_s=3600 * settings.fetch_max_age_h,
        refresh=settings.refresh,
        frozen=settings.frozen,
        on_kept=web.read,
    )


def _pages(settings: Settings, stack: AsyncExitStack) -> KeepsPages:
    """Where pages are kept; nowhere where that cannot be used, which ends no run."""
    from leadline.fetch.kept import Unkept
    from leadline.keep.pages import Snapshots

    try:
        snapshots = open_snapshots(settings)
        if isinstance(snapshots, Snapshots):
            stack.enter_context(snapshots.held())
    except StoreBroken as broken:
        notice(f"{broken}; the pages of this run are read and not kept")
        return Unkept()
    return snapshots


def _downloads(settings: Settings) -> KeepsDownloads | None:
    try:
        return open_downloads(settings)
    except StoreBroken as broken:
        notice(f"{broken}; going on without")
        return None


def web_search(settings: Settings, client: Sends, cache: Cache) -> Find:
    """The configured providers as one search: the next takes over where one fails."""
    chain = [(name, _provider(name, settings, client, cache)) for name in settings.search_providers]
    return floored(filtered(fallback(chain), wanted_of(settings)), settings.search_quality_floor)


def wanted_of(settings: Settings) -> Wanted:
    """Which results the user wants to see."""
    return Wanted(
        settings.allow_domains,
        settings.deny_domains,
        settings.prefer_domains,
        settings.since,
        settings.until,
        settings.per_domain,
    )


def _provider(name: str, settings: Settings, client: Sends, cache: Cache) -> Find:
    from leadline.search.registry import make

    find = metered(of(make(name, settings.values(), client)), name)
    find = paced(find, pace_of(name, settings))
    dice = Random(settings.seed)  # noqa: S311 - jitter between retries
    find = breaker(retried(find, dice, attempts=1 + RETRIES))
    keeps = settings.cache or settings.frozen  # frozen: nothing may be asked, whatever else is set
    return cached(find, cache, name, _params(name, settings)) if keeps else find


def _params(name: str, settings: Settings) -> dict[str, str | int]:
    """What else changes a provider's answers, and so is part of the cache's key; never a key."""
    from leadline.search.registry import settings_of

    values = settings.values()
    return {
        one: str(values[one]) for one in settings_of(name) if one in values and not is_secret(one)
    }


def user_agent(settings: Settings) -> str:
    """Who we say we are; a contact lets a site's owner complain to the right person."""
    from leadline import __version__

    contact = f" (+{settings.fetch_contact})" if settings.fetch_contact else ""
    return f"leadline/{__version__}{contact}"


def open_cache(settings: Settings) -> SearchCache:
    """The cache of searches in the data folder."""
    from leadline.keep.searches import SearchCache

    return SearchCache(
        settings.data_dir / "searches.db",
        ttl_s=settings.search_cache_ttl_s,
        refresh=settings.refresh,
        frozen=settings.frozen,
        notice=notice,
    )


def open_fetcher(settings: Settings) -> WebFetcher:
    """The guarded fetcher."""
    from leadline.fetch.client import WebFetcher
    from leadline.fetch.download import Bounds
    from leadline.fetch.guard import Guard
    from leadline.kit.readers import SharedReaders

    size = int(settings.fetch_max_mb * 1_000_000)
    return WebFetcher(
        guard=Guard(allow_hosts=settings.fetch_allow_hosts),
        bounds=Bounds(page_bytes=size, file_bytes=3 * size, total_s=settings.fetch_timeout_s),
        user_agent=user_agent(settings),
        robots=settings.fetch_robots,
        readers=SharedReaders(),
        larder=_downloads(settings),
    )


async def probe_providers(settings: Settings) -> list[Ready]:
    """Ask every provider of the chain one small question."""
    from leadline.search.registry import probe

    async with _client(settings) as client:
        options = settings.values()
        return [await probe(name, options, client) for name in settings.search_providers]
