"""The range told before a run holds what it should, whatever the runs are like."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.observe.spreads import FEW, spread


@pytest.mark.contract("R11")
@pytest.mark.parametrize("past", [6, 10, 20, 50])
@pytest.mark.parametrize("shape", ["even", "long tail", "few values"])
def test_the_range_holds_most_of_what_comes_next(past: int, shape: str) -> None:
    dice = random.Random(past)
    draw: Callable[[], float] = {
        "even": lambda: dice.uniform(1, 3),
        "long tail": lambda: dice.lognormvariate(0, 0.8),
        "few values": lambda: float(dice.choice([2, 3, 3, 5])),
    }[shape]
    held = 0
    for _ in range(1500):
        told, came = spread([draw() for _ in range(past)]), draw()
        held += told.low <= came <= told.high
    assert held / 1500 >= 0.8
    if shape != "few values":
        assert held / 1500 <= 0.97


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=60))
def test_the_middle_lies_in_the_range_and_nothing_is_negative(values: list[float]) -> None:
    told = spread(values, 1.1)
    assert 0 <= told.low <= told.middle <= told.high


def test_of_a_few_runs_half_to_twice_is_said() -> None:
    told = spread([4.0] * (FEW - 1))
    assert (told.low, told.middle, told.high) == (2.0, 4.0, 8.0)
