"""A model is examined as a judge before its word on a claim is believed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from leadline.fakes.model import ScriptedModel
from leadline.models.judge_exam import BAR, pairs, told_apart
from leadline.write.judging import CALL_CLAIMS

TODAY = datetime(2026, 3, 1, tzinfo=UTC)


def examined(answers: Callable[[int], str], seconds: float = 0.0) -> float | None:
    times = iter(range(1000))
    replies = [
        json.dumps(
            [
                {"claim": at + 1, "verdict": answers(call + at), "quote": ""}
                for at in range(CALL_CLAIMS)
            ]
        )
        for call in range(2 * len(pairs()) // CALL_CLAIMS)
    ]
    model = ScriptedModel(replies)
    return asyncio.run(told_apart(model, TODAY, lambda: seconds * next(times)))


@pytest.mark.contract("L6")
def test_two_dozen_pairs_are_made_of_the_same_names() -> None:
    assert len(pairs()) == 24
    for passage, right, wrong in pairs():
        assert right != wrong
        assert passage


@pytest.mark.contract("L6", "W3")
def test_who_always_agrees_does_not_pass_and_who_tells_them_apart_does() -> None:
    assert examined(lambda at: "yes") == 0.5
    assert examined(lambda at: "no") == 0.5
    best = examined(lambda at: "contradicted" if at % 2 else "yes")
    assert best == 1.0
    assert best >= BAR


@pytest.mark.contract("L6")
def test_too_few_answers_in_the_time_tell_nothing() -> None:
    assert examined(lambda at: "yes", seconds=30.0) is None
