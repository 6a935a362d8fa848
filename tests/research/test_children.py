"""Subtasks: what each may spend, one numbering of sources, what stands side by side."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.research.subtasks import (
    Share,
    join_sections,
    merge_states,
    number_sources,
    plan_subtask,
    share_budget,
)
from leadline.types import (
    Draft,
    Limits,
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


# ── shares ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P5", "R7")
@given(queries=st.integers(1, 50), sources=st.integers(1, 50), count=st.integers(2, 4))
def test_the_shares_never_make_more_than_the_whole(queries: int, sources: int, count: int) -> None:
    limits = Limits(max_queries=queries, max_sources=sources)
    plan = Plan((), subtasks=tuple(f"part {at}" for at in range(count)))
    shares = share_budget(plan, limits, Rules())
    if min(queries, sources) < count:
        assert not shares
        return
    assert sum(share.limits.max_queries for share in shares) == queries
    assert sum(share.limits.max_sources for share in shares) == sources
    assert all(share.limits.max_execution_time_s == 120.0 for share in shares)


@pytest.mark.contract("P5")
def test_nothing_is_shared_out_where_that_is_switched_off() -> None:
    assert len(share_budget(PLAN, Limits(), Rules())) == 2
    assert share_budget(PLAN, Limits(), Rules(subtasks="off")) == ()


@pytest.mark.contract("P5", "P6")
def test_a_query_of_the_plan_goes_to_the_subtask_it_is_about() -> None:
    plan = replace(PLAN, search_queries=(Query("Graufeld mine", "when"), Query("Lantern light")))
    shares = share_budget(plan, Limits(), Rules())
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
    one, two = number_sources([a_state("http://a/", "http://b/"), a_state("http://b", "http://c")])
    assert [source.id for source in one.sources] == [1, 2]
    assert [source.id for source in two.sources] == [2, 3]
    assert two.kept == (2, 3)
    whole = merge_states(a_state(), [one, two], 1.0)
    assert [source.id for source in whole.sources] == [1, 2, 3]
    assert whole.kept == (1, 2, 3)  # the best of each in turn


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
