"""All wrappers together, in the order in which they belong, over two providers and a real cache."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from leadline.errors import SourceLost
from leadline.fakes.search import FakeTime, ScriptedSearcher, hit
from leadline.keep.searches import SearchCache
from leadline.ports import Cache, Find
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
from leadline.types import Batch, Query

DOWN = SourceLost("one: HTTP 500", retryable=True)
HITS = tuple(hit(f"https://site{n}.org/{n}", "long enough " * 40) for n in range(6))


def chain(searchers: Sequence[ScriptedSearcher], cache: Cache, time: FakeTime) -> Find:
    def one(searcher: ScriptedSearcher) -> tuple[str, Find]:
        find = timed(from_provider(searcher), searcher.name, clock=time.clock)
        find = rate_limited(find, RateLimit(2, 5, clock=time.clock, sleep=time.sleep))
        find = circuit_broken(retried(find), clock=time.clock)
        return searcher.name, cached(find, cache, searcher.name)

    chosen = filtered(
        fallback([one(searcher) for searcher in searchers]), Wanted(deny=("site0.org",))
    )
    return ensure_minimum_text(chosen)


def run(
    path: Path, searchers: Sequence[ScriptedSearcher], *queries: str
) -> list[Batch | BaseException]:
    time = FakeTime()

    async def whole() -> list[Batch | BaseException]:
        cache = SearchCache(path / "cache.sqlite3", now=time.clock)
        find = chain(searchers, cache, time)
        asked = (find(Query(text), 5) for text in queries)
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        await cache.close()
        return outcomes

    return asyncio.run(whole())


@pytest.mark.contract("S6", "S2", "S8")
def test_a_provider_that_is_down_is_retried_replaced_and_left_alone(tmp_path: Path) -> None:
    one = ScriptedSearcher(failures=[DOWN] * 99, name="one")
    two = ScriptedSearcher(HITS, name="two")
    queries = [f"query number {n}" for n in range(6)]
    batches = run(tmp_path, (one, two), *queries)
    for batch in batches:
        assert isinstance(batch, Batch)
        assert batch.provider == "two"
        assert len(batch.hits) == 5
        why = " | ".join(note.why for note in batch.notes)
        assert "one: " in why
        assert "two asked instead" in why
        assert "1 left out: domain denied" in why
    assert len(two.asked) == 6

    one.asked.clear()
    two.asked.clear()
    again = run(tmp_path, (one, two), *queries)
    assert all(isinstance(batch, Batch) and batch.cached for batch in again)
    assert two.asked == []


@pytest.mark.contract("S6")
def test_failures_at_the_start_are_healed_with_no_loss(tmp_path: Path) -> None:
    one = ScriptedSearcher(HITS, failures=[DOWN, DOWN], name="one")
    batches = run(tmp_path, (one,), "first question", "second question")
    assert all(isinstance(batch, Batch) and len(batch.hits) == 5 for batch in batches)
    notes = [note for batch in batches if isinstance(batch, Batch) for note in batch.notes]
    assert [note.stage for note in notes].count("retry") == 2


@pytest.mark.contract("S6", "S3")
def test_when_all_is_down_the_error_says_so_and_no_simpler_query_is_wasted(
    tmp_path: Path,
) -> None:
    one = ScriptedSearcher(failures=[DOWN] * 99, name="one")
    (outcome,) = run(tmp_path, (one,), "a comprehensive analysis of deep sea trenches depth")
    assert isinstance(outcome, SourceLost)
    assert str(outcome) == "one: HTTP 500; given up after 3 attempts"
    assert len(one.asked) == 3


@pytest.mark.contract("S7", "S2")
def test_the_same_question_from_many_at_once_is_asked_once(tmp_path: Path) -> None:
    one = ScriptedSearcher(HITS, name="one")
    batches = run(tmp_path, (one,), *["same question"] * 20)
    assert all(isinstance(batch, Batch) and len(batch.hits) == 5 for batch in batches)
    assert len(one.asked) == 1


@pytest.mark.contract("S2", "O1")
def test_a_search_that_many_waited_for_is_counted_once_also_where_it_failed(
    tmp_path: Path,
) -> None:
    for searcher in (
        ScriptedSearcher(HITS, name="one"),
        ScriptedSearcher(failures=[DOWN] * 99, name="one"),
    ):
        outcomes = run(tmp_path / str(len(searcher.asked)), (searcher,), *["same question"] * 20)
        told = [
            asked for one in outcomes if isinstance(one, Batch | SourceLost) for asked in one.asked
        ]
        assert len(outcomes) == 20
        assert len(told) == len(searcher.asked)
