"""The whole agent on one screen: plan, search, judge, reflect, read, write, verify.

Every line that touches the world is a step of the run: done once, written down, and read back
after a crash. What each step does is in the files beside; what to ask next and when to stop in
`stop.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.errors import BudgetSpent
from leadline.ports import (
    Begun,
    Embedder,
    Fetcher,
    Find,
    Helm,
    Judge,
    Look,
    Memory,
    Reasoner,
    Run,
)
from leadline.research.compact import compacted, in_short
from leadline.research.images import as_asked, described, seeing
from leadline.research.memory import leading, planned, remembered
from leadline.research.novelty_gate import admit, judge
from leadline.research.read import passages_of, read_pages
from leadline.research.response import renumbered, respond
from leadline.research.review import Review, reviewed
from leadline.research.search import as_batches, choose_sources, searching, within_quota
from leadline.research.state import (
    Gathered,
    begin,
    compress,
    conclude,
    gaps_left,
    learn,
    merged,
    quoting,
    reflect,
    set_apart,
    took,
    unproven,
    with_pages,
)
from leadline.research.stop import all_rejected, next_queries, stop_reason
from leadline.text.images import image_paths
from leadline.types import (
    BY_RULE,
    AgentResponse,
    Call,
    Checked,
    Details,
    Doors,
    Draft,
    Knowledge,
    Limits,
    Passage,
    Rules,
    State,
    Tier,
)
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.research.revise import Editing


@dataclass(frozen=True)
class Kit:
    """What a run works with: the tools, and the rules and limits the settings ask for."""

    reasoner: Reasoner
    find: Find
    fetcher: Fetcher
    embedder: Embedder
    rules: Mapping[Tier, Rules]
    limits: Mapping[Tier, Limits]
    tier: Tier | None = None  # the user's choice, which wins over the planner's
    plain: Reasoner | None = None  # writes by quoting where nothing of a model's draft is proven
    bill: Callable[[], tuple[Call, ...]] = tuple  # every call that was paid for
    judge: Judge | None = None  # a model's word on claims in doubt
    look: Look | None = None  # what sees the images that a task names
    helm: Helm | None = None  # for a run that a model steers
    review: Review | None = None  # who is shown the plan before anything is spent
    editing: Editing | None = None  # who scores and mends the report, and how often
    memory: Memory | None = None  # what earlier runs found
    doors: Doors | None = None  # what is done with orders in images; None: they are not scanned
    long: bool = False  # whether the further passages are wanted below a short answer

    @property
    def model_writes(self) -> bool:
        """Whether a model writes the report, and not the rules."""
        return self.plain is not None and self.reasoner is not self.plain


async def research(task: str, kit: Kit, run: Run) -> AgentResponse:
    """Answer `task`, and let memory have what was proven."""
    return await in_words(task, kit, run, lambda words: answer(words, kit, run))


async def in_words(
    task: str, kit: Kit, run: Run, answering: Callable[[str], Awaitable[AgentResponse]]
) -> AgentResponse:
    """The response to `task`: the images it names become words, and nothing after that knows of
    them; what was proven is handed to memory."""
    seen = await run.each("see", seeing(kit.look, task, run.started, kit.doors), image_paths(task))
    words = described(task, seen)
    response = await answering(words)
    shown = task if response.task == words else response.task
    response = as_asked(response if response.follows else renumbered(response), shown, seen)
    return await remembered(response, kit.memory, run)


async def answer(task: str, kit: Kit, run: Run) -> AgentResponse:
    """Answer `task` from what the searcher finds; every sentence of the answer is checked."""
    plan, recall = await planned(task, kit.reasoner, kit.memory, run, waits=kit.model_writes)
    plan = await reviewed(task, replace(plan, tier=kit.tier or plan.tier), kit.review, run)
    limits, rules = kit.limits[plan.tier], kit.rules[plan.tier]
    run.limit(limits)
    state = begin(task, plan, limits, run.started)
    if len(plan.subtasks) > 1:
        from leadline.research.subtasks import answer_each, share_budget

        if shares := share_budget(plan, limits, rules):
            return await answer_each(state, shares, rules, kit, run)
    state = leading(state, recall, rules, trim=kit.review is None)
    found = await look(state, rules, kit, run)
    draft = await drafted(found, kit, run)
    state, checked = await proven(found, draft, kit, run)
    return await finished(state, checked, found.passages, kit, run)


async def look(state: State, rules: Rules, kit: Kit, run: Run) -> Gathered:
    """Search and read; what a report may be written from."""
    state = await gather(state, rules, kit, run)
    state, pages = await read_pages(state, rules, kit.fetcher, run)
    passages = passages_of(state, pages, rules, kit.embedder)
    state = with_pages(state, passages)
    return Gathered(await compacted(state, rules, run), passages)


async def drafted(found: Gathered, kit: Kit, run: Run) -> Draft:
    """The report as the writer has it; it must know how much time is left."""
    state = in_short(replace(found.state, elapsed=run.elapsed))
    return await run.last_step("write", kit.reasoner.write, state, found.passages)


async def proven(found: Gathered, draft: Draft, kit: Kit, run: Run) -> tuple[State, Checked]:
    """What of a draft may ship; where nothing of a model's may, the sources are quoted."""
    from leadline.check.settle import settle  # brings numpy: not before the first search

    state, passages = replace(found.state, elapsed=run.elapsed), found.passages

    async def settled(draft: Draft, judge: Judge | None) -> Checked:
        return await settle(draft, state, passages, kit.embedder, judge, run)

    checked = await settled(draft, kit.judge)
    state = took(took(state, "verify", checked.made), "write", draft.made)
    if kit.plain and unproven(draft, checked):
        lost, model = checked, draft
        state = quoting(state, draft)
        draft = await run.last_step("write", kit.plain.write, state, passages)
        checked = set_apart(await settled(draft, None), lost, model, state.plan.language)
    if kit.long and draft.details:
        more = await settled(replace(draft, answer=draft.details), None)
        checked = replace(checked, details=Details(more.answer, more.claims))
    return replace(state, gaps=gaps_left(state, checked)), checked


