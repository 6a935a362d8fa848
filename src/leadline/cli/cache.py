"""`leadline cache`: what searches are kept, and how to let go of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leadline.cli.common import common_of, common_options, say, settings_from

if TYPE_CHECKING:
    from leadline.keep.searches import CacheStats, SearchCache

T = TypeVar("T")


class _Seconds(click.FloatRange):
    """A number that is called what it is where it is none."""

    name = "number of seconds"


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
    type=_Seconds(min=0),
    metavar="SECONDS",
    help="Age in seconds; else search_cache_ttl_s.",
)
@common_options
def prune(older_than: float | None, **given: Any) -> None:
    """Delete searches that are too old to be used."""
    gone = _with_cache(given, lambda cache: cache.prune(older_than))
    say(f"{_searches(gone)} deleted\n")


@cache.command()
@common_options
def clear(**given: Any) -> None:
    """Delete every search."""
    gone = _with_cache(given, lambda cache: cache.clear())
    say(f"{_searches(gone)} deleted\n")


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
    from datetime import UTC, datetime

    if not found.entries:
        return "the cache is empty\n"
    by = ", ".join(f"{name} {count}" for name, count in found.providers)
    first, last = (
        f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}" for at in (found.oldest, found.newest)
    )
    return (
        f"{_searches(found.entries)} ({by}), {found.expired} too old to be used, "
        f"{found.bytes / 1e6:.1f} MB, from {first} to {last} UTC\n"
    )


def _searches(count: int) -> str:
    from leadline.render.words import counted

    return counted(count, "search", "searches")
