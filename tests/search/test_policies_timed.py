"""Metering: every request to a provider is told by the batch, once, with its seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from leadline.errors import SourceLost
from leadline.fakes.search import MemoryCache, ScriptedSearcher, hit
from leadline.ports import Find
from leadline.research.search import searching
from leadline.search.policies import (
    cached,
    ensure_minimum_text,
    fallback,
    from_provider,
    merged,
    retried,
    timed,
)
from leadline.types import Asked, Batch, Query

Q = Query("how deep is it")
LONG = tuple(hit(f"https://site{n}.org/", "long enough " * 80) for n in range(3))
BUSY = SourceLost("one: HTTP 503", retryable=True)


def ask(find: Find, query: Query = Q) -> Batch:
    async def once() -> Batch:
        return await searching(find, 5)(query)

    return asyncio.run(once())


def lasting(seconds: float) -> Callable[[], float]:
    """A clock by which every request takes so long."""
    ticks = iter(range(1000))
    return lambda: seconds * next(ticks)


def one_of(searcher: ScriptedSearcher, seconds: float = 0.25) -> Find:
    return timed(from_provider(searcher), searcher.name, clock=lasting(seconds))


@pytest.mark.contract("S6", "O1")
def test_a_request_is_told_with_its_provider_and_its_seconds() -> None:
    assert ask(one_of(ScriptedSearcher(LONG, name="one"))).asked == (Asked("one", 0.25),)


@pytest.mark.contract("S6", "O1")
def test_what_failed_and_was_asked_again_is_told_in_its_order() -> None:
    find = one_of(ScriptedSearcher(LONG, failures=[BUSY, BUSY], name="one"))
    batch = ask(retried(find))
    failed = Asked("one", 0.25, "one: HTTP 503")
    assert batch.asked == (failed, failed, Asked("one", 0.25))


@pytest.mark.contract("S6", "O1")
def test_the_requests_to_a_provider_that_was_given_up_are_told_with_the_next_ones() -> None:
    one = one_of(ScriptedSearcher(failures=[BUSY] * 9, name="one"))
    empty = one_of(ScriptedSearcher((), name="empty"))
    two = one_of(ScriptedSearcher(LONG, name="two"), 0.5)
    again = retried(one, attempts=2)
    batch = ask(fallback([("one", again), ("empty", empty), ("two", two)]))
    assert [(asked.provider, bool(asked.error)) for asked in batch.asked] == [
        ("one", True),
        ("one", True),
        ("empty", False),
        ("two", False),
    ]
    nothing = ask(fallback([("empty", empty), ("one", again)]))
    assert [asked.provider for asked in nothing.asked] == ["empty", "one", "one"]


@pytest.mark.contract("S6", "O1")
def test_where_all_failed_the_batch_that_says_so_tells_every_request() -> None:
    one = one_of(ScriptedSearcher(failures=[BUSY] * 9, name="one"))
    two = one_of(ScriptedSearcher(failures=[BUSY] * 9, name="two"))
    batch = ask(fallback([("one", one), ("two", two)]))
    assert batch.error
    assert [asked.provider for asked in batch.asked] == ["one", "two"]
    assert [asked.provider for asked in ask(merged([one, two])).asked] == ["one", "two"]


@pytest.mark.contract("S6", "O1")
def test_a_simpler_query_and_a_search_beside_it_are_told_too() -> None:
    query = Query("a comprehensive analysis of deep sea trenches depth")
    short = (hit("https://a.org/", "short"),)
    for second in (None, SourceLost("no")):
        thin = ScriptedSearcher(short, failures=[None, second], name="thin")
        batch = ask(ensure_minimum_text(one_of(thin)), query)
        assert [asked.error for asked in batch.asked] == ["", str(second or "")]
    down = one_of(ScriptedSearcher(failures=[BUSY], name="down"))
    both = ask(merged([one_of(ScriptedSearcher(LONG, name="one")), down]))
    assert {asked.provider for asked in both.asked} == {"one", "down"}


@pytest.mark.contract("S2", "O1")
def test_an_answer_that_was_kept_took_no_request() -> None:
    find = cached(one_of(ScriptedSearcher(LONG, name="one")), MemoryCache(), "one")
    assert len(ask(find).asked) == 1
    assert ask(find).asked == ()
