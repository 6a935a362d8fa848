"""Tokens and money are put aside before a call and never overrun (R7, L4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import BudgetSpent
from leadline.purse import FREE, UNKNOWN, Price, Purse, Reservation
from leadline.types import Completion, Limits, Stop, Usage

DEAR = Price(prompt=10.0, completion=50.0)


def done(prompt: int, answer: int, price: Price = FREE) -> Completion:
    return Completion("", prompt, answer, price.of(prompt, answer))


@pytest.mark.contract("R7", "L4")
def test_a_call_that_could_pass_the_token_limit_is_refused() -> None:
    purse = Purse(Limits(token_budget=1000), kept=0.0)
    held = purse.reserve(600, 300)
    with pytest.raises(BudgetSpent) as spent:
        purse.reserve(100, 50)
    assert spent.value.stop is Stop.TOKEN_BUDGET
    purse.settle(held, done(300, 100))
    purse.reserve(500, 100)


@pytest.mark.contract("L4")
def test_a_call_that_could_pass_the_cost_limit_is_refused() -> None:
    purse = Purse(Limits(max_cost=0.10), kept=0.0)
    purse.settle(purse.reserve(4000, 1000, DEAR), done(4000, 1000, DEAR))
    assert purse.spent.cost == pytest.approx(0.09)
    with pytest.raises(BudgetSpent) as spent:
        purse.reserve(1000, 100, DEAR)
    assert spent.value.stop is Stop.MAX_COST
    purse.reserve(10**9, 10**9, FREE)


@pytest.mark.contract("R7")
def test_what_is_kept_back_is_for_the_report_alone() -> None:
    purse = Purse(Limits(token_budget=1000), kept=0.25)
    purse.settle(purse.reserve(700, 50), done(700, 50))
    with pytest.raises(BudgetSpent):
        purse.reserve(1, 1)
    purse.reserve(200, 50, last=True)
    assert purse.left() == 0


@pytest.mark.contract("R7")
def test_without_a_ceiling_nothing_is_refused() -> None:
    purse = Purse(Limits())
    purse.reserve(10**9, 10**9, DEAR)
    assert purse.left() is None


@pytest.mark.contract("R9")
def test_what_an_earlier_life_of_the_run_spent_counts() -> None:
    purse = Purse(Limits(token_budget=1000), kept=0.0)
    purse.recall(Usage(calls=3, prompt_tokens=800, completion_tokens=150))
    with pytest.raises(BudgetSpent):
        purse.reserve(60, 0)
    assert purse.spent.calls == 3


def test_a_call_that_was_never_answered_gives_everything_back() -> None:
    purse = Purse(Limits(token_budget=1000), kept=0.0)
    purse.release(purse.reserve(900, 100))
    assert purse.tokens_out == 0
    assert purse.spent == Usage()


def test_an_unknown_price_is_known_to_be_unknown() -> None:
    assert not UNKNOWN.known
    assert UNKNOWN.of(10**6, 10**6) == 0.0


calls = st.lists(
    st.tuples(
        st.integers(0, 5000),  # prompt
        st.integers(1, 3000),  # most that the answer may take
        st.floats(0, 1),  # how much of that it takes
        st.sampled_from(["now", "later", "fails"]),
        st.booleans(),  # writes the report
    ),
    max_size=60,
)


@pytest.mark.contract("R7", "L4")
@settings(max_examples=300)
@given(
    calls=calls,
    budget=st.integers(1, 50_000),
    cost=st.floats(0.001, 1.0),
    overrun=st.floats(0, 1),
)
def test_no_run_overruns_by_more_than_one_call_put_aside(
    calls: list[tuple[int, int, float, str, bool]], budget: int, cost: float, overrun: float
) -> None:
    """Whatever is asked, in whatever order it comes back, and though prompts are miscounted."""
    purse = Purse(Limits(token_budget=budget, max_cost=cost))
    waiting: list[tuple[Reservation, Completion]] = []
    largest, dearest = 0, 0.0
    for prompt, most, share, how, last in calls:
        try:
            held = purse.reserve(prompt, most, DEAR, last=last)
        except BudgetSpent:
            continue
        largest, dearest = max(largest, held.tokens), max(dearest, held.cost)
        taken = done(prompt, int(most * share), DEAR)
        if how == "fails":
            purse.release(held)
        elif how == "now":
            purse.settle(held, taken)
        else:
            waiting.append((held, taken))
        assert purse.tokens_out <= budget
        assert purse.cost_out <= cost + 1e-9
    for number, (held, taken) in enumerate(waiting):
        # The last one turns out longer than it was counted at: by no more than itself.
        more = overrun if number == len(waiting) - 1 else 0.0
        prompt = int(taken.prompt_tokens * (1 + more))
        purse.settle(held, done(prompt, taken.completion_tokens, DEAR))
    spent = purse.spent.prompt_tokens + purse.spent.completion_tokens
    assert spent <= budget + largest
    assert purse.spent.cost <= cost + dearest + 1e-9
