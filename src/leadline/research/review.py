"""A person sees the plan before anything is spent, and may change it; the answer is on record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from leadline.errors import BadInput, PlanDeclined
from leadline.ports import Run
from leadline.question.subtasks import MOST_PARTS
from leadline.text.words import words
from leadline.types import Plan
from leadline.values import replace

Review = Callable[[str, Plan], Awaitable[Plan | None]]
"""Asks somebody about the plan for a task: the plan as it is to be, or None to leave it."""


async def reviewed(task: str, plan: Plan, review: Review | None, run: Run) -> Plan:
    """The plan as it was agreed; the person's time is not the run's.

    Raises `PlanDeclined` where nobody agreed: the run can be resumed and asks again.
    """
    if review is None:
        return plan

    async def ask() -> Plan:
        edited = await review(task, plan)
        if edited is None:
            raise PlanDeclined("the plan was not taken, and nothing was searched")
        return accept_plan(task, plan, edited)

    return await run.aside("review", ask)


def accept_plan(task: str, plan: Plan, edited: Plan) -> Plan:
    """`edited` as the plan of the run; `BadInput` says what is wrong with it."""
    queries = tuple(query for query in edited.search_queries if query.text.strip())
    if not queries:
        raise BadInput("the plan has no query; keep at least one")
    for query in queries:
        if echoes(query.text, task):
            raise BadInput(
                f"the query {query.text!r} repeats the question; write what to search for instead"
            )
    if len(edited.subtasks) > MOST_PARTS:
        raise BadInput(
            f"the plan has {len(edited.subtasks)} subtasks, at most {MOST_PARTS} are allowed"
        )
    own = queries != plan.search_queries
    opening = len(queries) if own else plan.opening
    return replace(edited, search_queries=queries, opening=opening, made=plan.made)


def echoes(query: str, task: str) -> bool:
    """Whether a query is the task itself, or holds all of it."""
    said, asked = " ".join(words(query)), " ".join(words(task))
    return bool(asked) and f" {asked} " in f" {said} "
