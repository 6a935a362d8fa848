"""The guarantee, over the project's own docs: whatever ships is proven, word for word."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import pytest

from leadline.bundle.check import recheck
from leadline.check.claims import cut
from leadline.check.prover import Prover
from leadline.documents import DocIndex
from leadline.fakes.run import MemoryRun
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, research
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.types import AgentResponse, Limits, Passage, Rules, Tier, Verdict, content_id
from leadline.write.extractive import ExtractiveReasoner

DOCS = Path(__file__).resolve().parents[2] / "docs"
EMBEDDER = StaticEmbedder()
PAGES = {path.name: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))}
BY_HASH = {content_id(text): text for text in PAGES.values()}
QUESTIONS = (
    "How does the novelty gate decide what to keep?",
    "How do I add a search provider?",
    "List 5 stages of a run",
    "How is a run resumed after a crash?",
    "What does leadline cost per month in Antarctica?",
)


@cache
def answers() -> tuple[AgentResponse, ...]:
    index = DocIndex.in_memory([(name, "", text) for name, text in PAGES.items()], EMBEDDER)
    searcher = DocumentSearcher(index)
    kit = Kit(
        reasoner=ExtractiveReasoner(EMBEDDER),
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=EMBEDDER,
        rules=dict.fromkeys(Tier, Rules()),
        limits=dict.fromkeys(Tier, Limits()),
    )
    return tuple(asyncio.run(research(task, kit, MemoryRun())) for task in QUESTIONS)


@pytest.mark.contract("W2", "W3")
def test_every_shipped_claim_is_verified_with_exact_offsets() -> None:
    claims = [claim for one in answers() for claim in one.claims]
    assert len(claims) >= 20
    for claim in claims:
        assert claim.verdict is Verdict.QUOTED
        assert claim.score == 1.0
        assert claim.quote is not None
        page = BY_HASH[claim.quote.page]
        assert page[claim.quote.start : claim.quote.end] == claim.quote.text


@pytest.mark.contract("W2")
def test_no_unknown_id_and_no_uncited_claim_ships() -> None:
    for one in answers():
        known = {source.id for source in one.sources}
        for unit in cut(one.final_answer):
            for part in (part for stretch in unit.stretches for part in stretch):
                assert set(part.ids) <= known
                assert not part.asserted or part.ids or part.near, part


@pytest.mark.contract("W4", "W5")
def test_quotations_are_neither_dropped_nor_set_against_each_other() -> None:
    for one in answers():
        assert one.dropped == ()
        assert one.disputes == ()


@pytest.mark.contract("W7")
def test_every_claim_holds_when_checked_again_from_the_pages_alone() -> None:
    for one in answers():
        passages = [
            Passage(g.source, BY_HASH[g.page][g.start : g.end], g.page, g.start, g.end)
            for g in one.grounds
        ]
        titles = {source.id: source.title for source in one.sources}
        prover = Prover(passages, EMBEDDER, titles)
        for claim in one.claims:
            assert recheck(claim, prover, {}) == (Verdict.QUOTED, "")