async def finished(
    state: State, checked: Checked, passages: tuple[Passage, ...], kit: Kit, run: Run
) -> AgentResponse:
    """The report scored and, where that is wanted, revised: the best version ships."""
    from leadline.research.revise import improve  # brings numpy, as `settle` does

    best = await improve(checked, state, passages, kit.embedder, kit.editing, run)
    made = best.revision.made if best.revision else BY_RULE
    return respond(run.id, took(state, "revise", made), best)


async def gather(state: State, rules: Rules, kit: Kit, run: Run) -> State:
    """Rounds until the policy says stop: search at the same time, judge in order, reflect.

    What was found is merged into the knowledge while the next round is thought of and under way.
    """
    search = searching(kit.find, rules.results_per_search)
    merging: Begun[Knowledge] | None = None
    try:
        while not (stop := stop_reason(state, rules)):
            queries = next_queries(state, rules)
            results = await run.each("search", search, queries)
            batches = within_quota(state, as_batches(queries, results), rules)
            state, merging = await merged(state, merging), None
            verdicts = await run.last_step(
                "gate", judge, state, batches, rules, kit.embedder, run.dice, kit.reasoner
            )
            state = choose_sources(admit(state, batches, verdicts, run.elapsed))
            if not all_rejected(state):
                merging = run.begin_step(
                    "compress", compress, state, batches, verdicts, kit.reasoner, rules
                )
                state = await compacted(state, rules, run)
                shown = in_short(state)
                reflection = await run.step("reflect", reflect, shown, kit.reasoner, rules)
                state = learn(state, reflection, run.elapsed)
    except BudgetSpent as spent:
        stop = spent.stop
    return conclude(await merged(state, merging), stop)
