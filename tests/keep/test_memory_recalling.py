"""What a run is told of a finding stands in the passage that it may cite for it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leadline.keep.leads import RunMemory, Terms
from leadline.keep.memory import MemoryStore
from leadline.rank.domains import Wanted
from leadline.reader.static import StaticEmbedder
from leadline.types import Finding, Observation, Page, Recall

TODAY = datetime(2026, 11, 16, tzinfo=UTC)
TASK = "Who approves a refund above 500 euros?"
QUOTE = "The head of finance approves every refund above 500 euros."
PAGE = Page("https://a.example", "Refunds", f"# Refunds\n\n{QUOTE}\n\nSoup is served daily.")


def recalled(folder: Path, *texts: str) -> Recall:
    """What is recalled of findings that were told in these words and quoted from one page."""
    start = PAGE.text.index(QUOTE)
    findings = tuple(
        Finding(
            text,
            QUOTE,
            PAGE.url,
            PAGE.title,
            page=PAGE.hash,
            start=start,
            end=start + len(QUOTE),
            found="2026-11-15T00:00:00+00:00",
        )
        for text in texts
    )

    async def page_of(finding: Finding) -> Page | None:
        return PAGE

    store = MemoryStore(folder / "memory.db", StaticEmbedder(), lambda text: "")
    store.add(Observation(TASK, findings, run_id="r", created="2026-11-15T00:00:00+00:00"))
    memory = RunMemory(lambda: store, page_of, Terms(frozenset({"web"}), Wanted()))
    try:
        return asyncio.run(memory.recall(TASK, TODAY))
    finally:
        memory.close()


@pytest.mark.contract("M5")
@pytest.mark.parametrize(
    "claim",
    [
        QUOTE,
        "The head of finance approves a refund above 500 euros.",
        "The head of finance approves every refund, and pilots bring ships into Port Nine.",
    ],
)
def test_a_fact_is_what_its_own_passage_says(tmp_path: Path, claim: str) -> None:
    recall = recalled(tmp_path, claim)
    assert recall.facts == (QUOTE,)
    assert [hit.url for hit in recall.hits] == [PAGE.url]
