"""The whole agent on one screen: plan, search, judge, reflect, read, write, verify.

Every line that touches the world is a step of the run: done once, written down, and read back
after a crash. What each step does is in `steps/`; what to ask next and when to stop in `policy.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leadline.errors import BudgetSpent
from leadline.policy import all_rejected, next_queries, stop_reason
from leadline.ports import Embedder, Fetcher, Find, Reasoner, Run
from leadline.run import both
from leadline.steps.gate import admit, judge
from leadline.steps.keep import keep
from leadline.steps.read import fetching, note_pages, pages_in, passages_of, promising
from leadline.steps.respond import respond
from leadline.steps.search import searching
from leadline.steps.state import as_batches, begin, conclude, learn
from leadline.steps.think import compress, reflect
from leadline.steps.verify import verify
from leadline.types import AgentResponse, Limits, Rules, State, Tier


@dataclass(frozen=True, slots=True)
class Kit:
    """What a run works with: the tools, and the rules and limits the settings ask for."""

    reasoner: Reasoner
    find: Find
    fetcher: Fetcher
    embedder: Embedder
    rules: Mapping[Tier, Rules]
    limits: Mapping[Tier, Limits]
    tier: Tier | None = None  # the user's choice, which wins over the planner's


async def research(task: str, kit: Kit, run: Run) -> AgentResponse:
    """Answer `task` from what the searcher finds; every sentence of the answer is proven."""
    plan = await run.step("plan", kit.reasoner.plan, task, run.started, ())
    tier = kit.tier or plan.tier
    limits, rules = kit.limits[tier], kit.rules[tier]
    run.limit(limits)
    state = await gather(begin(task, plan, limits, run.started), rules, kit, run)
    results = await run.each("read", fetching(kit.fetcher), promising(state, rules))
    state = note_pages(state, results)
    passages = passages_of(state, pages_in(results), rules, kit.embedder)
    draft = await run.last_step("write", kit.reasoner.write, state, passages)
    checked = await run.last_step("verify", verify, draft, passages)
    return respond(run.id, state, checked)


async def gather(state: State, rules: Rules, kit: Kit, run: Run) -> State:
    """Rounds until the policy says stop: search at the same time, judge in order, reflect."""
    reasoner = kit.reasoner
    search = searching(kit.find, rules.results_per_search)
    try:
        while not (stop := stop_reason(state, rules)):
            queries = next_queries(state, rules)
            batches = as_batches(queries, await run.each("search", search, queries))
            verdicts = await run.last_step(
                "gate", judge, state, batches, rules, kit.embedder, run.dice
            )
            state = keep(admit(state, batches, verdicts, run.elapsed))
            if not all_rejected(state):
                knowledge, reflection = await both(
                    run.step("compress", compress, state, batches, verdicts, reasoner, rules),
                    run.step("reflect", reflect, state, reasoner, rules),
                )
                state = learn(state, knowledge, reflection, run.elapsed)
    except BudgetSpent as spent:
        stop = spent.stop
    return conclude(state, stop)
