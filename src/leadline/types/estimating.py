"""What a run is expected to take, before it is started."""

from __future__ import annotations

from typing import Literal

from leadline.types.kinds import Tier
from leadline.values import Value

Sources = Literal["web", "documents", "both"]


class Spread(Value):
    """The middle, and the range that most runs stay in."""

    low: float
    middle: float
    high: float


class Off(Value):
    """How far past estimates of one thing were off: the median of |estimate - actual|, in %."""

    what: str
    percent: float
    runs: int


class Estimate(Value):
    """What a run would take, and what that is guessed from; `runs` past ones, or its limits.

    `cost_known` is False where nobody knows what the model's tokens cost.
    """

    tier: Tier
    reasoner: str
    sources: Sources
    seconds: Spread
    searches: Spread
    pages: Spread
    tokens: Spread
    cost: Spread
    basis: Literal["past runs", "limits"] = "limits"
    runs: int = 0
    cost_known: bool = True
    off: tuple[Off, ...] = ()
