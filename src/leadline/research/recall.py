"""Memory in a run: what earlier runs found is looked up while the plan is made, and the findings
of this one are handed over at its end. A remembered finding is a lead: it is cited only through
the snapshot of its own source, and verified like any other claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from leadline.errors import BudgetSpent
from leadline.ports import Find, Memory, Reasoner, Run
from leadline.rank.recall import SETTLED, known_query, settled, speaks, supported, told, within
from leadline.research.choose_sources import keep
from leadline.research.novelty_gate import FEW_HITS, MEMORY, take_in
from leadline.run import both
from leadline.types import (
    AgentResponse,
    Batch,
    Claim,
    Loss,
    Plan,
    Query,
    Reflection,
    Rules,
    Skip,
    State,
    Stop,
    TaskType,
    Verdict,
)
from leadline.types.remembering import Finding, Kept, Observation, Recall

STAGE = MEMORY
BESIDE = 2  # searches of a model's plan where remembered passages support each part of the question


async def planned(
    task: str, reasoner: Reasoner, memory: Memory | None, run: Run, *, waits: bool
) -> tuple[Plan, Recall]:
    """The plan, and what memory knows. A planner that `waits` is told of it; one that goes by
    rules works at the same time, and what is known is taken out of its plan."""
    if memory is None:
        return await run.step("plan", reasoner.plan, task, run.started, ()), Recall()
    if waits:
        recall = await run.step("recall", memory.recall, task, run.started)
        plan = await run.step("plan", reasoner.plan, task, run.started, recall.facts)
        return plan, recall
    recall, plan = await both(
        run.step("recall", memory.recall, task, run.started),
        run.step("plan", reasoner.plan, task, run.started, ()),
    )
    return replace(plan, known_facts=recall.facts), recall


async def recalled(task: str, memory: Memory | None, run: Run) -> Recall:
    """What memory knows of a part of a task whose plan is made already; nothing where there is no
    time left for that: what was gathered before can still be written down."""
    if memory is None:
        return Recall()
    try:
        return await run.step("recall", memory.recall, task, run.started)
    except BudgetSpent:
        return Recall()


def leading(state: State, recall: Recall, rules: Rules, *, trim: bool = True) -> State:
    """The state with the passages that memory leads to and, with `trim`, without the searches
    they save; a plan that a person has seen is carried out as it is.

    Their sources are numbered like any other; what they say is judged and verified again.
    """
    if recall.trouble:
        state = replace(state, error_log=(*state.error_log, Loss(STAGE, "recall", recall.trouble)))
    state = replace(state, injections=state.injections + recall.injections)
    if not recall.hits:
        return replace(state, known_facts=recall.facts)
    state = keep(take_in(state, Batch(Query(state.task), recall.hits, provider=STAGE)))
    queries = state.plan_queries
    left, saved = unknown(queries, state.task, recall) if trim else (queries, ())
    if trim and state.calls and not any(lead.answers for lead in recall.leads):
        most = _beside(state, recall)
        left, saved = queries[:most], queries[most:]
    facts = within(recall.facts, rules.knowledge_max_chars)
    state = replace(
        state,
        plan_queries=left,
        known_facts=recall.facts,
        knowledge=replace(state.knowledge, text="\n".join(facts)),
        skipped=state.skipped + tuple(Skip("memory", query.text, _why(recall)) for query in saved),
    )
    if left:
        return state
    sure = max((lead.quality for lead in recall.leads if lead.answers), default=SETTLED)
    return replace(state, sufficient=True, confidence=sure, gaps=(), stop_reason=Stop.SUFFICIENT)


def _beside(state: State, recall: Recall) -> int:
    """How many searches of a model's plan are made where memory has not the whole answer. Its
    report wants more than single facts: beside one search single reports lost up to 8 claims."""
    passages = [(hit.title, hit.text) for hit in recall.hits]
    return BESIDE if supported(state.task, passages) else len(state.plan_queries)


def enough(state: State, reflection: Reflection, memory: Memory | None) -> Reflection:
    """The reflection; sufficient too where memory backs the whole question. What rules would ask
    next then leads away from it: further searches added nothing but pages on other things."""
    if reflection.sufficient or not backed(state, memory):
        return reflection
    return replace(reflection, sufficient=True)


def backed(state: State, memory: Memory | None) -> bool:
    """Whether remembered passages support each part of the question, and a fresh search has been
    made beside them: what is missing need not be asked of a model then, the rules can tell."""
    if memory is None or not state.usage.searches:
        return False
    led = [(hit.title, hit.text) for hit in state.search_results if hit.provider == STAGE]
    return bool(led) and supported(state.task, led)


def knowing(find: Find, memory: Memory | None, today: datetime) -> Find:
    """`find`, but a query that memory answers whole is answered from its snapshots.

    Also one that came up on the way: what leads from one document to the next is in no task.
    """
    if memory is None:
        return find

    async def found(query: Query, k: int) -> Batch:
        recall = await memory.recall(query.text, today)
        if not answered(query, recall):
            return await find(query, k)
        hits, why = recall.hits[:k], Loss(STAGE, query.text, _why(recall))
        return Batch(query, hits, STAGE, notes=(why,), injections=recall.injections)

    return found


def answered(query: Query, recall: Recall) -> bool:
    """Whether one remembered sentence says what a query asks for, and as many passages speak of
    it as a search must find to count as one that did not fail."""
    sentences = [one for hit in recall.hits for one in told(hit.title, hit.text)]
    if not known_query(query.text, sentences):
        return False
    passages = [hit for hit in recall.hits if speaks(query.text, hit.title, hit.text)]
    return len(passages) >= FEW_HITS


def unknown(
    queries: Sequence[Query], task: str, recall: Recall
) -> tuple[tuple[Query, ...], tuple[Query, ...]]:
    """The queries that are still to be asked, and those whose answer is known and fresh."""
    sentences = [one for hit in recall.hits for one in told(hit.title, hit.text)]
    if any(lead.answers for lead in recall.leads) or settled(task, sentences):
        return (), tuple(queries)
    saved = tuple(query for query in queries if answered(query, recall))
    return tuple(query for query in queries if query not in saved), saved


def _why(recall: Recall) -> str:
    best = max(recall.leads, key=lambda lead: (lead.answers, lead.used))
    return f"known since {best.found[:10]} from: {best.task}"


# ── at the end ──────────────────────────────────────────────────────────────────────────────


async def remembered(response: AgentResponse, memory: Memory | None, run: Run) -> AgentResponse:
    """The response, once what it proves has been handed to memory; what was refused is told.

    A memory that is too slow for the time that is left does not cost the report.
    """
    observation = observed(response)
    if memory is None or not observation.findings:
        return response
    try:
        kept = await run.last_step("remember", memory.remember, observation)
    except BudgetSpent as spent:
        kept = Kept(trouble=str(spent))
    notes = tuple(_notes(kept))
    return replace(response, error_log=response.error_log + notes) if notes else response


def _notes(kept: Kept) -> list[Loss]:
    notes = [Loss(STAGE, "remember", kept.trouble)] if kept.trouble else []
    if kept.quarantined:
        why = (
            f"{kept.quarantined} findings read like instructions and are not remembered; "
            "see: leadline memory quarantine"
        )
        notes.append(Loss(STAGE, "remember", why))
    return notes


def observed(response: AgentResponse) -> Observation:
    """What a response leaves behind: its proven claims, each with the passage that proves it."""
    findings = (_finding(claim, response) for claim in response.claims)
    return Observation(
        task=response.task,
        findings=tuple(dict.fromkeys(one for one in findings if one)) if response.found else (),
        type=response.plan.task_type if response.plan else TaskType.RESEARCH,
        quality=round(_quality(response), 3),
        run_id=response.run_id,
        created=response.started,
    )


def _quality(response: AgentResponse) -> float:
    """How well the question was answered: as the results were judged before the report was
    written, or by the share of its parts that the report answers, where that is more."""
    if response.revision is None:
        return response.confidence
    versions = (response.revision.first, *response.revision.rounds)
    answered = versions[response.revision.best].quality.scores.completeness / 10
    return max(response.confidence, answered)


def _finding(claim: Claim, response: AgentResponse) -> Finding | None:
    quote = claim.quote
    if claim.verdict is not Verdict.SUPPORTED or quote is None or not quote.page:
        return None
    source = next((one for one in response.sources if one.id == quote.source), None)
    if source is None:
        return None
    return Finding(
        text=claim.text,
        quote=quote.text,
        url=source.location,
        title=source.title,
        kind=source.type,
        page=quote.page,
        start=quote.start,
        end=quote.end,
        found=source.accessed or response.started,
        published=source.published,
    )
