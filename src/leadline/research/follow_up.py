"""A question on a finished run: the same stages as any, with what that run found to begin with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from leadline.ports import Run
from leadline.research.images import as_asked, described, seeing
from leadline.research.loop import Kit, drafted, finished, look, proven
from leadline.research.recall import remembered
from leadline.research.run_state import begin
from leadline.text.images import image_paths
from leadline.types import AgentResponse, Earlier

Recall = Callable[[str], Awaitable[Earlier]]
"""What an earlier run has to say to a question."""


async def follow(task: str, kit: Kit, run: Run, recall: Recall) -> AgentResponse:
    """Answer `task` from what an earlier run read; only what that lacks is searched for.

    With `update` the answer is the earlier report with the new findings in it.
    """
    from leadline.research import (
        follow_up_pages as followup,  # brings numpy, and is used by few runs
    )

    seen = await run.each("see", seeing(kit.look, task, run.started, kit.doors), image_paths(task))
    earlier = await run.step("follow", recall, described(task, seen))
    thinker = kit.reasoner if earlier.missing else kit.plain or kit.reasoner
    wanted, facts = followup.planned_for(earlier)
    plan = await run.step("plan", thinker.plan, wanted, run.started, facts)
    plan = followup.as_planned(replace(plan, tier=kit.tier or plan.tier), earlier)
    run.limit(kit.limits[plan.tier])
    state = begin(earlier.question, plan, kit.limits[plan.tier], run.started)
    state = followup.building_on(state, earlier)
    found = await look(state, kit.rules[plan.tier], kit, run)
    found = replace(found, passages=followup.with_earlier(found.passages, earlier.passages))
    state, checked = await proven(found, await drafted(found, kit, run), kit, run)
    passages = found.passages
    if earlier.update:
        passages = followup.with_earlier(passages, earlier.grounds)
        state = replace(state, task=earlier.task, plan=replace(plan, wanted_items=0))
        checked = await run.last_step(
            "update",
            followup.updated,
            checked,
            task,
            earlier,
            passages,
            state.sources,
            kit.embedder,
        )
    response = as_asked(await finished(state, checked, passages, kit, run), task, seen)
    title = earlier.task if earlier.update else task
    response = replace(response, task=title, follows=earlier.run_id)
    return await remembered(response, kit.memory, run)
