"""`leadline cache`: what searches are kept, and how to let go of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leadline.cli.common import common_of, common_options, say, settings_from

if TYPE_CHECKING:
    from leadline.store.cache import SearchCache
    from leadline.store.cachefile import CacheStats

T = TypeVar("T")


@click.group()
def cache() -> None:
    """Look at the cache of searches, or empty it.

    A search is answered from the cache for 24 hours (search_cache_ttl_s), in every run and process
    of the same data folder. --refresh on a question searches anew.
    """


@cache.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@common_options
def stats(as_json: bool, **given: Any) -> None:
    """How many searches are kept, of which providers, and how old."""
    import json
    from dataclasses import asdict

    found = _with_cache(given, lambda cache: cache.stats())
    say(json.dumps(asdict(found)) + "\n" if as_json else _told(found))


@cache.command()
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Age; else search_cache_ttl_s.",
)
@common_options
def prune(older_than: float | None, **given: Any) -> None:
    """Delete searches that are too old to be used."""
    gone = _with_cache(given, lambda cache: cache.prune(older_than))
    say(f"{gone} searches deleted\n")


@cache.command()
@common_options
def clear(**given: Any) -> None:
    """Delete every search."""
    gone = _with_cache(given, lambda cache: cache.clear())
    say(f"{gone} searches deleted\n")


def _with_cache(given: dict[str, Any], do: Callable[[SearchCache], Awaitable[T]]) -> T:
    import asyncio

    from leadline.kit.web import open_cache

    settings = settings_from(common_of(given))

    async def whole() -> T:
        cache = open_cache(settings)
        try:
            return await do(cache)
        finally:
            await cache.close()

    return asyncio.run(whole())


def _told(found: CacheStats) -> str:
    if not found.entries:
        return "the cache is empty\n"
    by = ", ".join(f"{name} {count}" for name, count in found.providers)
    return (
        f"{found.entries} searches ({by}), {found.expired} too old to be used, "
        f"{found.bytes / 1e6:.1f} MB\n"
    )
