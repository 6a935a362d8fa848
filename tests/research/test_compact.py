"""Compaction: when it is due, what stays whole, and how a handle leads back to the text."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from leadline.fakes.run import MemoryRun
from leadline.ports import Row
from leadline.research.compact import (
    GIST_CHARS,
    compacted,
    handle_of,
    in_short,
    resolve,
    size_of,
)
from leadline.types import Batch, Hit, Limits, Page, Plan, Query, Rules, State, Usage
from leadline.values import replace

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LONG = "The harbour freezes in winter. " * 30
RULES = Rules(compact_tokens=1000, compact_keep=3)


def a_state(count: int, text: str = LONG, **said: object) -> State:
    hits = tuple(Hit(f"u{at}", f"t{at}", f"{at} {text}") for at in range(count))
    state = State("When does the harbour freeze?", Plan(()), Limits(), NOW, search_results=hits)
    return replace(state, **said)


def after(state: State, rules: Rules = RULES) -> tuple[State, list[Row]]:
    run = MemoryRun()
    return asyncio.run(compacted(state, rules, run)), run.rows()


@pytest.mark.contract("K1")
def test_results_past_the_limit_are_compacted_and_the_newest_stay_whole() -> None:
    state = a_state(10)
    done, rows = after(state)
    assert done.search_results == state.search_results
    shown = in_short(done).search_results
    assert shown[-3:] == state.search_results[-3:]
    assert all(len(hit.text) <= GIST_CHARS for hit in shown[:-3])
    assert [row.name for row in rows] == ["compact"]
    assert rows[0].value["before"] == size_of(state) > rows[0].value["after"]
    assert rows[0].value["after"] == size_of(in_short(done))
    assert len(rows[0].value["gists"]) == 7


@pytest.mark.contract("K1")
def test_tokens_that_run_low_make_it_due_whatever_the_size() -> None:
    state = a_state(5, limits=Limits(token_budget=1000))
    large = replace(RULES, compact_tokens=10**6)
    assert after(replace(state, usage=Usage(prompt_tokens=750)), large)[1] == []
    low = Usage(prompt_tokens=700, completion_tokens=51)
    assert len(after(replace(state, usage=low), large)[1]) == 1


@pytest.mark.contract("K1")
def test_what_is_in_short_already_is_not_done_again() -> None:
    tight = replace(RULES, compact_tokens=1)
    done, _ = after(a_state(10), tight)
    again, rows = after(done, tight)
    assert again == done
    assert rows == []


@pytest.mark.contract("K2", "W2")
def test_a_handle_leads_to_the_whole_text_in_the_journal() -> None:
    run = MemoryRun()
    hits = a_state(10).search_results

    async def search() -> Batch:
        return Batch(Query("q"), hits)

    async def read() -> Page:
        return Page("u1", "t", LONG)

    async def scene() -> State:
        await run.step("search", search)
        await run.child("1").step("read", read)
        return await compacted(a_state(10), RULES, run)

    state = asyncio.run(scene())
    assert len(state.compacted) == 7
    for short, hit in zip(state.compacted, hits, strict=False):
        assert short.handle == handle_of(hit)
        assert resolve(short.handle, run.rows()) == hit.text
    assert resolve(f"page:{Page('', '', LONG).hash}", run.rows()) == LONG
    assert resolve("hit:none", run.rows()) is None
