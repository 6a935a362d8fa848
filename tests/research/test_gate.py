"""What an accepted batch adds: numbered sources, no copy twice, a word on copies that differ."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from random import Random

import pytest

from leadline.reader.static import StaticEmbedder
from leadline.research.novelty_gate import admit, judge
from leadline.types import (
    Batch,
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
