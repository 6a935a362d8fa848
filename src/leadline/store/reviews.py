"""Plans that wait for a person, in the store: the run and whoever answers may be anywhere.

The run leaves its plan as a word and looks for the answer; a face finds the plan and leaves one.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from leadline.codec import dumped, loaded
from leadline.queueing import Queue
from leadline.research.review import Review, accept_plan
from leadline.types import Plan, content_id

LOOK_S = 0.3  # how often a run looks for the answer
_ASKED, _ANSWERED = "plan", "plan-answer"


@dataclass(frozen=True)
class Waiting:
    """A plan and the task that it is for; `key` tells it from a later one of the same run."""

    task: str
    plan: Plan
    key: str


class Reviews:
    """The plans that wait in one store."""

    def __init__(self, engine: Queue) -> None:
        self._engine = engine

    def of(self, run_id: str) -> Review:
        """Who is asked about the plan of that run: whoever comes."""

        async def review(task: str, plan: Plan) -> Plan | None:
            written = dumped(plan)
            key = content_id(task, json.dumps(written, separators=(",", ":"), ensure_ascii=False))
            asked = {"task": task, "plan": written, "key": key}
            await self._engine.say(run_id, _ASKED, asked)
            said = await self._awaited(run_id, key)
            await self._engine.say(run_id, _ASKED, None)
            if said["plan"] is None:  # resumed, the run asks again
                await self._engine.say(run_id, _ANSWERED, None)
                return None
            answered: Plan = loaded(Plan, said["plan"])
            return answered

        return review

    async def waiting(self, run_id: str) -> Waiting | None:
        """The plan that a run waits with, if it does."""
        asked = await self._engine.said(run_id, _ASKED)
        if asked is None or await self._answer(run_id, asked["key"]):
            return None
        if (await self._engine.info(run_id)).status not in ("running", "queued"):
            return None
        return Waiting(asked["task"], loaded(Plan, asked["plan"]), asked["key"])

    async def take(self, run_id: str, waiting: Waiting, edited: Plan) -> None:
        """Go on with that plan. Raises `BadInput` where it cannot be used; the run still waits."""
        plan = accept_plan(waiting.task, waiting.plan, edited)
        await self._say(run_id, waiting, dumped(plan))

    async def leave(self, run_id: str, waiting: Waiting) -> None:
        """Nobody wants this plan; its run stops and can be resumed."""
        await self._say(run_id, waiting, None)

    async def _say(self, run_id: str, waiting: Waiting, plan: Any) -> None:
        await self._engine.say(run_id, _ANSWERED, {"key": waiting.key, "plan": plan})

    async def _awaited(self, run_id: str, key: str) -> Any:
        while True:
            if said := await self._answer(run_id, key):
                return said
            await asyncio.sleep(LOOK_S)

    async def _answer(self, run_id: str, key: str) -> Any:
        said = await self._engine.said(run_id, _ANSWERED)
        return said if said and said["key"] == key else None
