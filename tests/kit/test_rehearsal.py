"""The end of a run is gone through beforehand, and nothing of that is ever seen."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from leadline.errors import SourceLost
from leadline.fakes.run import MemoryRun
from leadline.kit.rehearsal import Rehearsal
from leadline.ports import Embedder, Find
from leadline.question.planning import make_plan
from leadline.reader.static import StaticEmbedder
from leadline.research.choose_sources import keep
from leadline.research.loop import Kit, research
from leadline.research.novelty_gate import take_in
from leadline.research.run_state import begin
from leadline.types import (
    AgentResponse,
    Batch,
    Draft,
    Hit,
    Limits,
    Page,
    Passage,
    Query,
    Rules,
    State,
    Tier,
)
from leadline.write.extractive import ExtractiveReasoner

TASK = "How does the harbour of Lantern Bay keep its lighthouse lit in winter?"
TEXTS = (
    "The lighthouse of Lantern Bay burns oil in winter. The harbour master keeps twelve barrels.",
    "In winter the harbour of Lantern Bay freezes. A second lamp keeps the lighthouse lit then.",
    "The lighthouse keeper of Lantern Bay trims the wick each night, so that it is lit till dawn.",
    "Oil for the harbour is bought in autumn. The lighthouse of Lantern Bay takes nine barrels.",
)


class Web:
    """A small web; each search finds all of it. Its last page comes when `signal` is given."""

    def __init__(self, signal: threading.Event | None) -> None:
        self.signal = signal

    async def find(self, query: Query, k: int) -> Batch:
        hits = [
            Hit(f"https://{n}.example/", f"Page {n}", text, kind="web")
            for n, text in enumerate(TEXTS)
        ]
        return Batch(query, tuple(hits[:k]), "web")

    async def fetch(self, hit: Hit) -> Page:
        if self.signal is not None and hit.text == TEXTS[-1]:
            await asyncio.to_thread(self.signal.wait, 10)
        return Page(hit.url, hit.title, f"# {hit.title}\n\n{hit.text}", "web")


def a_kit(embedder: Embedder, signal: threading.Event | None) -> Kit:
    web, plain = Web(signal), ExtractiveReasoner(embedder)
    return Kit(
        reasoner=plain,
        plain=plain,
        find=web.find,
        fetcher=web,
        embedder=embedder,
        rules=dict.fromkeys(Tier, Rules(url_enrich_count=len(TEXTS))),
        limits=dict.fromkeys(Tier, Limits()),
    )


class Watched(StaticEmbedder):
    """Tells in which threads it was asked, and fails there where it is to."""

    def __init__(self, failing: bool = False) -> None:
        super().__init__()
        self.elsewhere, self.failing = threading.Event(), failing

    def embed(self, texts: Sequence[str]) -> Any:
        if threading.current_thread() is not threading.main_thread():
            self.elsewhere.set()
            if self.failing:
                raise SourceLost("not in this thread")
        return super().embed(texts)


def answered(embedder: Watched, rehearsals: int) -> AgentResponse:
    """The answer where so many runs would rehearse at the same time."""

    async def scene() -> AgentResponse:
        async with AsyncExitStack() as stack:
            kit = a_kit(embedder, embedder.elsewhere if rehearsals == 1 else None)
            made = [Rehearsal(kit, stack) for _ in range(rehearsals)]
            kit = replace(kit, rehearse=made[0] if made else None)
            return await research(TASK, kit, MemoryRun())

    return asyncio.run(scene())


@pytest.mark.contract("R2")
def test_a_report_is_the_same_whether_its_end_was_rehearsed_or_not() -> None:
    plain, rehearsed = answered(Watched(), 0), answered(embedder := Watched(), 1)
    assert embedder.elsewhere.is_set()
    assert plain.found
    assert rehearsed.final_answer == plain.final_answer
    assert rehearsed.claims == plain.claims


def test_a_rehearsal_that_fails_costs_the_run_nothing() -> None:
    embedder = Watched(failing=True)
    assert answered(embedder, 1).final_answer == answered(Watched(), 0).final_answer
    assert embedder.elsewhere.is_set()


def test_runs_that_share_a_process_do_not_rehearse() -> None:
    embedder = Watched()
    assert answered(embedder, 2).found
    assert not embedder.elsewhere.is_set()


class Scanned:
    """A fetcher like the guarded one: tells of a page; the scan of the last two takes until the
    `signal` is given."""

    def __init__(self, web: Web, tell: Callable[[Page], None], signal: threading.Event) -> None:
        self.web, self.tell, self.signal = web, tell, signal

    async def fetch(self, hit: Hit) -> Page:
        page = await self.web.fetch(hit)
        self.tell(page)
        if hit.text in TEXTS[2:]:
            await asyncio.to_thread(self.signal.wait, 10)
        return page


class Counted(ExtractiveReasoner):
    """Tells in which threads a draft was worked out, and when one was of all pages and of the state
    that the search ended with: another one is of no use at the end."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self.drafts: list[tuple[str, int]] = []
        self.whole = threading.Event()

    async def _quoted(self, state: State, passages: Sequence[Passage]) -> Draft:
        pages = len({passage.source for passage in passages})
        here = threading.current_thread() is threading.main_thread()
        self.drafts.append(("run" if here else "thread", pages))
        draft = await super()._quoted(state, passages)
        if pages == len(TEXTS) and state.stop_reason is not None:
            self.whole.set()
        return draft


