"""How the state of a run begins, learns and ends. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from leadline.types import (
    Batch,
    Knowledge,
    Limits,
    Loss,
    Plan,
    Query,
    Reflection,
    State,
    Stop,
)


def begin(task: str, plan: Plan, limits: Limits, started: datetime) -> State:
    """The state before the first search; it starts from what is already known."""
    return State(
        task=task,
        plan=plan,
        limits=limits,
        started=started,
        plan_queries=plan.search_queries,
        known_facts=plan.known_facts,
        gaps=plan.knowledge_gaps,
        knowledge=Knowledge("\n".join(plan.known_facts)),
    )


def as_batches(queries: Sequence[Query], results: Sequence[Batch | Loss]) -> tuple[Batch, ...]:
    """One batch a query; a search that was lost becomes a batch that says so."""
    return tuple(
        Batch(query, error=result.why) if isinstance(result, Loss) else result
        for query, result in zip(queries, results, strict=True)
    )


def learn(state: State, knowledge: Knowledge, reflection: Reflection, elapsed: float) -> State:
    """The state after compression and reflection."""
    return replace(
        state,
        knowledge=knowledge,
        sufficient=reflection.sufficient,
        confidence=reflection.confidence,
        gaps=reflection.gaps,
        pending=reflection.new_queries,
        elapsed=elapsed,
    )


def conclude(state: State, stop: Stop) -> State:
    """The state once searching has ended; the first reason stays."""
    return state if state.stop_reason else replace(state, stop_reason=stop)
