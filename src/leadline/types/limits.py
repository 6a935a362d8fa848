"""What a run may spend, what it has spent, and what it is expected to take."""

from __future__ import annotations

from typing import Literal

from leadline.types.kinds import Tier
from leadline.values import Value


class Usage(Value):
    """What a run has spent so far."""

    searches: int = 0
    pages: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


class Limits(Value):
    """Hard ceilings of a run; zero means no ceiling for tokens and money."""

    max_iters: int = 5
    max_queries: int = 10
    max_sources: int = 15
    max_execution_time_s: float = 120.0
    token_budget: int = 0
    max_cost: float = 0.0
    report_s: float = 15.0  # seconds kept back for the report, at most
    report_share: float = 0.2  # and no more than this share of all

    @property
    def reserve_s(self) -> float:
        """Seconds kept back so that the report can always be written."""
        return min(self.report_s, self.report_share * self.max_execution_time_s)

    @property
    def gather_s(self) -> float:
        """Seconds that searching and reading may take."""
        return self.max_execution_time_s - self.reserve_s


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
