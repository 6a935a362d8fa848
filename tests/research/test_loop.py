"""The whole loop over small documents: order of steps, limits, stop reasons, sameness."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import settings as pace
from hypothesis import strategies as st

from leadline.documents import DocIndex
from leadline.errors import SourceLost
from leadline.fakes.run import MemoryRun
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, research
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.types import (
    AgentResponse,
    Hit,
    Kept,
    Limits,
    Observation,
    Page,
    Plan,
    PolicyName,
    Query,
    Recall,
    Rules,
    Stop,
    Tier,
    Verdict,
)
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner

DOCS = {
    "lantern.md": "# Lantern Bay\n\nLantern Bay is a harbour town. Its lighthouse was designed by "
    "Ottilie Brandt. The harbour freezes in February.",
    "brandt.md": "# Ottilie Brandt\n\nOttilie Brandt was an engineer born in Graufeld in 1871. She "
    "built eleven lighthouses and a canal lock.",
    "graufeld.md": "# Graufeld\n\nGraufeld is a mining town on the river Selm. Its copper mine "
    "closed in 1954 after a flood.",
    "tides.md": "# Tides\n\nTides rise twice a day in most harbours. Spring tides follow "
    "the new moon.",
    "ropes.md": "# Ropes\n\nA ship's rope is measured in fathoms. Hemp ropes rot when stored wet.",
}
EMBEDDER = StaticEmbedder()
TASK = "Where was the designer of the Lantern Bay lighthouse born?"


def a_kit(limits: Limits | None = None, **rules: object) -> Kit:
    index = DocIndex.in_memory([(name, "", text) for name, text in DOCS.items()], EMBEDDER)
    searcher = DocumentSearcher(index)
    chosen = replace(Rules(), **rules)
    return Kit(
        reasoner=ExtractiveReasoner(EMBEDDER),
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=EMBEDDER,
        rules=dict.fromkeys(Tier, chosen),
        limits=dict.fromkeys(Tier, limits or Limits()),
    )


def ask(kit: Kit, task: str = TASK, run: MemoryRun | None = None) -> AgentResponse:
    return asyncio.run(research(task, kit, run or MemoryRun()))


@pytest.mark.contract("R1", "R2", "H2")
def test_a_question_is_answered_from_the_second_hop_with_proof() -> None:
    response = ask(a_kit())
    assert "born in Graufeld in 1871" in response.final_answer
    assert response.found
    assert response.summary == response.final_answer
    assert response.sources
    for claim in response.claims:
        assert claim.verdict is Verdict.QUOTED
        assert claim.quote is not None


@pytest.mark.contract("W2", "W3")
def test_every_quote_stands_at_its_offsets_in_the_page() -> None:
    kit = a_kit()
    response = ask(kit)
    locations = {source.id: source.location for source in response.sources}
    for claim in response.claims:
        assert claim.quote
        url = locations[claim.quote.source]
        page = asyncio.run(kit.fetcher.fetch(Hit(url, "", "")))
        assert page.text[claim.quote.start : claim.quote.end] == claim.quote.text
        assert page.hash == claim.quote.page


@pytest.mark.contract("R2")
def test_the_journal_has_the_stages_in_their_order() -> None:
    run = MemoryRun()
    ask(a_kit(), run=run)
    names = [row.name for row in run.rows()]
    first = list(dict.fromkeys(names))
    assert first[:3] == ["plan", "search", "gate"]
    assert first[-3:] == ["read", "write", "verify"]
    assert {"compress", "reflect"} <= set(first)


@pytest.mark.contract("R8")
def test_the_same_inputs_give_the_same_report_byte_for_byte() -> None:
    assert ask(a_kit()) == ask(a_kit())


@pytest.mark.contract("R5")
@pytest.mark.parametrize(
    ("policy", "least", "most"), [("fixed", 2, 2), ("saturation", 2, 5), ("reflective", 1, 10)]
)
def test_each_policy_keeps_to_its_number_of_searches(
    policy: PolicyName, least: int, most: int
) -> None:
    response = ask(a_kit(policy=policy))
    assert least <= response.usage.searches <= most
    assert isinstance(response.stop_reason, Stop)


@pytest.mark.contract("P2")
def test_the_raw_task_never_reaches_the_searcher() -> None:
    run = MemoryRun()
    ask(a_kit(), run=run)
    asked = [row.value["query"]["text"] for row in run.rows() if row.name == "search"]
    assert asked
    assert TASK not in asked
    assert TASK.lower().rstrip("?") not in [text.lower() for text in asked]


@pytest.mark.contract("R4", "W5")
def test_a_question_the_documents_do_not_answer_is_not_found() -> None:
    response = ask(a_kit(), "What is the boiling point of tungsten carbide?")
    assert not response.found
    assert response.confidence == 0.0


class DeadSearcher:
    """A provider that never answers."""

    name = "dead"

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        raise SourceLost("connection refused")

    async def fetch(self, hit: Hit) -> Page:
        raise SourceLost("connection refused")


@pytest.mark.contract("R4", "S6")
def test_when_every_search_fails_the_run_degrades_and_pretends_nothing() -> None:
    dead = DeadSearcher()
    response = ask(replace(a_kit(), find=from_provider(dead), fetcher=dead))
    assert response.stop_reason is Stop.DEGRADED
    assert response.degraded
    assert not response.found
    assert not response.claims
    assert {loss.why for loss in response.error_log} == {"connection refused"}


@pytest.mark.contract("R4", "R7")
@pace(max_examples=25)
@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 5), st.sampled_from(("f", "s", "r")))
def test_limits_are_never_passed(iters: int, queries: int, sources: int, letter: str) -> None:
    policies: Mapping[str, PolicyName] = {"f": "fixed", "s": "saturation", "r": "reflective"}
    limits = Limits(max_iters=iters, max_queries=queries, max_sources=sources)
    response = ask(a_kit(limits, policy=policies[letter]))
    assert response.usage.searches <= queries
    assert len(response.sources) <= sources
    assert len(response.verdicts) == response.usage.searches


@pytest.mark.contract("R3")
def test_a_citation_names_only_a_source_that_was_retrieved() -> None:
    response = ask(a_kit())
    assert {source.location for source in response.sources} <= set(DOCS)


@pytest.mark.contract("G5", "G6")
def test_discarded_batches_are_recorded_and_change_nothing() -> None:
    run = MemoryRun()
    response = ask(a_kit(novelty_epsilon=0.0, novelty_threshold=10.0), run=run)
    assert [v.accepted for v in response.verdicts[:2]] == [True, True]
    assert not any(v.accepted for v in response.verdicts[2:])
    rounds = [row for row in run.rows() if row.name == "gate"]
    assert len([row for row in run.rows() if row.name == "compress"]) <= len(rounds)


@pytest.mark.contract("R2", "M5")
def test_memory_is_asked_while_the_plan_is_made() -> None:
    planning = asyncio.Event()

    class Planner(ExtractiveReasoner):
        async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan:
            planning.set()
            return await super().plan(task, today, known_facts)

    class Patient:
        """Answers once the plan is being made; were it asked before that, never."""

        async def recall(self, task: str, today: datetime) -> Recall:
            await asyncio.wait_for(planning.wait(), 5)
            return Recall()

        async def remember(self, observation: Observation) -> Kept:
            return Kept()

    planner = Planner(StaticEmbedder())
    kit = replace(a_kit(), reasoner=planner, plain=planner, memory=Patient())
    assert ask(kit).found
