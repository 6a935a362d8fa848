"""The scripted reasoner keeps to its script and satisfies the port."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from leadline.fakes.reasoner import ScriptedReasoner
from leadline.ports import Reasoner
from leadline.types import Draft, Hit, Knowledge, Limits, Passage, Plan, Query, Reflection, State

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STATE = State("a task", Plan((Query("q"),)), Limits(), NOW)


def test_it_says_what_it_was_told_in_order_and_then_is_quiet() -> None:
    reasoner = ScriptedReasoner(
        Plan((Query("one"),)),
        reflections=[Reflection(sufficient=True)],
        queries=[Query("two")],
        write=Draft("done"),
    )
    port: Reasoner = reasoner

    async def script() -> None:
        assert (await port.plan("task", NOW, ())).search_queries == (Query("one"),)
        assert (await port.reflect(STATE)).sufficient
        assert not (await port.reflect(STATE)).sufficient
        assert (await port.plan_query(STATE)).new_queries == (Query("two"),)
        assert not (await port.plan_query(STATE)).new_queries
        assert (await port.write(STATE, ())).answer == "done"

    asyncio.run(script())
    assert reasoner.calls == ["plan", "reflect", "reflect", "plan_query", "plan_query", "write"]


def test_without_a_script_it_quotes_and_never_echoes_the_task() -> None:
    reasoner = ScriptedReasoner()

    async def quiet() -> None:
        plan = await reasoner.plan("What is a tide?", NOW, ("known",))
        assert plan.known_facts == ("known",)
        assert all(query.text != "What is a tide?" for query in plan.search_queries)
        knowledge = await reasoner.compress("t", Knowledge("old"), [Hit("u", "t", "new words")], 8)
        assert knowledge == Knowledge("old\nnew ", 1)
        draft = await reasoner.write(STATE, (Passage(2, "A line.\nMore."),))
        assert draft.answer == "- A line. [2]"
        assert not (await reasoner.write(STATE, ())).found

    asyncio.run(quiet())
