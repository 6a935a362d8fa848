"""The run that a model steers: it calls tools until it can answer, and the answer is proven.

The same kit, the same journal and the same limits as in `research/loop.py`. The model decides what
to look up; whether a sentence ships is still decided by the passages.
"""

from __future__ import annotations

from leadline.errors import BudgetSpent
from leadline.ports import Helm, Reasoner, Run
from leadline.research import loop
from leadline.research.agent.tool_calls import Deck, Work, carry_out
from leadline.research.agent.tool_results import LAST_NOTE_CHARS, notes_of
from leadline.research.agent.tools import offered
from leadline.research.choose_sources import keep
from leadline.research.loop import Kit
from leadline.research.novelty_gate import MEMORY
from leadline.research.read import (
    fetching,
    hits_by_source,
    note_pages,
    pages_in,
    passages_of,
    promising,
)
from leadline.research.recall import leading, planned
from leadline.research.state import begin, conclude, quoting, took
from leadline.text.urls import canonical
from leadline.types import (
    AgentResponse,
    Checked,
    Completion,
    Draft,
    Hit,
    Loss,
    Move,
    Passage,
    SoFar,
    State,
    Stop,
)
from leadline.values import replace
from leadline.write.citations import by_number, cited
from leadline.write.report import as_draft, form_of

MOST_FRUITLESS = 3  # moves in a row that bring nothing before it must answer
MOVE_SHARE = 0.6  # of the time that is left: a slow model must leave some for the ordinary loop
QUOTING_S = 4.0  # kept back from the last answer so that the report can still be quoted together


async def research(task: str, kit: Kit, run: Run) -> AgentResponse:
    """Answer `task`: steered by the model of the kit's helm, or by the loop where it has none."""
    helm = kit.helm
    if helm is None:
        return await loop.research(task, kit, run)
    return await loop.in_words(task, kit, run, lambda words: steer(words, kit, helm, run))


async def steer(task: str, kit: Kit, helm: Helm, run: Run) -> AgentResponse:
    """Let the model look things up, then prove what it answers; quote where it answers nothing."""
    plain = kit.plain or kit.reasoner
    plan, recall = await planned(task, plain, kit.memory, run, waits=False)
    plan = replace(plan, tier=kit.tier or plan.tier)
    limits, rules = kit.limits[plan.tier], kit.rules[plan.tier]
    run.limit(limits)
    tools = offered(docs=helm.docs is not None, web=helm.web is not None)
    deck = Deck(run, rules, tools, kit.fetcher, kit.embedder, helm.docs, helm.web)
    state = leading(begin(task, plan, limits, run.started), recall, rules, trim=False)
    work, move = await explore(Work(state), helm, deck, helm.steps[plan.tier])
    state, passages, answer = await read_up(work, move, kit, deck, plain)
    state, checked = await proven(answer, state, passages, kit, plain, run)
    reflection = await run.last_step("reflect", plain.reflect, state)
    state = replace(state, gaps=reflection.gaps, confidence=reflection.confidence)
    return await loop.finished(state, checked, passages, kit, run)


# ── looking things up ───────────────────────────────────────────────────────────────────────


async def explore(work: Work, helm: Helm, deck: Deck, most: int) -> tuple[Work, Move]:
    """Moves until the model answers, breaks down, or a limit is met; then it must answer."""
    run = deck.run
    try:
        while not (stop := limit_met(work, most)):
            move = await run.step("decide", helm.pilot.decide, so_far(work, deck, most))
            work = _after(work, move, run)
            if move.calls:
                work = await carry_out(work, move, deck)
            elif move.text and not (has_looked(work.state) or work.told or work.urged):
                work = replace(work, urged=True)
            elif move.text:
                return _concluded(work, Stop.SUFFICIENT), move
            elif not move.made.stop:
                return work, move
    except BudgetSpent as spent:
        stop = spent.stop
    return await last_word(_concluded(work, stop), helm, deck, most)


def has_looked(state: State) -> bool:
    """Whether anything was found in this run; what memory leads to does not stand in for it."""
    return any(hit.provider != MEMORY for hit in state.search_results)


async def last_word(work: Work, helm: Helm, deck: Deck, most: int) -> tuple[Work, Move]:
    """The answer that the model gives when it may call nothing any more."""
    left = work.state.limits.max_execution_time_s - deck.run.elapsed - QUOTING_S
    if not work.state.sources or left <= 0:
        return work, Move()
    notes = notes_of(work.state, work.shown, deck.embedder, LAST_NOTE_CHARS)
    asked = replace(so_far(work, deck, most), last=True, seconds=left, notes=notes)
    try:
        move = await deck.run.last_step("decide", helm.pilot.decide, asked)
    except BudgetSpent:
        return work, Move()
    return _after(work, move, deck.run), move


