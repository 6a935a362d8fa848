"""A plan that a person sees first: taken, changed, refused or left."""

from __future__ import annotations

import asyncio

import pytest

from leadline.errors import BadInput, PlanDeclined
from leadline.fakes.run import FakeClock, MemoryLedger, MemoryRun
from leadline.research.review import accept_plan, reviewed
from leadline.types import Made, Plan, Query
from leadline.values import replace

TASK = "Who built the lighthouse of Lantern Bay?"
PLAN = Plan((Query("lantern bay lighthouse", "who"), Query("lighthouse builder")))


class Person:
    """Answers with what was prepared, and counts how often somebody asked."""

    def __init__(self, answer: Plan | None, clock: FakeClock | None = None) -> None:
        self.answer, self.asked, self._clock = answer, 0, clock

    async def __call__(self, task: str, plan: Plan) -> Plan | None:
        self.asked += 1
        if self._clock:
            self._clock.advance(3600)
        return self.answer


@pytest.mark.contract("P6")
def test_an_edited_plan_is_recorded_and_nobody_is_asked_again() -> None:
    edited = replace(PLAN, search_queries=(Query("ottilie brandt"),), subtasks=("a", "b"))
    person, ledger = Person(edited), MemoryLedger()
    first = asyncio.run(reviewed(TASK, PLAN, person, MemoryRun(ledger=ledger)))
    again = MemoryRun(ledger=MemoryLedger(ledger.records))
    assert asyncio.run(reviewed(TASK, PLAN, person, again)) == first
    assert person.asked == 1
    assert first.search_queries == edited.search_queries
    assert first.opening == 1
    assert [row.name for row in again.rows()] == ["review"]


@pytest.mark.contract("P6", "R9")
def test_a_declined_plan_leaves_no_row_so_that_it_is_asked_again() -> None:
    person, ledger = Person(None), MemoryLedger()
    with pytest.raises(PlanDeclined):
        asyncio.run(reviewed(TASK, PLAN, person, MemoryRun(ledger=ledger)))
    assert not ledger.records
    person.answer = PLAN
    assert asyncio.run(reviewed(TASK, PLAN, person, MemoryRun(ledger=ledger))) == PLAN
    assert person.asked == 2


@pytest.mark.contract("P6", "R7")
def test_the_time_a_person_takes_is_not_the_runs() -> None:
    clock = FakeClock()
    run = MemoryRun(clock=clock)
    asyncio.run(reviewed(TASK, PLAN, Person(PLAN, clock), run))
    assert run.elapsed < 1
    assert run.rows()[0].elapsed < 1


@pytest.mark.contract("P6", "P2")
@pytest.mark.parametrize(
    ("queries", "why"),
    [
        ((), "no query"),
        (("   ",), "no query"),
        ((TASK,), "repeats the question"),
        (("please: who built the lighthouse of lantern bay",), "repeats the question"),
    ],
)
def test_a_plan_without_a_query_or_with_the_task_itself_is_refused(
    queries: tuple[str, ...], why: str
) -> None:
    edited = replace(PLAN, search_queries=tuple(Query(text) for text in queries))
    with pytest.raises(BadInput, match=why):
        accept_plan(TASK, PLAN, edited)


@pytest.mark.contract("P6")
def test_a_plan_keeps_what_its_making_took() -> None:
    made = Made(notes=("Planned without a model: none",))
    plan = replace(PLAN, made=made, opening=2)
    assert accept_plan(TASK, plan, replace(PLAN, made=Made())).made == made
    assert accept_plan(TASK, plan, plan).opening == 2
    with pytest.raises(BadInput, match="at most 4"):
        accept_plan(TASK, plan, replace(plan, subtasks=tuple("abcde")))


def test_without_anybody_to_ask_the_plan_is_taken_as_it_is() -> None:
    run = MemoryRun()
    assert asyncio.run(reviewed(TASK, PLAN, None, run)) is PLAN
    assert run.rows() == []
