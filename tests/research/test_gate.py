"""The gate: what an accepted batch adds, no copy twice, and the score that a model gives (G4)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from random import Random

import pytest

from leadline.fakes.embedder import FakeEmbedder
from leadline.fakes.model import Said, ScriptedModel
from leadline.reader.static import StaticEmbedder
from leadline.research.novelty_gate import admit, judge
from leadline.types import (
    Batch,
    GateName,
    GateVerdict,
    Hit,
    Limits,
    Loss,
    Plan,
    PolicyName,
    Query,
    Rules,
    Skip,
    State,
    Variant,
)
from leadline.write.ask_model import Ways
from leadline.write.by_model import ModelReasoner
from leadline.write.extractive import ExtractiveReasoner

SAID = (
    "The harbour master counted 41 ships in the bay on the first day of the winter fair and wrote "
    "each name into the ledger that the town has kept since the great flood of the old century."
)


def after(*hits: Hit) -> State:
    query = Query("ships in the bay")
    state = State("task", Plan((query,)), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    verdict = GateVerdict(query.text, 10.0, 3.0, True, "first", hits=len(hits))
    return admit(state, [Batch(query, hits)], [verdict], 0.5)


@pytest.mark.contract("S4")
def test_a_copy_under_another_address_is_merged() -> None:
    state = after(Hit("https://a.example/x", "A", SAID), Hit("https://b.example/y", "B", SAID))
    assert [source.title for source in state.sources] == ["A"]
    assert not state.error_log
    assert [(skip.kind, skip.what) for skip in state.skipped] == [("copy", "https://b.example/y")]


@pytest.mark.contract("S4")
def test_a_copy_with_other_numbers_is_kept_and_said_by_its_title() -> None:
    other = SAID.replace("41", "57")
    state = after(Hit("https://a.example/x", "A", SAID), Hit("https://b.example/y", "B", other))
    assert [source.id for source in state.sources] == [1, 2]
    (note,) = state.error_log
    assert (note.stage, note.what) == ("merge", "B")
    assert "says the same as A with other numbers" in note.why
    assert "example" not in note.why
    assert state.variants == (Variant(2, 1, ("57",), ("41",)),)


@pytest.mark.contract("S8", "E1")
def test_what_a_filter_left_out_is_no_error_and_is_told() -> None:
    query = Query("ships")
    notes = (
        Loss("filter", "ships", "3 left out: domain denied"),
        Loss("retry", "ships", "HTTP 503; retried"),
    )
    state = State("task", Plan((query,)), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    verdict = GateVerdict("ships", 0.0, 3.0, False, "empty")
    state = admit(state, [Batch(query, notes=notes)], [verdict], 0.5)
    assert state.skipped == (Skip("filter", "ships", "3 left out: domain denied"),)
    assert state.error_log == notes[1:]


@pytest.mark.contract("G5")
@pytest.mark.parametrize(
    ("policy", "reason"), [("saturation", "epsilon"), ("reflective", "discarded")]
)
def test_chance_lets_repetition_pass_only_where_the_gate_alone_ends_the_search(
    policy: PolicyName, reason: str
) -> None:
    batches = tuple(
        Batch(Query(f"q{n}"), (Hit("https://a.example/", "A", SAID),)) for n in range(3)
    )
    state = State("task", Plan(()), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    rules = Rules(policy=policy, novelty_epsilon=1.0)
    judged = judge(state, batches, rules, StaticEmbedder(), lambda *key: Random(str(key)))
    assert [verdict.reason for verdict in asyncio.run(judged)] == ["first", "first", reason]


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