def limit_met(work: Work, most: int) -> Stop | None:
    """Why the model may call nothing any more, or None; one move is kept for its answer."""
    state = work.state
    reasons = {
        Stop.DEGRADED: state.degraded,
        Stop.MAX_TIME: state.elapsed >= state.limits.gather_s,
        Stop.MAX_ITERS: work.moves >= most - 1,
        Stop.SATURATED: work.fruitless >= MOST_FRUITLESS,
    }
    return state.stop_reason or next((stop for stop, holds in reasons.items() if holds), None)


def so_far(work: Work, deck: Deck, most: int) -> SoFar:
    """What the model is shown before its next move."""
    state = work.state
    return SoFar(
        task=state.task,
        tools=deck.tools,
        form=form_of(state.plan),
        told=work.told,
        latest=work.latest,
        notes=notes_of(state, work.shown, deck.embedder),
        left=most - work.moves,
        urged=work.urged,
        seconds=max(1.0, MOVE_SHARE * (state.limits.gather_s - state.elapsed)),
    )


def _after(work: Work, move: Move, run: Run) -> Work:
    state = took(work.state, "decide", move.made)
    return replace(work, moves=work.moves + 1, state=replace(state, elapsed=run.elapsed))


def _concluded(work: Work, stop: Stop) -> Work:
    return replace(work, state=conclude(work.state, stop))


# ── proving the answer ──────────────────────────────────────────────────────────────────────


async def read_up(
    work: Work, move: Move, kit: Kit, deck: Deck, plain: Reasoner
) -> tuple[State, tuple[Passage, ...], Draft | None]:
    """What the answer can be proven by: the pages that it cites are read where they were not.

    Without an answer, or where nothing was looked up, the ordinary loop takes over by rule.
    """
    state, text = work.state, by_number(move.text, work.state)
    answers = bool(text and state.sources)
    if answers:
        state, wanted = _cited_first(keep(state), cited(text), deck.rules.url_enrich_count)
    else:
        state = await _taken_over(state, move, kit, deck, plain)
        wanted = promising(state, deck.rules)
    missing = [hit for hit in wanted if canonical(hit.url) not in work.pages]
    results = await deck.run.each("read", fetching(deck.fetcher), missing)
    state = note_pages(state, results)
    pages = (*work.pages.values(), *pages_in(results))
    passages = passages_of(state, pages, deck.rules, deck.embedder)
    if not answers:
        return state, passages, None
    answer = Completion(text, model=move.model, cut=move.cut)
    return state, passages, as_draft(answer, state, passages)


async def _taken_over(state: State, move: Move, kit: Kit, deck: Deck, plain: Reasoner) -> State:
    """The state after the ordinary loop went on from here, and the note that it did."""
    why = "it answered without looking anything up" if move.text else "it gave no answer"
    note = f"{why}, so the report is quoted together from what was found"
    state = replace(state, error_log=(*state.error_log, Loss("decide", "model", note)))
    if state.stop_reason in (None, Stop.SUFFICIENT):
        fresh = replace(state, stop_reason=None)
        state = await loop.gather(fresh, deck.rules, replace(kit, reasoner=plain), deck.run)
    return keep(state)


def _cited_first(
    state: State, numbers: tuple[int, ...], most: int
) -> tuple[State, tuple[Hit, ...]]:
    """The sources that are cited come first among those that are kept; and, since a snippet proves
    nothing, the pages of the web among them are to be read."""
    by_source = hits_by_source(state)
    first = [number for number in numbers if number in by_source]
    order = tuple(dict.fromkeys([*first, *state.kept]))
    hits = [by_source[number][0] for number in first if by_source[number]]
    pages = tuple(hit for hit in hits if hit.kind == "web")[:most]
    return replace(state, kept=order[: state.limits.max_sources]), pages


async def proven(
    answer: Draft | None,
    state: State,
    passages: tuple[Passage, ...],
    kit: Kit,
    plain: Reasoner,
    run: Run,
) -> tuple[State, Checked]:
    """What of the answer may ship; where nothing may, the sources are quoted."""
    from leadline.check.settle import settle  # brings numpy: not before the first search

    if answer is not None:
        checked = await settle(answer, state, passages, kit.embedder, kit.judge, run)
        state = took(state, "verify", checked.made)
        if checked.claims or (checked.answer.strip() and not checked.dropped):
            return state, checked
        state = quoting(state, answer)
    draft = await run.last_step("write", plain.write, state, passages)
    return state, await settle(draft, state, passages, kit.embedder, None, run)
