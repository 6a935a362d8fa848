"""How the state of a run begins, learns and ends: values in, values out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leadline.errors import BudgetSpent
from leadline.ports import Begun, Reasoner
from leadline.text.words import content_words
from leadline.types import (
    BY_RULE,
    Batch,
    Checked,
    Draft,
    GateVerdict,
    Knowledge,
    Limits,
    Loss,
    Made,
    Passage,
    Plan,
    Reflection,
    Rules,
    State,
    Stop,
)
from leadline.values import replace

COMPUTED = "extractive"  # the reflector that is no model
LONGEST_APART = 600  # characters of an answer that is shown as not proven
# Ids and markup; a stop would end the note that shows it.
_MARKS = re.compile(r"\[\d{1,4}\]|[*`#|<>\[\]]|\b_\B|\B_\b|[.?!…。？！]+(?=\s|$|\[)")


@dataclass(frozen=True)
class Gathered:
    """What was found for a task: the state, and the passages a report may be written from."""

    state: State
    passages: tuple[Passage, ...]


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


# ── after a round ───────────────────────────────────────────────────────────────────────────


async def compress(
    state: State,
    batches: tuple[Batch, ...],
    verdicts: tuple[GateVerdict, ...],
    reasoner: Reasoner,
    rules: Rules,
) -> Knowledge:
    """The knowledge with each accepted batch merged in; the others leave it as it was."""
    knowledge = replace(state.knowledge, made=Made())
    for batch, verdict in zip(batches, verdicts, strict=True):
        if verdict.accepted:
            knowledge = await reasoner.compress(
                state.task, knowledge, batch.hits, rules.knowledge_max_chars
            )
    return knowledge


async def merged(state: State, merging: Begun[Knowledge] | None) -> State:
    """The state with the knowledge that was being merged; it stays as it was where that failed."""
    if merging is None:
        return state
    try:
        knowledge = await merging()
    except BudgetSpent as spent:
        return replace(state, stop_reason=state.stop_reason or spent.stop)
    return replace(took(state, "compress", knowledge.made), knowledge=knowledge)


async def reflect(state: State, reasoner: Reasoner, rules: Rules) -> Reflection:
    """What is open and what to ask next, as the policy wants it."""
    if rules.policy == "fixed":
        return Reflection(gaps=state.gaps)
    if rules.policy == "saturation":
        return await reasoner.plan_query(state)
    return await reasoner.reflect(state)


def learn(state: State, reflection: Reflection, elapsed: float) -> State:
    """The state after reflection."""
    state = took(state, "reflect", reflection.made)
    by_rule = reflection.model in ("", COMPUTED)
    return replace(
        state,
        sufficient=reflection.sufficient,
        confidence=reflection.confidence,
        reflector=reflection.model,
        model_reflects=state.model_reflects and (by_rule or reflection.brought > 0),
        gaps=reflection.gaps,
        pending=reflection.new_queries,
        elapsed=elapsed,
    )


# ── at the end ──────────────────────────────────────────────────────────────────────────────


def with_pages(state: State, passages: Sequence[Passage]) -> State:
    """The state when the pages are read: what they fill is no gap any more."""
    from leadline.write.reflecting import still_open  # brings numpy: not before a search

    return replace(state, gaps=still_open(state, passages)) if state.gaps else state


def conclude(state: State, stop: Stop) -> State:
    """The state once searching has ended; the first reason stays."""
    return state if state.stop_reason else replace(state, stop_reason=stop)


def unproven(draft: Draft, checked: Checked) -> bool:
    """Did a model write, and is its answer not borne out? What else of it is true does not stand in
    for the answer: its first sentence must have passed, or of a list an item."""
    if not any(not call.error for call in draft.made.calls):
        return False
    if not draft.lead:
        return not checked.claims
    from leadline.check.claims import cut  # brings numpy: not before a search

    units = cut(draft.lead)
    told = [one.text for unit in units for each in unit.stretches for one in each if one.asserted]
    items = any(unit.kind == "item" for unit in units)
    wanted = told if items else told[:1]
    return not any(text in claim.text for text in wanted for claim in checked.claims)


def quoting(state: State, draft: Draft) -> State:
    """The state that says why the report is quoted together after all."""
    why = "the answer that it gave could not be proven, so the report quotes its sources instead"
    return replace(state, error_log=(*state.error_log, Loss("write", draft.model or "model", why)))


def set_apart(quoted: Checked, lost: Checked, draft: Draft, language: str) -> Checked:
    """The quoted report, with the model's answer shown as not proven and what was dropped of it."""
    from leadline.write.wordings import phrases

    told = " ".join(_MARKS.sub("", draft.lead).split())
    if not told:
        return quoted
    model = draft.model or "the model"
    note = phrases(language).unproven.format(model=model, answer=told[:LONGEST_APART])
    first, gap, rest = quoted.answer.partition("\n\n")
    dropped = (*quoted.dropped, *(one for one in lost.dropped if one not in quoted.dropped))
    return replace(quoted, answer=f"{first}\n\n_{note}_{gap}{rest}", dropped=dropped)


def gaps_left(state: State, checked: Checked) -> tuple[str, ...]:
    """What is open by what is shown: all of the question where nothing answers it; not the whole
    of it where something does."""
    if not checked.found:
        return state.gaps or (state.task,)
    asked = set(content_words(state.task))
    return tuple(gap for gap in state.gaps if not asked <= set(content_words(gap)))
