"""How the state of a run begins, learns and ends. Pure: values in, values out."""

from __future__ import annotations

from datetime import datetime

from leadline.errors import BudgetSpent
from leadline.ports import Begun
from leadline.types import (
    BY_RULE,
    Checked,
    Draft,
    Knowledge,
    Limits,
    Loss,
    Made,
    Plan,
    Reflection,
    State,
    Stop,
)
from leadline.values import replace


def begin(task: str, plan: Plan, limits: Limits, started: datetime) -> State:
    """The state before the first search; it starts from what is already known."""
    state = State(
        task=task,
        plan=plan,
        limits=limits,
        started=started,
        plan_queries=plan.search_queries,
        known_facts=plan.known_facts,
        gaps=plan.knowledge_gaps,
        knowledge=Knowledge("\n".join(plan.known_facts)),
    )
    return took(state, "plan", plan.made)


def took(state: State, stage: str, made: Made) -> State:
    """The state with the calls of a step counted, its notes logged, and its limit kept."""
    if made == BY_RULE:
        return state
    usage = replace(
        state.usage,
        calls=state.usage.calls + len(made.calls),
        prompt_tokens=state.usage.prompt_tokens + sum(one.prompt_tokens for one in made.calls),
        completion_tokens=state.usage.completion_tokens
        + sum(one.completion_tokens for one in made.calls),
        cost=state.usage.cost + sum(one.cost for one in made.calls),
    )
    return replace(
        state,
        usage=usage,
        calls=state.calls + made.calls,
        error_log=state.error_log + tuple(Loss(stage, "model", note) for note in made.notes),
        stop_reason=state.stop_reason or made.stop,
    )


async def merged(state: State, merging: Begun[Knowledge] | None) -> State:
    """The state with the knowledge that was being merged; it stays as it was where that failed."""
    if merging is None:
        return state
    try:
        knowledge = await merging()
    except BudgetSpent as spent:
        return replace(state, stop_reason=state.stop_reason or spent.stop)
    return replace(took(state, "compress", knowledge.made), knowledge=knowledge)


def learn(state: State, reflection: Reflection, elapsed: float) -> State:
    """The state after reflection."""
    state = took(state, "reflect", reflection.made)
    return replace(
        state,
        sufficient=reflection.sufficient,
        confidence=reflection.confidence,
        reflector=reflection.model,
        gaps=reflection.gaps,
        pending=reflection.new_queries,
        elapsed=elapsed,
    )


def conclude(state: State, stop: Stop) -> State:
    """The state once searching has ended; the first reason stays."""
    return state if state.stop_reason else replace(state, stop_reason=stop)


def unproven(draft: Draft, checked: Checked) -> bool:
    """Did a model write, and is nothing of it left after verification?"""
    return any(not call.error for call in draft.made.calls) and not checked.claims


def quoting(state: State, draft: Draft) -> State:
    """The state that says why the report is quoted together after all."""
    why = "no sentence of its report could be proven, so the report quotes its sources instead"
    return replace(state, error_log=(*state.error_log, Loss("write", draft.model or "model", why)))
