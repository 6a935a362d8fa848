"""A run whose words are a model's and some of whose claims a model decided: checked and rebuilt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from small_run import settings_for, with_claim

from leadline.bundle.check import Verification, verify_file
from leadline.bundle.contents import RunFile, written
from leadline.bundle.export import export
from leadline.bundle.replay import replay
from leadline.codec import dumped
from leadline.documents import DocIndex
from leadline.fakes.reasoner import ScriptedReasoner
from leadline.fakes.run import MemoryEngine
from leadline.kit import embedder
from leadline.kit.stores import open_snapshots
from leadline.ports import Run
from leadline.research.loop import Kit, research
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.settings import Settings, limits, rules
from leadline.types import Draft, Opinion, Page, Passage, Tier, Verdict
from leadline.values import replace

PAGE = (
    "Basalt is a volcanic rock. It forms when lava cools quickly. Granite cools slowly deep "
    "underground. The quarry of Selm sold 400 tonnes of basalt in 1921."
)
DOUBTFUL = "Volcanic lava turned to rock is what the Selm quarry mined for builders."
PARAPHRASE = "In 1921 the quarry of Selm sold 400 tonnes of basalt."
WRONG = "The quarry of Selm sold 900 tonnes of basalt in 1921."


class Approving:
    """An examined judge that says yes to everything and rewrites nothing."""

    name = "ollama:wise"
    examined = True

    async def judge(self, task: str, claims: Mapping[str, Sequence[str]]) -> tuple[Opinion, ...]:
        return tuple(Opinion(claim, Verdict.JUDGED, judge=self.name) for claim in claims)

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        return Opinion(claim, judge=self.name)

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        return Opinion("", judge=self.name)


def a_kit(settings: Settings) -> Kit:
    index = DocIndex.in_memory([("rocks.md", "Rocks", PAGE)], embedder())
    searcher = DocumentSearcher(index)
    said = " ".join(f"{sentence} [1]" for sentence in (PARAPHRASE, DOUBTFUL, WRONG))
    return Kit(
        reasoner=ScriptedReasoner(write=Draft(said)),
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=embedder(),
        judge=Approving(),
        rules={tier: rules(settings, tier) for tier in Tier},
        limits={tier: limits(settings, tier) for tier in Tier},
    )


async def judged(settings: Settings) -> RunFile:
    async def body(run: Run, request: dict[str, Any]) -> Any:
        response = await research(request["task"], a_kit(settings), run)
        return dumped(response)

    engine = MemoryEngine(body)
    await engine.start("What did the quarry of Selm sell?", settings.public(), "judged")
    await engine.result("judged")
    exported = await export(engine, "judged", settings)
    assert not exported.missing
    return exported.content


@pytest.fixture
def content(tmp_path: Path) -> RunFile:
    return asyncio.run(judged(settings_for(tmp_path)))


def checked(content: RunFile) -> Verification:
    return asyncio.run(verify_file(written(content), "x.leadline", embedder()))


@pytest.mark.contract("W7", "W3", "R8")
def test_computed_and_judged_claims_hold_and_the_report_is_rebuilt(content: RunFile) -> None:
    found = checked(content)
    assert found.passed, [check.why for check in found.checks] + list(found.contradictions)
    by_text = {check.claim.text: check.claim for check in found.checks}
    assert (by_text[PARAPHRASE].judge, by_text[DOUBTFUL].verdict) == ("", Verdict.JUDGED)
    assert by_text[DOUBTFUL].judge == "ollama:wise"
    assert WRONG not in by_text
    assert asyncio.run(replay(content)).equal


@pytest.mark.contract("W7", "W3")
def test_a_paraphrase_with_another_figure_or_proof_is_caught(content: RunFile) -> None:
    at = [claim.text for claim in content.response.claims].index(PARAPHRASE)
    claims = content.response.claims
    first = (claims[at], *claims[:at], *claims[at + 1 :])
    response = replace(content.response, claims=first)
    false = PARAPHRASE.replace("400", "900")
    answer = response.final_answer.replace(PARAPHRASE, false)
    forged = replace(content, response=replace(response, final_answer=answer, summary=answer))
    said = [check.why for check in checked(with_claim(forged, text=false)).checks]
    assert "its sources do not say it: not_found" in said
    quote = claims[at].quote
    assert quote is not None
    elsewhere = replace(quote, text=PAGE[:26], start=0, end=26)
    moved = with_claim(replace(content, response=response), quote=elsewhere)
    assert f"it was {claims[at].verdict.value}, and comes out otherwise now" in [
        c.why for c in checked(moved).checks
    ]


@pytest.mark.contract("W7", "W3")
def test_a_word_of_a_model_that_the_records_do_not_hold_does_not_count(content: RunFile) -> None:
    without = tuple(one for one in content.records if not is_opinion(one["value"]))
    assert len(without) < len(content.records)
    found = checked(replace(content, records=without))
    assert "no step of the run has the word of ollama:wise on it" in [c.why for c in found.checks]


@pytest.mark.contract("E3", "W7")
def test_a_kept_page_is_exported_with_where_it_was_found_at_last(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    page = Page("https://a.example/rocks", "Rocks", PAGE, fetched_at="2026-01-01T00:00:00Z")
    open_snapshots(settings).keep(page, "https://b.example/rocks", "text/html")
    (kept,) = asyncio.run(judged(settings)).pages
    assert (kept.page, kept.final_url, kept.content_type) == (
        page,
        "https://b.example/rocks",
        "text/html",
    )


def is_opinion(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and first.get("judge") == "ollama:wise"
