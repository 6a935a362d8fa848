"""What a follow-up takes over: what it points at, numbers, passages, and the report to update."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from leadline.fakes.fetch import FakeFetcher
from leadline.fakes.run import MemoryRun
from leadline.fakes.search import ScriptedSearcher
from leadline.reader.static import StaticEmbedder
from leadline.research.follow_up import (
    Stock,
    follow,
    in_view_of,
    numbered_sources,
    passages_for,
    update_report,
)
from leadline.research.loop import Kit
from leadline.search.policies import from_provider
from leadline.types import (
    AgentResponse,
    Checked,
    Claim,
    Earlier,
    Hit,
    Kept,
    Limits,
    Observation,
    Page,
    Passage,
    Recall,
    Rules,
    Source,
    Tier,
    Verdict,
)
from leadline.write.extractive import ExtractiveReasoner

EMBEDDER = StaticEmbedder()
SELM = (
    "The harbour of Selm is 12 fathoms deep at low tide. The lighthouse of Selm is kept by Ada "
    "Moor. The market of Selm is held on Tuesdays."
)
PAGE = Page("https://selm.example/book", "Harbour book of Selm", SELM)
SOURCE = Source(4, PAGE.url, PAGE.title)
PASSAGE = Passage(4, SELM, PAGE.hash, 0, len(SELM))
OLD = "The harbour of Selm is 12 fathoms deep at low tide. [4]"
MISSING = "Not found in the sources: who keeps the lighthouse of Selm"


def earlier(question: str, *missing: str, update: bool = False) -> Earlier:
    return Earlier(
        run_id="old",
        task="How deep is the harbour of Selm and who keeps its lighthouse?",
        answer=f"{OLD}\n\n{MISSING}",
        question=question,
        sources=(SOURCE,),
        passages=(PASSAGE,),
        missing=missing,
        update=update,
        grounds=(PASSAGE,),
    )


class Remembering:
    """A memory that knows nothing and keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Observation] = []

    async def recall(self, task: str, today: datetime) -> Recall:
        return Recall()

    async def remember(self, observation: Observation) -> Kept:
        self.told.append(observation)
        return Kept(stored=len(observation.findings))


def followed(
    known: Earlier,
    searcher: ScriptedSearcher,
    fetcher: FakeFetcher,
    memory: Remembering | None = None,
) -> tuple[AgentResponse, list[str]]:
    run = MemoryRun()
    kit = Kit(
        reasoner=ExtractiveReasoner(EMBEDDER),
        find=from_provider(searcher),
        fetcher=fetcher,
        embedder=EMBEDDER,
        rules=dict.fromkeys(Tier, Rules()),
        limits=dict.fromkeys(Tier, Limits()),
        memory=memory,
    )

    async def recall(question: str) -> Earlier:
        return known

    response = asyncio.run(follow(known.question, kit, run, recall))
    return response, [row.name for row in run.rows()]


@pytest.mark.contract("W9", "M1")
def test_what_a_follow_up_proves_is_remembered_like_any_finding() -> None:
    memory = Remembering()
    known = earlier("When is the market of Selm held?")
    _, steps = followed(known, ScriptedSearcher(), FakeFetcher(), memory)
    assert steps[-1] == "remember"
    (observation,) = memory.told
    assert "Tuesdays" in observation.findings[0].text


@pytest.mark.contract("W9", "S5")
def test_a_search_for_the_rest_numbers_on_and_never_takes_an_old_number() -> None:
    text = "The ferry of Selm sails to Borg at seven in the morning, and back at nine."
    page = Page("https://ferry.example/", "Ferry of Selm", text)
    searcher = ScriptedSearcher([Hit(page.url, page.title, text)])
    question = "When does the ferry of Selm sail to Borg?"
    response, steps = followed(earlier(question, question), searcher, FakeFetcher([page]))
    assert searcher.asked
    assert question not in searcher.asked  # P2
    assert "seven in the morning, and back at nine. [5]" in response.final_answer
    assert "search" in steps


@pytest.mark.contract("W9", "W3")
def test_an_update_closes_what_was_open_and_keeps_what_was_proven() -> None:
    said = "The lighthouse of Selm is kept by Ada Moor."
    new = Checked(f"{said} [4]", (Claim(said, (4,), Verdict.QUOTED, 1.0),))
    known = earlier("Who keeps the lighthouse of Selm?", update=True)
    found = asyncio.run(update_report(new, known.question, known, (PASSAGE,), (SOURCE,), EMBEDDER))
    assert found.answer == f"{OLD}\n\n## Who keeps the lighthouse of Selm?\n\n{said} [4]"
    assert [claim.verdict for claim in found.claims] == [Verdict.QUOTED] * 2


@pytest.mark.contract("W9", "W5")
def test_an_update_with_nothing_found_says_so_and_changes_nothing_else() -> None:
    known = earlier("Who built the mole of Selm?", update=True)
    nothing = Checked("_Not found_", found=False)
    found = asyncio.run(
        update_report(nothing, known.question, known, (PASSAGE,), (SOURCE,), EMBEDDER)
    )
    assert found.answer.startswith(f"{OLD}\n\n{MISSING}")
    assert found.answer.endswith("Not found in the sources: Who built the mole of Selm")


@pytest.mark.contract("W9")
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When is it paid?", True),
        ("And in Germany?", True),
        ("Does it apply to gift cards?", True),
        ("Who approves a refund of gift cards?", False),
        ("Who wrote Hamlet and when did he die?", False),
        ("What is QUIC?", False),
        ("What is the limit?", True),
    ],
)
def test_only_a_question_that_points_back_gets_what_it_points_at(question: str, told: bool) -> None:
    seen = in_view_of(question, "Who approves a refund above 500 euros?")
    assert seen == (f"{question} (approves refund 500 euros)" if told else question)


@pytest.mark.contract("W9", "E1")
def test_a_snippet_of_an_unread_page_is_no_passage() -> None:
    unread = Hit("https://other.example/", "Other", "The market of Selm is held on Fridays.")
    sources = numbered_sources([], [(PAGE.url, PAGE.title, "web"), (unread.url, "Other", "web")])
    stock = Stock(sources, (Hit(PAGE.url, PAGE.title, SELM[:60]), unread), (PAGE,))
    started = datetime(2026, 1, 1, tzinfo=UTC)
    found = passages_for("market of Selm", stock, Rules(), Limits(), started, EMBEDDER)
    assert {passage.page for passage in found} == {PAGE.hash}
