"""The web, put together: providers in their policies, a guarded client that keeps snapshots."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from leadline.errors import StoreBroken
from leadline.fields.secret import SecretText
from leadline.keep.sqlite import notice
from leadline.kit.stores import open_snapshots
from leadline.ports import Cache, Fetcher, Find
from leadline.rank.domains import Wanted
from leadline.search.policies import (
    RateLimit,
    cached,
    circuit_broken,
    ensure_minimum_text,
    fallback,
    filtered,
    from_provider,
    rate_limited,
    retried,
    timed,
)
from leadline.settings import Settings, is_secret

if TYPE_CHECKING:
    import httpx2

    from leadline.keep.searches import SearchCache
    from leadline.search.registry import Ready
    from leadline.web.fetch import WebPages
    from leadline.web.page_cache import KeepsPages


RETRIES = 3

# What waits in an event loop is of no use in another, so each has its own.
_LIMITS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, ...], RateLimit]] = (
    WeakKeyDictionary()
)


async def open_web(settings: Settings, stack: AsyncExitStack) -> tuple[Find, Fetcher]:
    """Search and fetch over the web; what they hold open is closed with `stack`."""
    from leadline.web.page_cache import CachedPages

    client, searches, pages = _client(settings), open_cache(settings), open_pages(settings)
    for close in (client.aclose, searches.close, pages.aclose):
        stack.push_async_callback(close)
    fetcher = CachedPages(
        pages,
        _snapshots(settings, stack),
        max_age_s=3600 * settings.fetch_max_age_h,
        refresh=settings.refresh,
        frozen=settings.frozen,
    )
    return web_search(settings, client, searches), fetcher


def _client(settings: Settings) -> httpx2.AsyncClient:
    from leadline.search.http import open_client

    return open_client(settings.fetch_contact, settings.search_timeout_s)


def _snapshots(settings: Settings, stack: AsyncExitStack) -> KeepsPages | None:
    """Where pages are kept; nowhere where that cannot be used, which ends no run."""
    from leadline.keep.pages import Snapshots

    try:
        snapshots = open_snapshots(settings)
        if isinstance(snapshots, Snapshots):
            stack.callback(snapshots.close)
    except StoreBroken as broken:
        notice(f"{broken}; the pages of this run are read and not kept")
        return None
    return snapshots


def web_search(settings: Settings, client: httpx2.AsyncClient, cache: Cache) -> Find:
    """The configured providers as one search: the next takes over where one fails."""
    providers = [
        (name, _provider(name, settings, client, cache)) for name in settings.search_providers
    ]
    chosen = filtered(fallback(providers), wanted_of(settings))
    return ensure_minimum_text(chosen, settings.search_quality_floor)


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


def _provider(name: str, settings: Settings, client: httpx2.AsyncClient, cache: Cache) -> Find:
    from leadline.search.registry import make

    find = timed(from_provider(make(name, settings.values(), client)), name)
    find = rate_limited(find, rate_limit_of(name, settings))
    find = circuit_broken(retried(find, attempts=1 + RETRIES))
    keeps = settings.cache or settings.frozen  # frozen: nothing may be asked, whatever else is set
    return cached(find, cache, name, _params(name, settings)) if keeps else find


def _params(name: str, settings: Settings) -> dict[str, str | int]:
    """What else changes a provider's answers, and so is part of the cache's key; never a key."""
    from leadline.search.registry import settings_of

    values = settings.values()
    return {
        field: str(values[field])
        for field in settings_of(name)
        if field in values and not is_secret(field)
    }


def rate_limit_of(name: str, settings: Settings) -> RateLimit:
    """How fast a provider is asked: one limit for all runs of this loop that ask it at the same
    address, with the same key.

    Its own pace holds unless the settings say another: what a paid plan or a server of one's own
    allows.
    """
    from leadline.search.registry import entry, settings_of

    own = entry(name)
    nameless = own.nameless if not settings.fetch_contact else 0.0
    concurrency = settings.search_concurrency or (1 if nameless else own.concurrency)
    per_second = settings.search_per_second or nameless or own.per_second
    values = settings.values()
    fields = (_plain(values[field]) for field in sorted(settings_of(name)) if field in values)
    shared = _LIMITS.setdefault(asyncio.get_running_loop(), {})
    key = (name, str(concurrency), str(per_second), *fields)
    return shared.setdefault(key, RateLimit(concurrency, per_second))


def _plain(value: object) -> str:
    """One key is one customer: with another, the provider counts anew."""
    return value.get_secret_value() if isinstance(value, SecretText) else str(value)


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
    )


def open_pages(settings: Settings) -> WebPages:
    """Pages of the web, guarded."""
    from leadline.web.addresses import Guard
    from leadline.web.fetch import WebPages
    from leadline.web.http import FetchLimits
    from leadline.web.workers import shared_readers

    size = int(settings.fetch_max_mb * 1_000_000)
    return WebPages(
        guard=Guard(allow_hosts=settings.fetch_allow_hosts),
        limits=FetchLimits(page_bytes=size, file_bytes=3 * size, total_s=settings.fetch_timeout_s),
        user_agent=user_agent(settings),
        robots=settings.fetch_robots,
        readers=shared_readers(),
    )


async def probe_providers(settings: Settings) -> list[Ready]:
    """Ask every provider of the chain one small question."""
    from leadline.search.registry import probe

    async with _client(settings) as client:
        options = settings.values()
        return [await probe(name, options, client) for name in settings.search_providers]
