"""After a round: merge what was accepted into the knowledge, and decide what is still open."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.ports import Reasoner
from leadline.types import (
    Batch,
    GateVerdict,
    Knowledge,
    Made,
    Passage,
    Reflection,
    Rules,
    State,
)
from leadline.values import replace


async def compress(
    state: State,
    batches: tuple[Batch, ...],
    verdicts: tuple[GateVerdict, ...],
    reasoner: Reasoner,
    rules: Rules,
) -> Knowledge:
    """The knowledge with each accepted batch merged in; the others leave it as it was."""
    knowledge = replace(state.knowledge, made=Made())
    for batch in accepted(batches, verdicts):
        knowledge = await reasoner.compress(
            state.task, knowledge, batch.hits, rules.knowledge_max_chars
        )
    return knowledge


async def reflect(state: State, reasoner: Reasoner, rules: Rules) -> Reflection:
    """What is open and what to ask next, as the policy wants it."""
    if rules.policy == "fixed":
        return Reflection(gaps=state.gaps)
    if rules.policy == "saturation":
        return await reasoner.plan_query(state)
    return await reasoner.reflect(state)


def accepted(batches: Sequence[Batch], verdicts: Sequence[GateVerdict]) -> list[Batch]:
    """The batches the gate let through."""
    return [batch for batch, verdict in zip(batches, verdicts, strict=True) if verdict.accepted]


def with_pages(state: State, passages: Sequence[Passage]) -> State:
    """The state when the pages are read: what they fill is no gap any more."""
    from leadline.write.reflecting import still_open  # brings numpy: not before a search

    return replace(state, gaps=still_open(state, passages)) if state.gaps else state
