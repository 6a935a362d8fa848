"""Plans that wait for a person: a run stands still until somebody takes its plan or leaves it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from leadline.steps.review import Review, taken
from leadline.types import Plan


@dataclass(frozen=True, slots=True)
class Waiting:
    """A plan and the task that it is for; `answer` is set once."""

    task: str
    plan: Plan
    answer: asyncio.Future[Plan | None] = field(compare=False)


class Reviews:
    """The plans that wait now, by the id of their run."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}

    def of(self, run_id: str) -> Review:
        """Who is asked about the plan of that run."""

        async def review(task: str, plan: Plan) -> Plan | None:
            waiting = Waiting(task, plan, asyncio.get_running_loop().create_future())
            self._waiting[run_id] = waiting
            try:
                return await waiting.answer
            finally:
                self._waiting.pop(run_id, None)

        return review

    def waiting(self, run_id: str) -> Waiting | None:
        """The plan that a run waits with, if it does."""
        return self._waiting.get(run_id)

    def take(self, waiting: Waiting, edited: Plan) -> None:
        """Go on with that plan. Raises `BadInput` where it cannot be used; the run still waits."""
        plan = taken(waiting.task, waiting.plan, edited)
        if not waiting.answer.done():
            waiting.answer.set_result(plan)

    def leave(self, waiting: Waiting) -> None:
        """Nobody wants this plan; its run stops and can be resumed."""
        if not waiting.answer.done():
            waiting.answer.set_result(None)
