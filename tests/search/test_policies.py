"""Retry, pace, breaker, fallback, cache and metering round any search."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.fakes.search import FakeTime, MemoryCache, ScriptedSearcher, hit
from leadline.ports import Find
from leadline.search.policies import (
    RateLimit,
    cached,
    circuit_broken,
    fallback,
    from_provider,
    rate_limited,
    retried,
)
from leadline.types import Batch, Query

Q = Query("how deep is it")
HITS = (hit("https://a.org"), hit("https://b.org"))


def busy(after: float = 0.0) -> SourceLost:
    return SourceLost("x: HTTP 503", retryable=True, retry_after=after)


def ask(find: Find, query: Query = Q, k: int = 10) -> Batch:
    async def once() -> Batch:
        return await find(query, k)

    return asyncio.run(once())


def failing(find: Find) -> SourceLost:
    with pytest.raises(SourceLost) as caught:
        ask(find)
    return caught.value


# ── of ──────────────────────────────────────────────────────────────────────────────────────


# ── retry ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S6")
def test_a_failure_worth_another_try_is_retried_and_noted() -> None:
    searcher = ScriptedSearcher(HITS, failures=[busy(), busy()])
    batch = ask(retried(from_provider(searcher)))
    assert len(batch.hits) == 2
    assert [(n.stage, n.what, n.why) for n in batch.notes] == [
        ("retry", Q.text, "x: HTTP 503; retried")
    ] * 2
    assert len(searcher.asked) == 3


@pytest.mark.contract("S6")
def test_three_attempts_are_enough() -> None:
    searcher = ScriptedSearcher(failures=[busy()] * 9)
    error = failing(retried(from_provider(searcher)))
    assert len(searcher.asked) == 3
    assert "given up after 3 attempts" in str(error)


# ── pace ────────────────────────────────────────────────────────────────────────────────────


class Crowd:
    """Counts how many searches are in it at once, and when each began."""

    name = "crowd"

    def __init__(self, time: FakeTime) -> None:
        self.time, self.inside, self.most = time, 0, 0
        self.began: list[float] = []

    async def find(self, query: Query, k: int) -> Batch:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.began.append(self.time.clock())
        for _ in range(5):
            await asyncio.sleep(0)
        self.inside -= 1
        return Batch(query)


@pytest.mark.contract("S7")
def test_no_more_searches_run_at_once_than_allowed() -> None:
    time = FakeTime()
    crowd = Crowd(time)

    async def many() -> None:
        find = rate_limited(crowd.find, RateLimit(3, 1e6, clock=time.clock, sleep=time.sleep))
        await asyncio.gather(*(find(Q, 1) for _ in range(20)))

    asyncio.run(many())
    assert crowd.most == 3
    assert len(crowd.began) == 20


@pytest.mark.contract("S7")
@given(concurrency=st.integers(1, 5), per_second=st.floats(0.2, 20), searches=st.integers(1, 25))
def test_the_pace_is_kept_after_a_first_burst(
    concurrency: int, per_second: float, searches: int
) -> None:
    time = FakeTime()
    crowd = Crowd(time)

    async def in_turn() -> None:
        pace = RateLimit(concurrency, per_second, clock=time.clock, sleep=time.sleep)
        find = rate_limited(crowd.find, pace)
        for _ in range(searches):
            await find(Q, 1)

    asyncio.run(in_turn())
    passed = crowd.began[-1] - crowd.began[0]
    assert passed >= (searches - concurrency) / per_second - 1e-6
    if searches <= concurrency:
        assert passed < 1e-6


# ── breaker ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S6")
def test_a_provider_that_fails_three_times_is_left_alone_and_then_tried_once() -> None:
    time = FakeTime()
    searcher = ScriptedSearcher(HITS, failures=[busy()] * 4)
    find = circuit_broken(from_provider(searcher), failures=3, reset_s=60, clock=time.clock)
    for _ in range(3):
        assert str(failing(find)) == "x: HTTP 503"
    refused = failing(find)
    assert "not asked, after 3 failures in a row (x: HTTP 503)" in str(refused)
    assert not refused.retryable
    assert len(searcher.asked) == 3
    time.now += 61
    assert str(failing(find)) == "x: HTTP 503"  # the trial fails
    assert "not asked" in str(failing(find))
    time.now += 61
    assert ask(find).hits
    assert ask(find).hits
    assert len(searcher.asked) == 6


def test_only_one_search_tries_whether_a_provider_is_back() -> None:
    time = FakeTime()
    searcher = ScriptedSearcher(HITS, failures=[busy()])
    find = circuit_broken(from_provider(searcher), failures=1, reset_s=60, clock=time.clock)
    failing(find)
    time.now += 61

    async def together() -> list[Batch | BaseException]:
        return await asyncio.gather(*(find(Q, 1) for _ in range(4)), return_exceptions=True)

    outcomes = asyncio.run(together())
    assert [isinstance(one, Batch) for one in outcomes] == [True, False, False, False]


# ── fallback ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S6")
def test_the_next_provider_takes_over_and_that_is_noted() -> None:
    first = ScriptedSearcher(failures=[SourceLost("one: HTTP 500")], name="one")
    second = ScriptedSearcher(HITS, name="two")
    batch = ask(fallback([("one", from_provider(first)), ("two", from_provider(second))]))
    assert batch.provider == "two"
    assert [note.why for note in batch.notes] == ["one: HTTP 500; two asked instead"]


@pytest.mark.contract("S6")
def test_an_open_breaker_hands_over_without_asking() -> None:
    first = ScriptedSearcher(failures=[busy()] * 9, name="one")
    chain = fallback(
        [
            ("one", circuit_broken(from_provider(first), failures=1)),
            ("two", from_provider(ScriptedSearcher(HITS, name="two"))),
        ]
    )
    assert ask(chain).provider == ask(chain).provider == "two"
    assert len(first.asked) == 1


def test_finding_nothing_is_a_reason_to_ask_the_next_but_no_failure() -> None:
    empty, full = ScriptedSearcher(name="one"), ScriptedSearcher(HITS, name="two")
    assert (
        ask(fallback([("one", from_provider(empty)), ("two", from_provider(full))])).provider
        == "two"
    )
    nothing = ask(
        fallback(
            [("one", from_provider(empty)), ("two", from_provider(ScriptedSearcher(name="two")))]
        )
    )
    assert nothing.hits == ()
    broken = ScriptedSearcher(failures=[busy()], name="two")
    half = ask(fallback([("one", from_provider(empty)), ("two", from_provider(broken))]))
    assert half.hits == ()
    assert any("HTTP 503" in note.why for note in half.notes)


@pytest.mark.contract("S6")
def test_when_every_provider_fails_all_of_them_are_named() -> None:
    lost = [ScriptedSearcher(failures=[SourceLost(f"{n}: down")], name=n) for n in ("one", "two")]
    assert (
        str(failing(fallback([(s.name, from_provider(s)) for s in lost]))) == "one: down; two: down"
    )
    assert "no search provider" in str(failing(fallback([])))


# ── cache and meter ─────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
def test_the_same_search_again_comes_from_the_cache() -> None:
    searcher = ScriptedSearcher(HITS, name="one", failures=[busy()])
    find = cached(retried(from_provider(searcher)), MemoryCache(), "one")
    first, again = ask(find), ask(find, Query("How  deep is IT"))
    assert (first.cached, again.cached) == (False, True)
    assert first.hits == again.hits
    assert again.provider == "one"
    assert first.notes
    assert not again.notes  # nothing went wrong this time
    assert len(searcher.asked) == 2


@pytest.mark.contract("S2")
def test_another_number_of_results_or_parameter_is_another_search() -> None:
    searcher, cache = ScriptedSearcher(HITS), MemoryCache()
    ask(cached(from_provider(searcher), cache, "one"), k=5)
    ask(cached(from_provider(searcher), cache, "one"), k=6)
    ask(cached(from_provider(searcher), cache, "one", {"language": "de"}), k=6)
    ask(cached(from_provider(searcher), cache, "two"), k=6)
    assert len(searcher.asked) == 4


@pytest.mark.contract("S2")
def test_a_failed_search_is_asked_again() -> None:
    searcher = ScriptedSearcher(HITS, failures=[busy()])
    find = cached(from_provider(searcher), MemoryCache(), "one")
    failing(find)
    assert ask(find).hits
