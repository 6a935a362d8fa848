"""Reflection without a model: gaps, leads, other forms of what failed, and no repeats."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from leadline.question.analyse import analyse
from leadline.question.planning import make_plan
from leadline.reader.static import StaticEmbedder
from leadline.text.words import content_words
from leadline.types import Hit, Limits, Passage, Query, Reflection, State
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner
from leadline.write.reflecting import still_open, unasked

EMBEDDER = StaticEmbedder()
REASONER = ExtractiveReasoner(EMBEDDER)
TASK = "Where was the designer of the Lantern Bay lighthouse born?"
BAY = Hit(
    "bay.md",
    "Lantern Bay",
    "Lantern Bay is a harbour town. Its lighthouse was designed by Ottilie Brandt.",
)
BRANDT = Hit("brandt.md", "Ottilie Brandt", "Ottilie Brandt was an engineer born in Graufeld.")
OTHER = Hit("ropes.md", "Ropes", "A ship's rope is measured in fathoms. Hemp ropes rot when wet.")


def state(
    task: str, *hits: Hit, asked: tuple[str, ...] = (), failed: tuple[str, ...] = ()
) -> State:
    plan = make_plan(task, ())
    return State(
        task=task,
        plan=plan,
        limits=Limits(),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        plan_queries=plan.search_queries,
        asked=tuple(Query(text) for text in asked),
        search_results=hits,
        failed_queries=failed,
    )


def reflect(given: State) -> Reflection:
    return asyncio.run(REASONER.reflect(given))


@pytest.mark.contract("F1")
def test_what_no_passage_supports_is_a_gap() -> None:
    found = reflect(state(TASK, OTHER, asked=("designer lantern bay",)))
    assert found.gaps
    assert not found.sufficient
    assert 0.0 <= found.confidence < 0.5
    assert found.model == "extractive"


@pytest.mark.contract("F1")
def test_support_raises_confidence_and_closes_gaps() -> None:
    before = reflect(state(TASK, OTHER, asked=("a b",)))
    after = reflect(state(TASK, BAY, BRANDT, asked=("a b",)))
    assert after.confidence > before.confidence
    assert len(after.gaps) < len(before.gaps)


@pytest.mark.contract("F1")
def test_the_name_that_the_evidence_leads_to_is_asked_next() -> None:
    found = reflect(state(TASK, BAY, OTHER, asked=("designer Lantern Bay lighthouse born",)))
    assert "ottilie brandt" in found.new_queries[0].text.lower()
    assert not found.sufficient


@pytest.mark.contract("F1", "R4")
def test_one_sentence_that_says_it_all_is_sufficient_after_two_searches() -> None:
    hit = Hit("t.md", "Tides", "Tides rise twice a day in most harbours of the world.")
    task = "how often do tides rise"
    assert reflect(state(task, hit, asked=("tides rise", "rise tides often"))).sufficient
    assert not reflect(state(task, hit, asked=("tides rise",))).sufficient


@pytest.mark.contract("F2")
def test_every_failed_query_gets_another_form() -> None:
    failed = ("quantum flux lighthouse designer ephemera", "fathoms")
    found = reflect(state(TASK, BAY, asked=failed, failed=failed))
    for query in failed:
        other = [q for q in found.new_queries if q.intent == f"instead of: {query}"]
        assert other
        assert content_words(other[0].text) != content_words(query)


@pytest.mark.contract("F3")
def test_no_new_query_repeats_an_asked_one() -> None:
    first = reflect(state(TASK, BAY, asked=("lantern bay",)))
    asked = tuple(query.text for query in first.new_queries)
    again = reflect(state(TASK, BAY, asked=asked))
    keys = {frozenset(content_words(text)) for text in asked}
    assert not any(frozenset(content_words(q.text)) in keys for q in again.new_queries)


@pytest.mark.contract("F3")
def test_same_words_in_another_order_and_near_copies_are_repeats() -> None:
    wanted = [
        Query("bay lantern"),
        Query("the Lantern Bay!"),
        Query("Ottilie Brandt engineer"),
        Query("Ottilie Brandt engineers"),
        Query("copper mine flood"),
    ]
    kept = unasked(wanted, ["lantern bay"], TASK, EMBEDDER)
    assert [query.text for query in kept] == ["Ottilie Brandt engineer", "copper mine flood"]


@pytest.mark.contract("P4")
def test_the_next_query_fills_a_gap_and_was_never_asked() -> None:
    given = state(TASK, BAY, asked=("designer Lantern Bay lighthouse born",))
    (query,) = asyncio.run(REASONER.plan_query(given)).new_queries
    assert query.text not in [asked.text for asked in given.asked]


@pytest.mark.contract("P4")
def test_there_is_no_next_query_when_everything_was_asked() -> None:
    given = state("how often do tides rise")
    asked: list[str] = []
    for _ in range(30):
        found = asyncio.run(
            REASONER.plan_query(state("how often do tides rise", asked=tuple(asked)))
        )
        if not found.new_queries:
            break
        asked += [query.text for query in found.new_queries]
    assert not found.new_queries
    assert len(set(asked)) == len(asked)
    assert given.task not in asked


# ── when the pages are read ─────────────────────────────────────────────────────────────────

THRUST = "What thrust does the Zorblax engine reach, and who designed it?"
PARTS = tuple(part.label for part in analyse(THRUST).parts)
AD = Hit("https://z.example/", "Engines", "All about engines, new and old. Buy one today.")


def _open(*texts: str, gaps: tuple[str, ...] = PARTS) -> tuple[str, ...]:
    before = replace(state(THRUST, AD), gaps=gaps)
    return still_open(before, [Passage(1, text) for text in texts])


@pytest.mark.contract("G9")
def test_what_a_page_tells_is_no_gap_though_its_snippet_did_not() -> None:
    told = "The Zorblax engine reaches a thrust of 420 kilonewtons at sea level."
    assert len(PARTS) == 2
    assert _open("Engines are loud. " + told) == PARTS[1:]
    assert _open(told + " The Zorblax engine was designed by Ottilie Brandt.") == ()


@pytest.mark.contract("G9")
def test_words_of_a_part_that_stand_in_no_one_sentence_fill_nothing() -> None:
    page = "Zorblax is a village. Its engine shed burned down. The thrust of a scarp is told below."
    assert _open(page) == PARTS
    assert _open() == PARTS


@pytest.mark.contract("G9")
def test_a_gap_in_a_model_s_own_words_is_left_to_it() -> None:
    said = ("the thrust of the Zorblax engine",)
    assert _open("The thrust of the Zorblax engine is 420 kilonewtons.", gaps=said) == said
