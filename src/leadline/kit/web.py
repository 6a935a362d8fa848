"""The web, put together: providers in their wrappers, a guarded fetcher that keeps snapshots."""

from __future__ import annotations

from contextlib import AsyncExitStack
from random import Random
from typing import TYPE_CHECKING

from leadline.ports import Fetcher, Find
from leadline.rank.domains import Wanted
from leadline.settings import Settings
from leadline.wrap import breaker, cached, fallback, filtered, floored, of, retried, throttled

if TYPE_CHECKING:
    import httpx2

    from leadline.fetch.client import WebFetcher
    from leadline.ports import Cache
    from leadline.store.cache import SearchCache

SEARCH_TIMEOUT_S = 10.0


async def open_web(settings: Settings, stack: AsyncExitStack) -> tuple[Find, Fetcher]:
    """Search and fetch over the web; what they hold open is closed with `stack`."""
    client = await stack.enter_async_context(http_client(settings))
    cache = open_cache(settings)
    stack.push_async_callback(cache.close)
    fetcher = open_fetcher(settings)
    stack.push_async_callback(fetcher.aclose)
    fetcher.warm()
    return web_search(settings, client, cache), fetcher


def web_search(settings: Settings, client: httpx2.AsyncClient, cache: Cache) -> Find:
    """The configured providers as one search: the next takes over where one fails."""
    chain = [(name, _provider(name, settings, client, cache)) for name in settings.search_providers]
    wanted = Wanted(
        settings.allow_domains,
        settings.deny_domains,
        settings.prefer_domains,
        settings.since,
        settings.until,
        settings.per_domain,
    )
    return floored(filtered(fallback(chain), wanted), settings.search_quality_floor)


def _provider(name: str, settings: Settings, client: httpx2.AsyncClient, cache: Cache) -> Find:
    from leadline.search.registry import entry, make

    pace = entry(name)
    find = throttled(of(make(name, settings.values(), client)), pace.concurrency, pace.per_second)
    find = breaker(retried(find, Random(settings.seed)))  # noqa: S311 - jitter between retries
    return cached(find, cache, name) if settings.cache else find


def http_client(settings: Settings) -> httpx2.AsyncClient:
    """The client that providers are asked with."""
    import httpx2

    return httpx2.AsyncClient(
        timeout=SEARCH_TIMEOUT_S,
        headers={"User-Agent": user_agent(settings)},
        follow_redirects=True,
    )


def user_agent(settings: Settings) -> str:
    """Who we say we are; a contact lets a site's owner complain to the right person."""
    from leadline import __version__

    contact = f" (+{settings.fetch_contact})" if settings.fetch_contact else ""
    return f"leadline/{__version__}{contact}"


def open_cache(settings: Settings) -> SearchCache:
    """The cache of searches in the data folder."""
    from leadline.store.cache import SearchCache

    return SearchCache(
        settings.data_dir / "searches.db",
        ttl_s=settings.search_cache_ttl_s,
        refresh=settings.refresh,
        frozen=settings.frozen,
    )


def open_fetcher(settings: Settings) -> WebFetcher:
    """The guarded fetcher."""
    from leadline.fetch.client import WebFetcher
    from leadline.fetch.download import Bounds
    from leadline.fetch.guard import Guard

    size = int(settings.fetch_max_mb * 1_000_000)
    return WebFetcher(
        guard=Guard(allow_hosts=settings.fetch_allow_hosts),
        bounds=Bounds(page_bytes=size, file_bytes=3 * size, total_s=settings.fetch_timeout_s),
        user_agent=user_agent(settings),
        robots=settings.fetch_robots,
    )
