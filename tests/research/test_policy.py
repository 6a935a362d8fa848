"""What each policy asks next, and why each of them stops."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.research.stop import (
    circuit_open,
    fresh,
    next_queries,
    stop_reason,
)
from leadline.types import GateVerdict, Hit, Limits, Plan, PolicyName, Query, Rules, State, Stop
from leadline.values import replace

PLAN = tuple(Query(f"planned {word}") for word in ("alpha", "beta", "gamma", "delta"))
START = datetime(2026, 1, 1, tzinfo=UTC)


def a_state(**changes: object) -> State:
    plan = Plan(PLAN)
    state = State("task", plan, Limits(), START, plan_queries=PLAN)
    return replace(state, **changes)


def a_verdict(accepted: bool, reason: str = "novel") -> GateVerdict:
    return GateVerdict("q", 5.0, 3.0, accepted, reason)  # type: ignore[arg-type]


def judged(*accepted: bool, **changes: object) -> State:
    verdicts = tuple(a_verdict(ok, "novel" if ok else "discarded") for ok in accepted)
    asked = tuple(Query(f"asked {n}") for n in range(len(accepted)))
    given = {"verdicts": verdicts, "asked": asked, "last_round": 1, "iteration": len(accepted)}
    return a_state(**(given | changes))


@pytest.mark.contract("R5")
def test_fixed_asks_the_first_two_planned_queries_and_ends() -> None:
    rules = Rules(policy="fixed")
    assert next_queries(a_state(), rules) == PLAN[:2]
    done = a_state(asked=PLAN[:2], iteration=1, last_round=2)
    assert next_queries(done, rules) == ()
    assert stop_reason(done, rules) is Stop.MAX_QUERIES


@pytest.mark.contract("R5")
def test_saturation_asks_one_query_a_round_and_follows_the_gap_query_after_two() -> None:
    rules = Rules(policy="saturation")
    assert next_queries(a_state(), rules) == PLAN[:1]
    gap = Query("what is missing", origin="gap")
    later = a_state(asked=PLAN[:2], pending=(gap,), iteration=2)
    assert next_queries(later, rules) == (gap,)


@pytest.mark.contract("R5")
def test_reflective_opens_as_planned_then_follows_reflection_before_the_reserve() -> None:
    rules = Rules()
    assert next_queries(a_state(), rules) == PLAN[:1]
    found = Query("a bridge", origin="reflect")
    later = a_state(asked=PLAN[:1], pending=(found,), iteration=1)
    assert next_queries(later, rules) == (found, PLAN[1])


@pytest.mark.contract("G5")
def test_a_rejected_round_ends_saturation() -> None:
    assert stop_reason(judged(True, True, False), Rules(policy="saturation")) is Stop.SATURATED


@pytest.mark.contract("G5")
def test_reflective_ends_only_when_every_batch_of_an_iteration_was_rejected() -> None:
    both = judged(True, False, False, last_round=2)
    assert stop_reason(both, Rules()) is Stop.SATURATED
    one = judged(True, True, False, last_round=2)
    assert stop_reason(one, Rules()) is None


@pytest.mark.contract("R4")
def test_reflections_verdict_comes_before_every_limit() -> None:
    spent = judged(True, sufficient=True, iteration=99, elapsed=1e9)
    assert stop_reason(spent, Rules()) is Stop.SUFFICIENT


@pytest.mark.contract("R4", "R7")
@pytest.mark.parametrize(
    ("changes", "stop"),
    [
        ({"iteration": 5}, Stop.MAX_ITERS),
        ({"limits": Limits(max_queries=1)}, Stop.MAX_QUERIES),
        ({"elapsed": 110.0}, Stop.MAX_TIME),
        ({"degraded": True}, Stop.DEGRADED),
        ({"kept": (1,), "unchanged": 2, "limits": Limits(max_sources=1)}, Stop.MAX_SOURCES),
    ],
)
def test_each_limit_has_its_own_reason(changes: dict[str, object], stop: Stop) -> None:
    assert stop_reason(judged(True, **changes), Rules()) is stop


@pytest.mark.contract("S6")
def test_three_failures_in_a_row_or_half_of_all_open_the_circuit() -> None:
    failed = a_verdict(False, "failed")
    assert circuit_open(a_state(failures_in_a_row=3))
    assert circuit_open(a_state(verdicts=(failed, failed, a_verdict(True), a_verdict(True))))
    assert not circuit_open(a_state(verdicts=(failed, a_verdict(True), a_verdict(True))))


@pytest.mark.contract("R7")
@given(
    st.sampled_from(("fixed", "saturation", "reflective")),
    st.integers(0, 6),
    st.integers(0, 8),
)
def test_queries_never_pass_the_limit(policy: PolicyName, asked: int, limit: int) -> None:
    state = a_state(
        asked=tuple(Query(f"asked {n}") for n in range(asked)),
        pending=tuple(Query(f"pending {n}") for n in range(4)),
        iteration=asked,
        limits=Limits(max_queries=limit),
    )
    assert asked + len(next_queries(state, Rules(policy=policy))) <= max(asked, limit)


@pytest.mark.contract("F3")
def test_a_query_in_the_same_words_is_not_asked_again() -> None:
    asked = (Query("directors of The Prairie King"),)
    assert fresh((Query("The Prairie King director"),), asked) == ()


FILM = Hit("film", "The Long Tide", "The Long Tide is a 1961 film.", kind="document")
OTHER = Hit("other", "Short Ebb", "Short Ebb is a 1970 film.", kind="document")
ENOUGH: dict[str, object] = {
    "task": "Which film came out first, The Long Tide or Short Ebb?",
    "search_results": (FILM, OTHER),
    "gaps": ("open",),
}


@pytest.mark.contract("R5", "R4")
def test_the_stop_rule_ends_a_reflective_search_and_no_other() -> None:
    done = judged(True, True, **ENOUGH)
    assert stop_reason(done, Rules()) is Stop.SATURATED
    assert stop_reason(replace(done, gaps=()), Rules()) is Stop.SUFFICIENT
    assert stop_reason(done, Rules(stop_rule="gate")) is None
    assert stop_reason(done, Rules(policy="saturation")) is None
    assert stop_reason(replace(done, search_results=()), Rules()) is None, "nothing was found yet"


@pytest.mark.contract("R4")
def test_a_model_s_verdict_stands_above_the_stop_rule() -> None:
    done = judged(True, True, **ENOUGH, reflector="openai:x")
    assert stop_reason(done, Rules()) is None
