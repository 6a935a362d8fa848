"""Compound tasks from the question to the report: sections, limits, crashes, replay, compaction."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as pace
from hypothesis import strategies as st

from leadline.bundle.check import verify_file
from leadline.bundle.contents import opened, written
from leadline.bundle.replay import replay
from leadline.documents import DocIndex
from leadline.errors import RunStopped
from leadline.fakes.run import MemoryLedger, MemoryRun
from leadline.observe.record import run_record
from leadline.observe.trace import trace
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, research
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.session import open_session
from leadline.settings import Settings
from leadline.types import AgentResponse, Batch, Hit, Limits, Page, Plan, Query, Rules, Tier
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner

DOCS = {
    "lantern.md": "# Lantern Bay\n\nLantern Bay is a harbour town of 900 people. Its lighthouse "
    "was designed by Ottilie Brandt. The harbour of Lantern Bay freezes in February.",
    "graufeld.md": "# Graufeld\n\nGraufeld is a mining town of 4,000 people on the river Selm. The "
    "copper mine of Graufeld closed in 1954 after a flood.",
    "brandt.md": "# Ottilie Brandt\n\nOttilie Brandt was an engineer born in Graufeld in 1871. She "
    "built the lighthouse of Lantern Bay and a canal lock.",
    "ropes.md": "# Ropes\n\nA ship's rope is measured in fathoms. Hemp ropes rot when stored wet.",
}
EMBEDDER = StaticEmbedder()
COMPARE = "Compare Lantern Bay with Graufeld."
TWO = "Who designed the Lantern Bay lighthouse? When did the Graufeld copper mine close?"
INDEX = DocIndex.in_memory([(name, "", text) for name, text in DOCS.items()], EMBEDDER)


class World:
    """The documents, with a count of what was asked of them; it breaks after so many calls."""

    def __init__(self, breaks_at: int = 0) -> None:
        self._searcher = DocumentSearcher(INDEX)
        self.asked: Counter[str] = Counter()
        self.breaks_at = breaks_at

    def _count(self, what: str) -> None:
        if self.breaks_at and self.asked.total() + 1 == self.breaks_at:
            raise ZeroDivisionError(what)
        self.asked[what] += 1

    async def find(self, query: Query, k: int) -> Batch:
        self._count(f"search {query.text.casefold()}")
        return await from_provider(self._searcher)(query, k)

    async def fetch(self, hit: Hit) -> Page:
        self._count(f"fetch {hit.url}")
        return await self._searcher.fetch(hit)


def a_kit(world: World, limits: Limits | None = None, **rules: Any) -> Kit:
    return Kit(
        reasoner=ExtractiveReasoner(EMBEDDER),
        find=world.find,
        fetcher=world,
        embedder=EMBEDDER,
        rules=dict.fromkeys(Tier, replace(Rules(), **rules)),
        limits=dict.fromkeys(Tier, limits or Limits()),
    )


def ask(task: str, kit: Kit | None = None, run: MemoryRun | None = None) -> AgentResponse:
    return asyncio.run(research(task, kit or a_kit(World()), run or MemoryRun()))


def headings(response: AgentResponse) -> list[str]:
    return [line for line in response.final_answer.splitlines() if line.startswith("## ")]


# ── the report ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P5", "W2", "W6")
def test_a_comparison_has_a_section_a_side() -> None:
    response = ask(COMPARE)
    assert headings(response) == ["## Lantern Bay", "## Graufeld"]
    assert "harbour town" in response.final_answer
    assert "mining town" in response.final_answer
    assert response.found
    locations = [source.location for source in response.sources]
    assert len(set(locations)) == len(locations)
    assert {n for claim in response.claims for n in claim.sources} == {
        source.id for source in response.sources
    }
    pages = {f"{source.id}": DOCS[source.location] for source in response.sources}
    for claim in response.claims:
        assert claim.quote
        text = pages[str(claim.quote.source)]
        assert text[claim.quote.start : claim.quote.end] == claim.quote.text


@pytest.mark.contract("P5")
def test_two_questions_are_answered_each_in_its_section() -> None:
    response = ask(TWO)
    first, second = response.final_answer.split("## When did")
    assert "designed by Ottilie Brandt" in first
    assert "closed in 1954" in second


@pytest.mark.contract("P5", "S2", "E1")
def test_nothing_is_searched_or_fetched_twice_by_the_children() -> None:
    world = World()
    run = MemoryRun()
    ask(COMPARE, a_kit(world), run)
    assert max(world.asked.values()) == 1
    searches = sum(row.name == "search" for row in run.rows())
    assert searches >= sum(count for what, count in world.asked.items() if "search" in what)


# ── limits ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P5", "R7")
@given(queries=st.integers(1, 8), sources=st.integers(1, 6), pages=st.integers(0, 5))
@pace(max_examples=15)
def test_all_children_together_keep_to_the_limits_of_the_run(
    queries: int, sources: int, pages: int
) -> None:
    limits = Limits(max_queries=queries, max_sources=sources)
    response = ask(COMPARE, a_kit(World(), limits, url_enrich_count=pages))
    assert response.usage.searches <= queries
    assert response.usage.pages <= max(pages, 2 if pages else 0)
    assert len(response.sources) <= sources


# ── crashes and replay ──────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P5", "R9")
def test_a_compound_run_that_breaks_anywhere_repeats_nothing_and_ends_the_same() -> None:
    whole = World()
    report = ask(COMPARE, a_kit(whole)).final_answer
    calls = whole.asked.total()
    for point in range(1, calls + 1):
        ledger, world = MemoryLedger(), World(breaks_at=point)
        with pytest.raises(ZeroDivisionError):
            ask(COMPARE, a_kit(world), MemoryRun(ledger=ledger))
        recorded = {row.name: row for row in ledger.rows()}
        assert "plan" in recorded
        world.breaks_at = 0
        done = ask(COMPARE, a_kit(world), MemoryRun(ledger=MemoryLedger(ledger.records)))
        assert done.final_answer == report
        assert max(world.asked.values()) == 1, point


def session_settings(folder: Path, **said: Any) -> Settings:
    docs = folder / "docs"
    docs.mkdir()
    for name, text in DOCS.items():
        (docs / name).write_text(text)
    return Settings(docs=(docs,), data_dir=folder / "data", no_model=True, **said)


@pytest.mark.contract("P5", "W7", "R10", "O1")
def test_a_compound_run_is_exported_checked_and_replayed_byte_for_byte(tmp_path: Path) -> None:
    settings = session_settings(tmp_path)

    async def scene() -> tuple[bytes, list[Any], AgentResponse, Any]:
        async with open_session(settings) as session:
            session.prepare()
            run_id = await session.start(COMPARE)
            response = await session.response(run_id)
            exported = await session.export(run_id)
            rows = await session.engine.rows(run_id)
            return written(exported.content), rows, response, await session.engine.info(run_id)

    data, rows, response, info = asyncio.run(scene())
    content = opened(data, "x").content
    assert content
    assert {record.get("child", "") for record in content.records} == {"", "1", "2"}
    assert info.steps == len(content.records) == len(rows)
    assert asyncio.run(replay(content)).equal
    checked = asyncio.run(verify_file(data, "x", EMBEDDER))
    assert checked.passed, (checked.contradictions, [c for c in checked.checks if not c.holds])
    told = run_record(response, rows, {})
    assert {search["child"] for search in told["searches"]} == {"1", "2"}
    assert all(search["verdict"] != "unjudged" for search in told["searches"])
    assert '"part 2"' in trace(COMPARE, rows)


# ── review ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("P6", "R9")
def test_a_plan_left_at_review_can_be_resumed_and_is_then_followed(tmp_path: Path) -> None:
    settings = session_settings(tmp_path, review_plan=True)
    answers: list[Plan | None] = [None]

    async def review(task: str, plan: Plan) -> Plan | None:
        answers.append(plan)
        return answers[0]

    async def begin() -> str:
        async with open_session(settings, review) as session:
            session.prepare()
            run_id = await session.start(COMPARE)
            with pytest.raises(RunStopped, match="not taken"):
                await session.response(run_id)
            names = [row.name for row in await session.engine.rows(run_id)]
            assert sorted(names[-2:]) == ["plan", "recall"], "at the same time"
            assert "search" not in names
            return run_id

    async def go_on(run_id: str) -> AgentResponse:
        async with open_session(settings, review) as session:
            await session.engine.resume(run_id)
            response = await session.response(run_id)
            exported = await session.export(run_id)
            content = opened(written(exported.content), "x").content
            assert content
            assert (await replay(content)).equal
            return response

    run_id = asyncio.run(begin())
    shown = answers[1]
    assert shown
    assert shown.subtasks == ("Lantern Bay", "Graufeld")
    answers[0] = replace(shown, subtasks=(), search_queries=(Query("graufeld mine flood"),))
    response = asyncio.run(go_on(run_id))
    assert response.plan
    assert response.plan.subtasks == ()
    assert response.verdicts[0].query == "graufeld mine flood"


# ── compaction ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("K1", "K2", "W2")
def test_citations_of_a_compacted_run_still_stand_in_the_pages() -> None:
    filler = " ".join(f"Gull number {n} sat on a pole and looked at the water." for n in range(20))
    index = DocIndex.in_memory(
        [(name, "", f"{text} {filler}") for name, text in DOCS.items()], EMBEDDER
    )
    searcher = DocumentSearcher(index)
    kit = replace(a_kit(World()), find=from_provider(searcher), fetcher=searcher)
    tight = replace(Rules(), compact_tokens=1, compact_keep=0)
    run = MemoryRun()
    response = ask(TWO, replace(kit, rules=dict.fromkeys(Tier, tight)), run)
    done = [row.value for row in run.rows() if row.name == "compact"]
    assert any(row["gists"] and row["after"] < row["before"] for row in done)
    assert "designed by Ottilie Brandt" in response.final_answer
    pages = {source.id: source.location for source in response.sources}
    for claim in response.claims:
        assert claim.quote
        page = asyncio.run(searcher.fetch(Hit(pages[claim.quote.source], "", "")))
        assert page.text[claim.quote.start : claim.quote.end] == claim.quote.text
