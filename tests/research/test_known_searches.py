"""A search whose answer is remembered is not made; one that is not known is made as before."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.rank.recall import speaking_of, supported
from leadline.research.choose_sources import keep
from leadline.research.novelty_gate import MEMORY, admit
from leadline.research.recall import backed, enough, knowing, leading
from leadline.research.run_state import begin
from leadline.types import Batch, Call, GateVerdict, Hit, Limits, Plan, Query, Reflection, Rules
from leadline.types.remembering import Kept, Lead, Observation, Recall

TODAY = datetime(2026, 11, 16, tzinfo=UTC)
LEAD = Lead("id", "Who keeps the harbour?", "2026-11-01T00:00:00", 1.0, 1)
PASSAGE = Hit(
    "https://a.example", "Harbour", "Ada Berg keeps the harbour of Port Seven.", provider=MEMORY
)
BY_MODEL = (Call("planner", "fake", 9, 9, 0.0, 0.1),)
FOUND = Hit("https://b.example", "Elsewhere", "Something that was searched for.", provider="fake")


BESIDE = (
    replace(PASSAGE, url="https://c.example", text="The harbour of Port Seven freezes in March."),
    replace(PASSAGE, url="https://d.example", text="Pilots bring ships into Port Seven."),
)


class Remembers:
    """A memory that knows what keeps the harbour, and some more of it."""

    def __init__(self, *hits: Hit) -> None:
        self.hits = hits or (PASSAGE, *BESIDE)

    async def recall(self, task: str, today: datetime) -> Recall:
        return Recall(leads=(LEAD,), facts=(PASSAGE.text,), hits=self.hits)

    async def remember(self, observation: Observation) -> Kept:
        return Kept()


async def find(query: Query, k: int) -> Batch:
    return Batch(query, (FOUND,), "fake")


def search(text: str, memory: Remembers | None) -> Batch:
    async def asked() -> Batch:
        return await knowing(find, memory, TODAY)(Query(text), 10)

    return asyncio.run(asked())


@pytest.mark.contract("P3", "M5")
def test_a_query_that_memory_answers_whole_is_not_searched_for() -> None:
    batch = search("keeps harbour Port Seven", Remembers())
    assert (batch.provider, batch.hits) == (MEMORY, (PASSAGE, *BESIDE))


@pytest.mark.contract("P3", "M5")
def test_a_query_is_searched_for_where_memory_has_fewer_passages_than_a_search_must_find() -> None:
    query = "keeps harbour Port Seven"
    assert search(query, Remembers(PASSAGE, BESIDE[0])).hits == (FOUND,)
    off = replace(BESIDE[0], title="Soup", text="Soup is served daily.")
    assert search(query, Remembers(PASSAGE, BESIDE[0], off)).hits == (FOUND,)


@pytest.mark.contract("P3", "M5")
@pytest.mark.parametrize("query", ["keeps harbour Port Nine", "harbour", "Berg born"])
def test_a_query_that_is_answered_in_part_is_searched_for(query: str) -> None:
    assert search(query, Remembers()).hits == (FOUND,)


@pytest.mark.contract("M6")
def test_without_memory_every_query_is_searched_for() -> None:
    assert search("keeps harbour Port Seven", None).provider == "fake"


@pytest.mark.contract("P3")
def test_what_memory_answered_is_told_and_is_no_search_and_no_failure() -> None:
    state = begin("Who keeps the harbour?", Plan(()), Limits(), TODAY)
    batches = [search("keeps harbour Port Seven", Remembers()), search("other words", Remembers())]
    verdicts = [GateVerdict(one.query.text, 9.0, 3.0, True, "first", 1) for one in batches]
    state = admit(state, batches, verdicts, 1.0)
    assert state.usage.searches == 1
    assert [(one.kind, one.what) for one in state.skipped] == [(MEMORY, "keeps harbour Port Seven")]
    assert LEAD.task in state.skipped[0].why
    assert state.failed_queries == ("other words",)
    assert state.error_log == ()


@pytest.mark.contract("P3")
def test_one_fresh_search_is_enough_where_every_part_is_remembered() -> None:
    state = begin("Who keeps the harbour of Port Seven?", Plan(()), Limits(), TODAY)
    led = replace(state, search_results=(PASSAGE,))
    asked = replace(led, usage=replace(led.usage, searches=1))
    open_ = Reflection(sufficient=False)
    assert enough(asked, open_, Remembers()).sufficient
    assert backed(asked, Remembers())
    assert not enough(led, open_, Remembers()).sufficient  # nothing fresh beside it
    assert not enough(asked, open_, None).sufficient
    fresh = replace(asked, search_results=(replace(PASSAGE, provider="fake"),))
    assert not enough(fresh, open_, Remembers()).sufficient
    assert not backed(fresh, Remembers())


@pytest.mark.contract("P3")
def test_a_query_of_a_model_is_left_out_only_where_memory_answers_the_whole_question() -> None:
    plan = Plan((Query("keeps harbour Port Seven"), Query("Port Seven trade")))
    state = begin("How is Port Seven run, and by whom?", plan, Limits(), TODAY)
    recall = Recall(leads=(LEAD,), facts=(PASSAGE.text,), hits=(PASSAGE, *BESIDE))
    assert leading(state, recall, Rules()).plan_queries == plan.search_queries[1:]
    by_model = replace(state, calls=BY_MODEL)
    assert leading(by_model, recall, Rules()).plan_queries == plan.search_queries
    whole = replace(recall, leads=(replace(LEAD, answers=True),))
    assert leading(by_model, whole, Rules()).plan_queries == ()


@pytest.mark.contract("P3", "M5")
def test_one_fact_that_is_known_saves_a_model_every_search_but_two() -> None:
    plan = Plan((Query("pilots number"), Query("Port Seven pilots"), Query("harbour trade")))
    state = begin("How many pilots does Port Seven have?", plan, Limits(), TODAY)
    told = replace(PASSAGE, text="Port Seven has 12 pilots.")
    recall = Recall(leads=(LEAD,), facts=(told.text,), hits=(told, *BESIDE))
    alone = leading(state, recall, Rules())
    assert (alone.plan_queries, alone.sufficient) == ((), True)
    by_model = leading(replace(state, calls=BY_MODEL), recall, Rules())
    assert (by_model.plan_queries, by_model.sufficient) == (plan.search_queries[:2], False)
    assert [one.what for one in by_model.skipped] == ["harbour trade"]
    seen = leading(replace(state, calls=BY_MODEL), recall, Rules(), trim=False)
    assert seen.plan_queries == plan.search_queries


@pytest.mark.contract("P3", "M5")
@pytest.mark.parametrize(("task", "made"), [("How is Port Seven run?", 2), ("What is soup?", 3)])
def test_a_model_makes_two_searches_beside_passages_that_support_the_question(
    task: str, made: int
) -> None:
    plan = Plan((Query("port running"), Query("harbour master"), Query("harbour trade")))
    state = replace(begin(task, plan, Limits(), TODAY), calls=BY_MODEL)
    told = replace(PASSAGE, text="Port Seven is run by its pilots.")
    recall = Recall(leads=(LEAD,), facts=(told.text,), hits=(told,))
    led = leading(state, recall, Rules())
    assert led.plan_queries == plan.search_queries[:made]
    assert [one.what for one in led.skipped] == [one.text for one in plan.search_queries[made:]]
    assert leading(state, recall, Rules(), trim=False).plan_queries == plan.search_queries


@pytest.mark.contract("M5")
@given(st.lists(st.sampled_from(["harbour keeper", "Port Seven", "ice in March", "pilots"])))
def test_what_memory_has_of_sources_that_were_found_leaves_their_order(said: list[str]) -> None:
    task, asked = "Who keeps the harbour of Port Seven?", Query("keeps harbour Port Seven")
    found = tuple(
        Hit(f"https://{name}.example", name, text, provider="fake", kind="document")
        for name, text in (
            ("town", "Port Seven has a harbour, a market and a school. " * 3),
            ("keeper", "Ada Berg keeps the harbour of Port Seven since 1998. She lives there."),
            ("soup", "Soup is served daily in the harbour."),
        )
    )
    led = tuple(
        replace(found[at % 3], text=f"{text} {at}.", provider=MEMORY)
        for at, text in enumerate(said)
    )
    verdict = GateVerdict(asked.text, 9.0, 3.0, True, "first", 3)

    def ranked(*remembered: Hit) -> list[str]:
        state = begin(task, Plan((asked,)), Limits(), TODAY)
        if remembered:
            state = leading(state, Recall(leads=(LEAD,), hits=remembered), Rules(), trim=False)
        state = keep(admit(state, [Batch(asked, found, "fake")], [verdict], 1.0))
        urls = {source.id: source.url for source in state.sources}
        return [urls[number] for number in state.kept]

    assert ranked(*led) == ranked()


@pytest.mark.contract("M5")
def test_a_model_writes_from_what_was_searched_for_before_what_memory_led_to() -> None:
    asked = Query("keeps harbour Port Seven")
    plan = Plan((asked,))
    state = begin("Who keeps the harbour of Port Seven?", plan, Limits(), TODAY)
    recall = Recall(leads=(LEAD,), facts=(PASSAGE.text,), hits=(PASSAGE,))
    led = leading(state, recall, Rules())
    verdict = GateVerdict(asked.text, 9.0, 3.0, True, "first", 1)
    led = admit(led, [Batch(asked, (FOUND,), "fake")], [verdict], 1.0)
    first, second = led.sources
    assert (first.url, second.url) == (PASSAGE.url, FOUND.url)
    assert keep(led).kept == (first.id, second.id)
    by_model = replace(led, calls=BY_MODEL)
    assert keep(by_model).kept == (second.id, first.id)


@pytest.mark.contract("P3")
def test_a_part_that_no_passage_speaks_of_is_not_supported() -> None:
    told = [("Harbour", PASSAGE.text)]
    assert supported("Who keeps the harbour of Port Seven?", told)
    assert not supported("When was the lighthouse of Port Nine built?", told)
    assert not supported("Compare Port Seven with Port Nine", told)


@pytest.mark.contract("M5")
def test_paragraphs_of_a_page_that_speak_of_a_task_are_found_by_their_place() -> None:
    text = "# Harbour\n\nAda Berg keeps it.\n\nSoup is served daily.\n\nThe keeper rows on Sundays."
    ((start, end, share),) = speaking_of("Who keeps the harbour?", "Harbour", text)
    assert (text[start:end], share) == ("Ada Berg keeps it.", 1.0)
