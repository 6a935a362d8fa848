"""Before a run: what it will take, from past runs or limits, and how far such guesses were off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.fields.secret import SecretText
from leadline.kit import what_is_asked
from leadline.observe.estimate import (
    LOOKED_AT,
    Asked,
    errors,
    estimate_from,
    forget_estimate,
    note_estimate,
    noted_estimate,
    past_records,
)
from leadline.purse import UNKNOWN, Price
from leadline.settings import Settings
from leadline.types import Estimate, Limits, Tier
from leadline.values import replace

ASKED = Asked(Tier.STANDARD, "extractive", "documents", Limits(), pages=5)


def record(seconds: float, searches: int = 4, **more: Any) -> dict[str, Any]:
    usage = {"searches": searches, "pages": 2, "prompt_tokens": 0, "completion_tokens": 0}
    settings = {"docs": ["notes"], "web": None, "tier": "standard"}
    return {"active_seconds": seconds, "usage": usage, "settings": settings, **more}


@pytest.mark.contract("R11")
def test_without_past_runs_the_limits_speak_and_it_says_so() -> None:
    guess = estimate_from(ASKED, [])
    assert (guess.basis, guess.runs) == ("limits", 0)
    assert guess.searches.high == ASKED.limits.max_queries
    assert guess.seconds.high == ASKED.limits.max_execution_time_s
    assert guess.tokens.high == guess.cost.high == 0


@pytest.mark.contract("R11")
def test_past_runs_give_the_median_and_a_range() -> None:
    guess = estimate_from(ASKED, [record(s) for s in (1, 2, 3, 4, 50)])
    assert (guess.basis, guess.runs) == ("past runs", 5)
    assert guess.seconds.low < 1 < guess.seconds.middle == 3 < 50 < guess.seconds.high
    assert guess.searches.middle == 4


@pytest.mark.contract("R11")
@pytest.mark.parametrize(
    "other",
    [
        record(9, settings={"docs": ["notes"], "tier": "deep"}),
        record(9, settings={"docs": [], "tier": "standard"}),
        record(9, settings={"docs": ["notes"], "web": True, "tier": "standard"}),
        record(9, estimate={"reasoner": "ollama:qwen3"}),
    ],
    ids=["tier", "web", "both", "model"],
)
def test_runs_of_another_kind_do_not_count(other: dict[str, Any]) -> None:
    assert estimate_from(ASKED, [_whole(other)]).runs == 0


def _whole(other: dict[str, Any]) -> dict[str, Any]:
    """A record whose estimate, where it has one, is complete."""
    if not other.get("estimate"):
        return other
    spread = {"low": 1, "middle": 1, "high": 1}
    figures = dict.fromkeys(("seconds", "searches", "pages", "tokens", "cost"), spread)
    return {**other, "estimate": {**figures, **other["estimate"]}}


@pytest.mark.contract("R11", "R7")
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.integers(1, 20))
def test_no_estimate_passes_the_limits_of_the_run(taken: list[float], most: int) -> None:
    asked = Asked(
        Tier.STANDARD,
        "extractive",
        "documents",
        Limits(max_queries=most, max_execution_time_s=30),
        pages=1,
    )
    guess = estimate_from(asked, [record(seconds, searches=40) for seconds in taken])
    for spread, ceiling in ((guess.seconds, 30), (guess.searches, most), (guess.pages, 1)):
        assert 0 <= spread.low <= spread.middle <= spread.high <= ceiling


@pytest.mark.contract("R11")
def test_a_model_that_was_never_used_is_priced_by_what_its_prompts_may_hold() -> None:
    asked = Asked(
        Tier.STANDARD, "openai:x", "web", Limits(), pages=5, price=Price(prompt=1, completion=10)
    )
    guess = estimate_from(asked, [])
    assert 0 < guess.tokens.low < guess.tokens.middle < guess.tokens.high
    assert guess.tokens.high >= asked.context_chars / 4
    assert guess.cost.high >= guess.tokens.high / 1_000_000
    unknown = Asked(Tier.STANDARD, "openai:x", "web", Limits(), pages=5, price=UNKNOWN)
    assert not estimate_from(unknown, []).cost_known


@pytest.mark.contract("R11")
def test_a_key_alone_says_which_model_would_be_paid() -> None:
    keyed = what_is_asked("How does it work?", Settings(openai_api_key=SecretText("x")))
    assert keyed.reasoner.startswith("openai:")
    assert keyed.price is not None
    assert keyed.price.completion > 0
    documents = what_is_asked("How does it work?", Settings(docs=(Path("x"),)))
    assert (documents.reasoner, documents.price) == ("extractive", None)


@pytest.mark.contract("R11")
def test_runs_with_revision_are_foreseen_from_runs_with_revision() -> None:
    settings = {"docs": ["notes"], "tier": "standard"}
    plain = [record(1, settings=settings) for _ in range(9)]
    revised = [record(9, settings=settings | {"revise": 1}) for _ in range(5)]
    asked = replace(ASKED, revise=1)
    assert estimate_from(asked, [*revised, *plain]).seconds.middle == 9
    assert estimate_from(ASKED, [*revised, *plain]).seconds.middle == 1
    assert estimate_from(asked, plain).runs == 9


@pytest.mark.contract("R11")
def test_revision_is_part_of_what_the_limits_allow() -> None:
    price = Price(prompt=1, completion=10)
    asked = Asked(Tier.STANDARD, "openai:x", "web", Limits(), pages=5, price=price)
    more = estimate_from(replace(asked, revise=2), []).tokens
    assert more.middle > estimate_from(asked, []).tokens.middle


@pytest.mark.contract("R11")
def test_the_error_of_past_estimates_is_the_median_in_percent() -> None:
    spread = {"low": 1, "middle": 2, "high": 3}
    made = dict.fromkeys(("seconds", "searches", "pages", "tokens", "cost"), spread)
    off = errors([record(seconds, estimate=made) for seconds in (1, 2, 4)])
    assert [(one.what, one.percent, one.runs) for one in off] == [
        ("seconds", 50.0, 3),
        ("searches", 50.0, 3),
        ("pages", 0.0, 3),
    ]
    assert errors([record(1)]) == ()


@pytest.mark.contract("R11")
def test_an_estimate_is_kept_until_its_record_has_it(tmp_path: Path) -> None:
    guess: Estimate = estimate_from(ASKED, [])
    note_estimate(tmp_path / "data", "r1", guess)
    kept = noted_estimate(tmp_path / "data", "r1")
    assert kept is not None
    assert kept["seconds"]["middle"] == guess.seconds.middle
    forget_estimate(tmp_path / "data", "r1")
    assert noted_estimate(tmp_path / "data", "r1") is None


def test_a_torn_line_and_a_long_file_are_no_obstacle(tmp_path: Path) -> None:
    assert past_records(tmp_path) == []
    file = tmp_path / "runs.jsonl"
    file.write_text('{"run_id": "torn\n7\n' + json.dumps(record(1)) + "\n")
    assert len(past_records(tmp_path)) == 1
    line = json.dumps(record(1, task="x" * 9_000)) + "\n"
    file.write_text(line * (LOOKED_AT // len(line) * 2))
    assert 0 < len(past_records(tmp_path)) <= LOOKED_AT // len(line) + 1
