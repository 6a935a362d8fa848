"""The gate that asks a model for its score (G4): when it asks, and what comes of the answer."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from random import Random

import pytest

from leadline.fakes.embedder import FakeEmbedder
from leadline.fakes.model import Said, ScriptedModel
from leadline.research.novelty_gate import admit, judge
from leadline.types import Batch, GateName, GateVerdict, Hit, Limits, Plan, Query, Rules, State
from leadline.write.ask_model import Ways
from leadline.write.by_model import ModelReasoner
from leadline.write.extractive import ExtractiveReasoner

EMBEDDER = FakeEmbedder()
NOW = datetime(2026, 1, 1, tzinfo=UTC)
STATE = State("How deep is the bay?", Plan(()), Limits(), NOW)
BATCHES = tuple(
    Batch(Query(f"query {n}"), (Hit(f"https://a.example/{n}", "A", f"Pier {n} is {n} m deep."),))
    for n in range(4)
)


def judged(says: list[Said], gate: GateName = "model") -> tuple[list[GateVerdict], ScriptedModel]:
    model = ScriptedModel(says)
    thinker = ModelReasoner({"planner": model}, ExtractiveReasoner(EMBEDDER), EMBEDDER, Ways(NOW))
    rules = Rules(gate=gate, novelty_epsilon=0.0)
    verdicts = asyncio.run(
        judge(STATE, BATCHES, rules, EMBEDDER, lambda *key: Random(str(key)), thinker)
    )
    return list(verdicts), model


@pytest.mark.contract("G4", "G5")
def test_a_model_scores_only_the_batches_whose_score_decides() -> None:
    verdicts, model = judged(["8", "1"])
    assert [verdict.reason for verdict in verdicts] == ["first", "first", "novel", "discarded"]
    assert [verdict.score for verdict in verdicts[2:]] == [8.0, 1.0]
    assert len(model.asks) == 2


@pytest.mark.contract("G4")
def test_a_score_that_cannot_be_read_is_the_middle() -> None:
    verdicts, _ = judged(["none", "new"])
    assert [verdict.score for verdict in verdicts[2:]] == [5.0, 5.0]


@pytest.mark.contract("L4")
def test_the_calls_of_the_gate_are_counted() -> None:
    verdicts, _ = judged(["8", "1"])
    state = admit(STATE, BATCHES, verdicts, 0.0)
    assert state.usage.calls == 2
    assert [call.role for call in state.calls] == ["planner", "planner"]
