"""Limits hold whatever a model does: budgets, prices, latencies and failures at random (R7, L4)."""

from __future__ import annotations

import asyncio
import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as pace
from hypothesis import strategies as st

from leadline.errors import ReasonerFailed
from leadline.fakes.embedder import FakeEmbedder
from leadline.fakes.model import Said, ScriptedModel
from leadline.fakes.run import FakeClock, MemoryRun
from leadline.fakes.search import ScriptedSearcher
from leadline.models.metered import CallLog, MeteredModel
from leadline.purse import Price, Purse
from leadline.research.loop import Kit, research
from leadline.search.policies import from_provider
from leadline.types import AgentResponse, Ask, Completion, Hit, Limits, Page, Rules, Stop, Tier
from leadline.write.ask_model import Ways
from leadline.write.by_model import ModelReasoner
from leadline.write.extractive import ExtractiveReasoner

TASK = "How deep is the harbour of Lantern Bay?"
COMPOUND = "Compare the harbour of Lantern Bay with the pier of Graufeld."
EMBEDDER = FakeEmbedder()
PAGES = {
    f"https://bay.example/{n}": f"In {1800 + n} the harbour of Lantern Bay was {n} fathoms deep. "
    f"The pier of year {n} stood on oak. " * 4
    for n in range(6)
}
TROUBLES = ("timeout", "busy", "refused", "failed", "empty", "overlong", "unreachable")


class Pages:
    """Brings the pages of the bay."""

    async def fetch(self, hit: Hit) -> Page:
        return Page(hit.url, hit.title, PAGES[hit.url])


def moods(dice: Random, clock: FakeClock) -> ScriptedModel:
    """A model of any mood: slow, failing, silent, wordy, or right."""

    def says(ask: Ask) -> Said:
        clock.advance(dice.choice([0.1, 1.0, 8.0, 40.0]))
        mood = dice.random()
        if mood < 0.25:
            return ReasonerFailed("no", type=dice.choice(TROUBLES), retryable=False)  # type: ignore[arg-type]
        if mood < 0.4:
            return dice.choice(["", "never mind", '{"search_queries": [', "<think>hm"])
        if ask.schema is None:
            return "The harbour was 2 fathoms deep [1]. " * dice.randint(1, 40)
        queries = [{"query": f"harbour {dice.randint(0, 99)} depth"} for _ in range(3)]
        return json.dumps(
            {
                "search_queries": queries,
                "new_queries": queries,
                "sufficient": dice.random() < 0.3,
                "confidence": 0.5,
                "gaps": [],
            }
        )

    def held(ask: Ask) -> Said:
        """An honest server stops at the number of tokens that was asked for."""
        said = says(ask)
        return said[: ask.max_tokens * 3] if isinstance(said, str) else said

    return ScriptedModel(held, window=dice.choice([2048, 8192, 32_768]))


def one_run(
    task: str, seed: int, limits: Limits, price: Price
) -> tuple[AgentResponse, Purse, CallLog]:
    dice, clock, log = Random(seed), FakeClock(), CallLog()
    purse = Purse(limits)
    model = moods(dice, clock)
    roles = ("planner", "producer", "compressor")
    models = {role: MeteredModel(model, role, purse, price, log) for role in roles}
    rules = ExtractiveReasoner(EMBEDDER)
    run = MemoryRun(clock=clock)
    hits = [Hit(url, f"Year {n}", text[:120]) for n, (url, text) in enumerate(PAGES.items())]
    kit = Kit(
        reasoner=ModelReasoner(models, rules, EMBEDDER, Ways(run.started, "salt")),
        find=from_provider(ScriptedSearcher(hits)),
        fetcher=Pages(),
        embedder=EMBEDDER,
        rules=dict.fromkeys(Tier, Rules()),
        limits=dict.fromkeys(Tier, limits),
        plain=rules,
    )
    return asyncio.run(research(task, kit, run)), purse, log


def holds(seed: int, budget: int, money: float, task: str = TASK) -> None:
    limits = Limits(token_budget=budget, max_cost=money, max_execution_time_s=90)
    response, purse, log = one_run(task, seed, limits, Price(1.0, 4.0))
    spent = purse.spent.prompt_tokens + purse.spent.completion_tokens
    assert not budget or spent <= budget
    assert not money or purse.spent.cost <= money + 1e-9
    assert spent == sum(call.prompt_tokens + call.completion_tokens for call in log.calls)
    assert response.stop_reason in set(Stop) - {Stop.ERROR}
    assert response.final_answer.strip()
    assert response.usage.prompt_tokens <= purse.spent.prompt_tokens
    assert response.usage.searches <= limits.max_queries


LIMITS = {
    "seed": st.integers(0, 2**32),
    "budget": st.one_of(st.just(0), st.integers(1, 40_000)),
    "money": st.one_of(st.just(0.0), st.floats(0.0001, 0.05)),
}


@pytest.mark.contract("R7", "L4")
@pace(max_examples=25)
@given(**LIMITS)
def test_no_limit_is_overrun(seed: int, budget: int, money: float) -> None:
    holds(seed, budget, money)


@pytest.mark.contract("R7", "L4", "P5")
@pace(max_examples=15)
@given(**LIMITS)
def test_no_limit_is_overrun_by_children(seed: int, budget: int, money: float) -> None:
    holds(seed, budget, money, COMPOUND)


@pytest.mark.contract("R7")
def test_a_server_that_takes_more_than_it_was_given_ends_the_spending() -> None:
    limits = Limits(token_budget=4000)
    purse, log = Purse(limits), CallLog()
    greedy = ScriptedModel(lambda ask: Completion("x", 3900, 500), window=8192)
    model = MeteredModel(greedy, "planner", purse, Price(), log)
    rules = ExtractiveReasoner(EMBEDDER)
    thinker = ModelReasoner({"planner": model}, rules, EMBEDDER, Ways(MemoryRun().started))
    plan = asyncio.run(thinker.plan(TASK, MemoryRun().started, ()))
    assert len(greedy.asks) == 1
    assert "without a model" in plan.made.notes[0]