def told(find: Find, rehearsal: Rehearsal) -> Find:
    """`find` like the guarded one: tells of results before they are seen."""

    async def search(query: Query, k: int) -> Batch:
        batch = await find(query, k)
        await rehearsal.found(batch)
        return batch

    return search


@pytest.mark.contract("R2")
def test_what_was_drafted_while_the_last_page_was_scanned_is_not_drafted_again() -> None:
    async def scene(rehearsed: bool) -> tuple[AgentResponse, Counted]:
        async with AsyncExitStack() as stack:
            plain = Counted(StaticEmbedder())
            kit = replace(a_kit(StaticEmbedder(), None), reasoner=plain, plain=plain)
            kit = replace(kit, rules=dict.fromkeys(Tier, Rules(url_enrich_count=len(TEXTS))))
            if rehearsed:
                rehearsal = Rehearsal(kit, stack)
                web = Scanned(Web(None), rehearsal.fetched, plain.whole)
                kit = replace(kit, find=told(kit.find, rehearsal), fetcher=web, rehearse=rehearsal)
            return await research(TASK, kit, MemoryRun()), plain

    plainly, _ = asyncio.run(scene(rehearsed=False))
    response, reasoner = asyncio.run(scene(rehearsed=True))
    assert response.final_answer == plainly.final_answer
    assert response.claims == plainly.claims
    assert ("thread", len(TEXTS)) in reasoner.drafts
    assert ("run", len(TEXTS)) not in reasoner.drafts


def counting(stack: AsyncExitStack) -> tuple[Rehearsal, Counted]:
    """A rehearsal, and its writer, who counts drafts."""
    plain = Counted(StaticEmbedder())
    return Rehearsal(
        replace(a_kit(StaticEmbedder(), None), reasoner=plain, plain=plain), stack
    ), plain


async def searched() -> tuple[State, Batch, tuple[Page, ...]]:
    """A run after its first search, what was found and every page of it."""
    web = Web(None)
    batch = await web.find(Query("lighthouse"), 4)
    state = begin(TASK, make_plan(TASK, ()), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    pages = tuple([await web.fetch(hit) for hit in batch.hits])
    return keep(take_in(state, batch)), batch, pages


def test_the_end_gives_way_to_results_and_is_gone_through_when_the_next_searches_are_out() -> None:
    async def scene() -> tuple[int, int]:
        async with AsyncExitStack() as stack:
            rehearsal, plain = counting(stack)
            state, batch, pages = await searched()
            rehearsal.begin(state, Rules(), pages)
            await rehearsal.found(batch)  # they come before it has begun
            await asyncio.to_thread(rehearsal._play)
            before = len(plain.drafts)
            rehearsal.begin(state, Rules(), pages)
            await asyncio.to_thread(rehearsal._play)
            return before, len(plain.drafts)

    assert asyncio.run(scene()) == (0, 1)


def test_a_page_wakes_no_rehearsal_where_another_run_has_begun_meanwhile() -> None:
    async def scene() -> int:
        async with AsyncExitStack() as stack:
            rehearsal, plain = counting(stack)
            state, _, pages = await searched()
            rehearsal.begin(state, Rules(), pages[:2])
            await asyncio.to_thread(rehearsal._play)
            counting(stack)  # of another run
            rehearsal.fetched(pages[3])
            await asyncio.to_thread(rehearsal._play)
            return len(plain.drafts)

    assert asyncio.run(scene()) == 1


def test_what_was_to_be_rehearsed_is_let_go_when_the_run_is_over() -> None:
    told: list[dict[str, Any]] = []

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, what: told.append(what))
        async with AsyncExitStack() as stack:
            rehearsal, _ = counting(stack)
            state, _, pages = await searched()
            rehearsal.begin(state, Rules(), pages)
            due = rehearsal._due
        assert due
        assert due.cancelled()
        await loop.shutdown_default_executor()

    asyncio.run(scene())
    assert not told


def test_what_the_end_needs_is_opened_while_it_is_rehearsed() -> None:
    opened = threading.Event()

    async def scene() -> None:
        async with AsyncExitStack() as stack:
            kit = a_kit(StaticEmbedder(), opened)  # the last page waits for it
            await research(
                TASK, replace(kit, rehearse=Rehearsal(kit, stack, opened.set)), MemoryRun()
            )

    asyncio.run(scene())
    assert opened.is_set()
