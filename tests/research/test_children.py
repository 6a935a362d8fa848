"""Subtasks: what each may spend, one numbering of sources, what stands side by side."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.research.state import Gathered
from leadline.research.subtasks import (
    Share,
    SharedPages,
    join_sections,
    merge_states,
    number_sources,
    plan_subtask,
    share_budget,
    shared_search,
)
from leadline.types import (
    Asked,
    Batch,
    Draft,
    Hit,
    Limits,
    Page,
    Passage,
    Plan,
    Query,
    Rules,
    Source,
    State,
    Stop,
    Usage,
)
from leadline.values import replace

PLAN = Plan((Query("copper mine"),), subtasks=("Graufeld", "Lantern Bay"))


def a_state(*urls: str, **said: object) -> State:
    sources = tuple(Source(at, url, url) for at, url in enumerate(urls, 1))
    state = State("t", Plan(()), Limits(), datetime(2026, 1, 1, tzinfo=UTC), sources=sources)
    kept = tuple(source.id for source in sources)
    return replace(state, kept=kept, stop_reason=Stop.SUFFICIENT, **said)


def finding(url: str, text: str, *more: str) -> Gathered:
    page = Page(url, url, text)
    return Gathered(a_state(url, *more), (Passage(1, text, page.hash, 0, len(text)),))


# ── shares ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P5", "R7")
@given(
    queries=st.integers(1, 50),
    sources=st.integers(1, 50),
    tokens=st.integers(0, 100_000),
    money=st.floats(0, 10),
    spent=st.integers(0, 5000),
    count=st.integers(2, 4),
)
def test_the_shares_never_make_more_than_the_whole(
    queries: int, sources: int, tokens: int, money: float, spent: int, count: int
) -> None:
    limits = Limits(max_queries=queries, max_sources=sources, token_budget=tokens, max_cost=money)
    plan = Plan((), subtasks=tuple(f"part {at}" for at in range(count)))
    shares = share_budget(plan, limits, Rules(), Usage(prompt_tokens=spent))
    if min(queries, sources) < count:
        assert not shares
        return
    assert sum(share.limits.max_queries for share in shares) == queries
    assert sum(share.limits.max_sources for share in shares) == sources
    assert all(share.limits.max_execution_time_s == 120.0 for share in shares)
    assert all(bool(share.limits.token_budget) == bool(tokens) for share in shares)
    assert all(bool(share.limits.max_cost) == bool(money) for share in shares)
    assert sum(share.limits.token_budget for share in shares) <= max(tokens - spent, count)
    assert sum(share.limits.max_cost for share in shares) <= money * (1 + 1e-9)


@pytest.mark.contract("P5")
def test_nothing_is_shared_out_where_that_is_switched_off() -> None:
    assert len(share_budget(PLAN, Limits(), Rules(), Usage())) == 2
    assert share_budget(PLAN, Limits(), Rules(subtasks="off"), Usage()) == ()


@pytest.mark.contract("P5", "P6")
def test_a_query_of_the_plan_goes_to_the_subtask_it_is_about() -> None:
    plan = replace(PLAN, search_queries=(Query("Graufeld mine", "when"), Query("Lantern light")))
    shares = share_budget(plan, Limits(), Rules(), Usage())
    first, second = (
        asyncio.run(plan_subtask(share, "Both?", plan)).search_queries for share in shares
    )
    assert first[0] == Query("Graufeld mine", "when")
    assert second[0] == Query("Lantern light")
    assert Query("Lantern light") not in first
    assert all(isinstance(share, Share) for share in shares)


# ── one list of sources ─────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P5", "S5")
def test_what_two_subtasks_found_is_one_source_of_the_report() -> None:
    one, two = number_sources([finding("http://a/", "x.", "http://b/"), finding("http://b", "y.")])
    assert [source.id for source in one.state.sources] == [1, 2]
    assert [source.id for source in two.state.sources] == [2]
    assert two.passages[0].source == 2
    assert two.state.kept == (2,)
    whole = merge_states(a_state(), [one.state, two.state], 1.0)
    assert [source.id for source in whole.sources] == [1, 2]


@pytest.mark.contract("P5", "R4")
def test_the_whole_ends_by_the_gravest_reason_and_adds_up_what_was_spent() -> None:
    spent = Usage(searches=2, pages=1, calls=3, prompt_tokens=10, completion_tokens=5, cost=0.5)
    parts = [
        a_state(usage=spent),
        replace(a_state(usage=spent, degraded=True), stop_reason=Stop.MAX_TIME),
    ]
    whole = merge_states(a_state(usage=Usage(calls=1)), parts, 2.0)
    assert whole.stop_reason is Stop.MAX_TIME
    assert whole.degraded
    assert whole.usage == Usage(4, 2, 7, 20, 10, 1.0)


@pytest.mark.contract("P5")
def test_headings_of_a_section_go_one_level_down_and_code_stays() -> None:
    answer = "## One\n\n```\n# not a heading\n```"
    whole = join_sections(("first",), [Draft(answer)])
    assert whole.answer == "## First\n\n### One\n\n```\n# not a heading\n```"


# ── one cache ───────────────────────────────────────────────────────────────────────────────


class Counting:
    """Counts what reaches it; each takes a turn of the loop."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def find(self, query: Query, k: int) -> Batch:
        self.asked.append(query.text)
        await asyncio.sleep(0)
        failed = "down" in query.text and len(self.asked) == 1
        hits = () if failed else (Hit("u", "t", "x"),)
        asked = (Asked("counting", 0.1, "no" if failed else ""),)
        return Batch(query, hits, error="no" if failed else "", asked=asked)

    async def fetch(self, hit: Hit) -> Page:
        self.asked.append(hit.url)
        await asyncio.sleep(0)
        return Page(hit.url, "t", "text")


@pytest.mark.contract("P5", "S2", "E1")
def test_children_that_ask_the_same_at_the_same_time_ask_once() -> None:
    world = Counting()
    find, pages = shared_search(world.find), SharedPages(world)

    async def both() -> list[Batch]:
        asked = [find(Query("A  b", "one"), 5), find(Query("a b", "two"), 5)]
        return list(await asyncio.gather(*asked))

    first, second = asyncio.run(both())
    assert world.asked == ["A  b"]
    assert (first.query.intent, second.query.intent) == ("one", "two")
    assert second.cached
    assert len(first.asked) == 1
    assert second.asked == ()  # the request is told once, by who made it

    async def twice() -> None:
        await asyncio.gather(*(pages.fetch(Hit(url, "", "")) for url in ("http://x", "http://x/")))

    asyncio.run(twice())
    assert world.asked[1:] == ["http://x"]


@pytest.mark.contract("P5", "R9")
def test_what_is_on_record_is_not_asked_again_and_a_failure_is() -> None:
    world = Counting()
    known = Batch(Query("known"), (Hit("u", "t", "x"),))
    find = shared_search(world.find, [known, Batch(Query("down"), error="lost")])
    assert asyncio.run(find(Query("known"), 5)).hits == known.hits
    assert asyncio.run(find(Query("down"), 5)).error == "no"
    assert asyncio.run(find(Query("down"), 5)).hits
    assert world.asked == ["down", "down"]
