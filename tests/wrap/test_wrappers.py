"""Retry, pace, breaker, fallback, cache and metering round any search."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.fakes.search import FakeTime, MemoryCache, ScriptedSearcher, hit
from leadline.ports import Find
from leadline.types import Batch, Hit, Query
from leadline.wrap import Pace, breaker, cached, fallback, of, paced, retried
from leadline.wrap.retried import wait

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


def test_hits_carry_the_name_of_their_searcher_and_are_no_more_than_wanted() -> None:
    batch = ask(of(ScriptedSearcher(HITS, name="one")), k=1)
    assert batch.provider == "one"
    assert [h.provider for h in batch.hits] == ["one"]


# ── retry ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S6")
def test_a_failure_worth_another_try_is_retried_and_noted() -> None:
    time = FakeTime()
    searcher = ScriptedSearcher(HITS, failures=[busy(), busy()])
    batch = ask(retried(of(searcher), Random(0), sleep=time.sleep))
    assert len(batch.hits) == 2
    assert [(n.stage, n.what, n.why) for n in batch.notes] == [
        ("retry", Q.text, "x: HTTP 503; retried")
    ] * 2
    assert len(searcher.asked) == 3
    assert 0.25 <= time.slept[0] <= 0.5 <= time.slept[1] <= 1.0


@pytest.mark.contract("S6")
def test_three_attempts_are_enough() -> None:
    searcher = ScriptedSearcher(failures=[busy()] * 9)
    error = failing(retried(of(searcher), Random(0), sleep=FakeTime().sleep))
    assert len(searcher.asked) == 3
    assert "given up after 3 attempts" in str(error)


def test_what_trying_again_cannot_mend_is_not_tried_again() -> None:
    searcher = ScriptedSearcher(failures=[SourceLost("wrong key")] * 2)
    assert str(failing(retried(of(searcher), Random(0)))) == "wrong key"
    assert len(searcher.asked) == 1


@pytest.mark.contract("S6")
def test_who_does_not_answer_at_all_is_asked_twice() -> None:
    time = FakeTime()

    class Silent(ScriptedSearcher):
        async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
            await time.sleep(10)
            return await super().search(query, k)

    searcher = Silent(failures=[busy()] * 9)
    find = retried(of(searcher), Random(0), attempts=4, sleep=time.sleep, clock=time.clock)
    assert "given up after 2 attempts" in str(failing(find))
    assert len(searcher.asked) == 2


@pytest.mark.contract("S6")
def test_a_server_is_given_the_time_it_asks_for() -> None:
    time = FakeTime()
    find = retried(of(ScriptedSearcher(HITS, failures=[busy(7.5)])), Random(0), sleep=time.sleep)
    ask(find)
    assert time.slept == [7.5]


@pytest.mark.contract("S6")
def test_a_server_that_wants_longer_than_we_wait_is_left_at_once() -> None:
    time = FakeTime()
    searcher = ScriptedSearcher(HITS, failures=[busy(60)])
    error = failing(retried(of(searcher), Random(0), sleep=time.sleep))
    assert "asks to wait 60 s" in str(error)
    assert time.slept == []
    assert error.retry_after == 60


@pytest.mark.contract("S6")
@given(
    made=st.integers(1, 1000),
    chance=st.floats(0, 1, exclude_max=True),
    first=st.floats(0.01, 10),
    most=st.floats(0.01, 60),
)
def test_waits_grow_and_stay_within_their_bounds(
    made: int, chance: float, first: float, most: float
) -> None:
    seconds = wait(made, chance, first, most)
    assert 0 < seconds <= most
    assert seconds >= min(most, first) / 2
    assert wait(made + 1, chance, first, most) >= seconds


@given(seed=st.integers(0, 2**32), failures=st.integers(0, 2))
def test_the_same_dice_wait_the_same(seed: int, failures: int) -> None:
    def slept() -> list[float]:
        time = FakeTime()
        searcher = ScriptedSearcher(HITS, failures=[busy()] * failures)
        ask(retried(of(searcher), Random(seed), sleep=time.sleep))
        return time.slept

    assert slept() == slept()


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
        find = paced(crowd.find, Pace(3, 1e6, clock=time.clock, sleep=time.sleep))
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
        pace = Pace(concurrency, per_second, clock=time.clock, sleep=time.sleep)
        find = paced(crowd.find, pace)
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
    find = breaker(of(searcher), failures=3, reset_s=60, clock=time.clock)
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
    find = breaker(of(searcher), failures=1, reset_s=60, clock=time.clock)
    failing(find)
    time.now += 61

    async def together() -> list[Batch | BaseException]:
        return await asyncio.gather(*(find(Q, 1) for _ in range(4)), return_exceptions=True)

    outcomes = asyncio.run(together())
    assert [isinstance(one, Batch) for one in outcomes] == [True, False, False, False]


def test_a_success_starts_the_count_anew() -> None:
    searcher = ScriptedSearcher(HITS, failures=[busy(), busy(), None, busy(), busy(), None])
    find = breaker(of(searcher), failures=3)
    for fails in (True, True, False, True, True, False):
        failing(find) if fails else ask(find)
    assert len(searcher.asked) == 6


# ── fallback ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S6")
def test_the_next_provider_takes_over_and_that_is_noted() -> None:
    first = ScriptedSearcher(failures=[SourceLost("one: HTTP 500")], name="one")
    second = ScriptedSearcher(HITS, name="two")
    batch = ask(fallback([("one", of(first)), ("two", of(second))]))
    assert batch.provider == "two"
    assert [note.why for note in batch.notes] == ["one: HTTP 500; two asked instead"]


@pytest.mark.contract("S6")
def test_an_open_breaker_hands_over_without_asking() -> None:
    first = ScriptedSearcher(failures=[busy()] * 9, name="one")
    chain = fallback(
        [("one", breaker(of(first), failures=1)), ("two", of(ScriptedSearcher(HITS, name="two")))]
    )
    assert ask(chain).provider == ask(chain).provider == "two"
    assert len(first.asked) == 1


def test_finding_nothing_is_a_reason_to_ask_the_next_but_no_failure() -> None:
    empty, full = ScriptedSearcher(name="one"), ScriptedSearcher(HITS, name="two")
    assert ask(fallback([("one", of(empty)), ("two", of(full))])).provider == "two"
    nothing = ask(fallback([("one", of(empty)), ("two", of(ScriptedSearcher(name="two")))]))
    assert nothing.hits == ()
    broken = ScriptedSearcher(failures=[busy()], name="two")
    half = ask(fallback([("one", of(empty)), ("two", of(broken))]))
    assert half.hits == ()
    assert any("HTTP 503" in note.why for note in half.notes)


@pytest.mark.contract("S6")
def test_when_every_provider_fails_all_of_them_are_named() -> None:
    lost = [ScriptedSearcher(failures=[SourceLost(f"{n}: down")], name=n) for n in ("one", "two")]
    assert str(failing(fallback([(s.name, of(s)) for s in lost]))) == "one: down; two: down"
    assert "no search provider" in str(failing(fallback([])))


# ── cache and meter ─────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S2")
def test_the_same_search_again_comes_from_the_cache() -> None:
    searcher = ScriptedSearcher(HITS, name="one", failures=[busy()])
    find = cached(retried(of(searcher), Random(0), sleep=FakeTime().sleep), MemoryCache(), "one")
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
    ask(cached(of(searcher), cache, "one"), k=5)
    ask(cached(of(searcher), cache, "one"), k=6)
    ask(cached(of(searcher), cache, "one", {"language": "de"}), k=6)
    ask(cached(of(searcher), cache, "two"), k=6)
    assert len(searcher.asked) == 4


@pytest.mark.contract("S2")
def test_a_failed_search_is_asked_again() -> None:
    searcher = ScriptedSearcher(HITS, failures=[busy()])
    find = cached(of(searcher), MemoryCache(), "one")
    failing(find)
    assert ask(find).hits
