"""How the time of something grows with its size, so that no test counts seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 8  # as large: linear work takes 8 times as long, the square of it 64 times
LINEAR = 24.0  # halfway between, by factors
_LEAST_S = 0.002  # below it a clock says little


def growth(do: Callable[[int], object], small: int, tries: int = 5) -> float:
    """How much longer `do` takes for what is `TIMES` as large; no size is asked for twice, since
    much is remembered by its text.

    The least of several tries on either side: other work on the machine makes any of them longer,
    and none of them shorter. Done as soon as one pair of them is linear.
    """
    do(small + 1)  # patterns and tables are made at the first use
    before = after = float("inf")
    for number in range(tries):
        before = min(before, _seconds(do, small - number))
        after = min(after, _seconds(do, TIMES * small - number))
        if after < LINEAR * max(before, _LEAST_S):
            break
    return after / max(before, _LEAST_S)


def _seconds(do: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    do(size)
    return time.process_time() - began
