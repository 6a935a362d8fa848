"""Memory in a run: what earlier runs found is looked up while the plan is made, and the findings
of this one are handed over at its end. Memory gives leads and never stands in for looking: what it
leads to is ranked, quoted and verified like anything else, beside what is searched for now."""

from __future__ import annotations

from leadline.errors import BudgetSpent
from leadline.ports import Memory, Reasoner, Run
from leadline.question.planning import make_plan
from leadline.rank.recall import within
from leadline.research.novelty_gate import take_in
from leadline.research.search import MEMORY, choose_sources
from leadline.run import both
from leadline.text.quotes import plain
from leadline.types import (
    AgentResponse,
    Batch,
    Finding,
    Kept,
    Lead,
    Loss,
    Observation,
    Plan,
    Query,
    Recall,
    Rules,
    Skip,
    State,
    Stop,
    TaskType,
)
from leadline.values import replace


async def planned(
    task: str, reasoner: Reasoner, memory: Memory | None, run: Run, *, waits: bool
) -> tuple[Plan, Recall]:
    """The plan, and what memory knows. A planner that `waits` is told of it, so that it asks for
    the rest; the question itself is asked anew all the same. One that goes by rules plans at the
    same time, as if there were no memory."""
    if memory is None:
        return await run.step("plan", reasoner.plan, task, run.started, ()), Recall()
    if waits:
        recall = await run.step("recall", memory.recall, task, run.started)
        plan = await run.step("plan", reasoner.plan, task, run.started, recall.facts)
        if recall.facts:
            first = make_plan(task, ()).search_queries[:1]
            queries = tuple(dict.fromkeys((*first, *plan.search_queries)))
            plan = replace(plan, search_queries=queries)
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
    """The state with what memory leads to, and what is to be said of it at the top.

    Sources it leads to are numbered like any other. With `trim` the searches are left out that the
    answer to the very same question saves; a plan that a person has seen is carried out as it is.
    """
    if recall.trouble:
        trouble = Loss(MEMORY, "recall", recall.trouble)
        state = replace(state, error_log=(*state.error_log, trouble))
    answer = next((lead for lead in recall.leads if lead.answers), None) if trim else None
    state = replace(
        state,
        known_facts=recall.facts,
        injections=state.injections + recall.injections,
        from_memory=tuple(_in_words(lead, saved=lead is answer) for lead in recall.leads),
    )
    if recall.hits:
        batch = Batch(Query(state.task), recall.hits, provider=MEMORY)
        facts = within(recall.facts, rules.knowledge_max_chars)
        state = choose_sources(take_in(state, batch))
        state = replace(state, knowledge=replace(state.knowledge, text="\n".join(facts)))
    if answer is None:
        return state
    why = f"known since {answer.found[:10]} from: {answer.task}"
    saved = tuple(Skip("memory", query.text, why) for query in state.plan_queries)
    return replace(
        state,
        plan_queries=(),
        skipped=state.skipped + saved,
        sufficient=True,
        confidence=answer.quality,
        gaps=(),
        stop_reason=Stop.SUFFICIENT,
    )


def _in_words(lead: Lead, *, saved: bool) -> str:
    count = "1 finding" if lead.used == 1 else f"{lead.used} findings"
    how = "its pages are kept, and no search was made" if saved else "searched for anew"
    return f"{count} of {lead.found[:10]} on “{lead.task}”; {how}"


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
    notes = [kept.trouble] if kept.trouble else []
    if kept.quarantined:
        notes.append(
            f"{kept.quarantined} findings read like instructions and are not remembered; "
            "see: leadline memory quarantine"
        )
    log = tuple(Loss(MEMORY, "remember", note) for note in notes)
    return replace(response, error_log=response.error_log + log) if log else response


def observed(response: AgentResponse) -> Observation:
    """What a response leaves behind: its claims, each with its passage. Of one that is only sourced
    the words of the passage are remembered, which prove themselves."""
    sources = {source.id: source for source in response.sources}
    findings = [
        Finding(
            text=claim.text if claim.verdict.is_proven else plain(quote.text),
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
        for claim in response.claims
        if claim.verdict.may_ship
        and (quote := claim.quote)
        and quote.page
        and (source := sources.get(quote.source))
    ]
    return Observation(
        task=response.task,
        findings=tuple(dict.fromkeys(findings)) if response.found else (),
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
