"""The search that a model steers: it calls tools until it has enough; then the run goes on as any.

The same kit, the same journal and the same limits as in `research/loop.py`. The model decides what
to look up; the report is written, checked and revised like that of any run.
"""

from __future__ import annotations

from leadline.errors import BudgetSpent
from leadline.ports import Helm, Run
from leadline.research import loop
from leadline.research.agent.tool_calls import Bench, Work, carry_out, notes_of
from leadline.research.agent.tools import offered
from leadline.research.compact import compacted
from leadline.research.loop import Kit
from leadline.research.memory import leading, planned
from leadline.research.read import passages_of, read_pages
from leadline.research.search import MEMORY, choose_sources
from leadline.research.state import Gathered, begin, conclude, took, with_pages
from leadline.types import AgentResponse, Loss, Move, SoFar, State, Stop
from leadline.values import replace

MOST_FRUITLESS = 3  # moves in a row that bring nothing before the report is written
MOVE_SHARE = 0.6  # of the time that is left: a slow model must leave some for the ordinary loop


async def research(task: str, kit: Kit, run: Run) -> AgentResponse:
    """Answer `task`: steered by the model of the kit's helm, or by the loop where it has none."""
    helm = kit.helm
    if helm is None:
        return await loop.research(task, kit, run)
    return await loop.in_words(task, kit, run, lambda words: steer(words, kit, helm, run))


async def steer(task: str, kit: Kit, helm: Helm, run: Run) -> AgentResponse:
    """Let the model look things up; where it does not, the ordinary loop does so by rule."""
    plain = kit.plain or kit.reasoner
    plan, recall = await planned(task, plain, kit.memory, run, waits=False)
    plan = replace(plan, tier=kit.tier or plan.tier)
    limits, rules = kit.limits[plan.tier], kit.rules[plan.tier]
    run.limit(limits)
    tools = offered(docs=helm.docs is not None, web=helm.web is not None)
    bench = Bench(run, rules, tools, kit.fetcher, kit.embedder, helm.docs, helm.web)
    state = leading(begin(task, plan, limits, run.started), recall, rules, trim=False)
    work = await explore(Work(state), helm, bench, helm.steps[plan.tier])
    state = work.state
    if state.stop_reason in (None, Stop.SUFFICIENT) and not (state.sufficient and looked(state)):
        state = replace(_noted(state), stop_reason=None, sufficient=False)
        state = await loop.gather(state, rules, replace(kit, reasoner=plain), run)
    state, pages = await read_pages(choose_sources(state), rules, kit.fetcher, run, work.pages)
    passages = passages_of(state, pages, rules, kit.embedder)
    reflection = await run.last_step("reflect", plain.reflect, state)
    state = replace(state, gaps=reflection.gaps, confidence=reflection.confidence)
    state = await compacted(with_pages(state, passages), rules, run)
    found = Gathered(state, passages)
    state, checked = await loop.proven(found, await loop.drafted(found, kit, run), kit, run)
    return await loop.finished(state, checked, passages, kit, run)


async def explore(work: Work, helm: Helm, bench: Bench, most: int) -> Work:
    """Moves until the model has enough, breaks down, or a limit is met."""
    run = bench.run
    try:
        while not (stop := limit_met(work, most)):
            move = await run.step("decide", helm.pilot.decide, so_far(work, bench, most))
            work = _after(work, move, run)
            if move.calls:
                work = await carry_out(work, move, bench)
            elif move.text and not (looked(work.state) or work.told or work.urged):
                work = replace(work, urged=True)
            elif move.text:
                state = replace(work.state, sufficient=True)
                return replace(work, state=conclude(state, Stop.SUFFICIENT))
            elif not move.made.stop:
                return work
    except BudgetSpent as spent:
        stop = spent.stop
    return replace(work, state=conclude(work.state, stop))


def looked(state: State) -> bool:
    """Whether anything was found in this run; what memory leads to does not stand in for it."""
    return any(hit.provider != MEMORY for hit in state.search_results)


def limit_met(work: Work, most: int) -> Stop | None:
    """Why the model may call nothing any more, or None; one move is kept for the report."""
    state = work.state
    reasons = {
        Stop.DEGRADED: state.degraded,
        Stop.MAX_TIME: state.elapsed >= state.limits.gather_s,
        Stop.MAX_ITERS: work.moves >= most - 1,
        Stop.SATURATED: work.fruitless >= MOST_FRUITLESS,
    }
    return state.stop_reason or next((stop for stop, holds in reasons.items() if holds), None)


def so_far(work: Work, bench: Bench, most: int) -> SoFar:
    """What the model is shown before its next move."""
    state = work.state
    return SoFar(
        task=state.task,
        tools=bench.tools,
        told=work.told,
        latest=work.latest,
        notes=notes_of(state, work.shown, bench.embedder),
        left=most - 1 - work.moves,
        urged=work.urged,
        seconds=max(1.0, MOVE_SHARE * (state.limits.gather_s - state.elapsed)),
    )


def _after(work: Work, move: Move, run: Run) -> Work:
    state = took(work.state, "decide", move.made)
    return replace(work, moves=work.moves + 1, state=replace(state, elapsed=run.elapsed))


def _noted(state: State) -> State:
    why = "it looked nothing up" if state.sufficient else "it gave up"
    note = f"{why}, so what to search for was decided by rule"
    return replace(state, error_log=(*state.error_log, Loss("decide", "model", note)))
