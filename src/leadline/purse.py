"""The purse: tokens and money are put aside before a call is made and settled after it.

A call that could pass a limit is refused, so the limits hold whatever the model does. A part is
kept back that only the calls which write the report may use.
"""

from __future__ import annotations

from dataclasses import dataclass

from leadline.errors import BudgetSpent
from leadline.types import Completion, Limits, Stop, Usage
from leadline.values import replace

KEPT_FOR_REPORT = 0.25  # of tokens and of money


@dataclass(frozen=True)
class Price:
    """Money for a million tokens. A local model costs nothing; an unknown one is not `known`."""

    prompt: float = 0.0
    completion: float = 0.0
    known: bool = True

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1_000_000


FREE = Price()
UNKNOWN = Price(known=False)


@dataclass(frozen=True)
class Reservation:
    """What was put aside for one call."""

    number: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Purse:
    """What a run may still spend on models; shared by all its calls."""

    def __init__(self, limits: Limits, *, kept: float = KEPT_FOR_REPORT) -> None:
        self._limits, self._kept = limits, kept
        self._open: dict[int, Reservation] = {}
        self._made = 0
        self.spent = Usage()

    def recall(self, usage: Usage) -> None:
        """Count what finished steps of an earlier life of this run have spent."""
        self.spent = _sum(self.spent, usage)

    def reserve(
        self, prompt_tokens: int, completion_tokens: int, price: Price = FREE, *, last: bool = False
    ) -> Reservation:
        """Put aside what a call may take at most, or raise `BudgetSpent`."""
        tokens = prompt_tokens + completion_tokens
        cost = price.of(prompt_tokens, completion_tokens)
        share = 1.0 if last else 1.0 - self._kept
        self._refuse_over(
            Stop.TOKEN_BUDGET, "tokens", tokens, self.tokens_out, self._limits.token_budget * share
        )
        self._refuse_over(
            Stop.MAX_COST, "money", cost, self.cost_out, self._limits.max_cost * share
        )
        self._made += 1
        held = Reservation(self._made, prompt_tokens, completion_tokens, cost)
        self._open[held.number] = held
        return held

    def settle(self, held: Reservation, completion: Completion) -> None:
        """The call came back: count what it took, give the rest back."""
        self._open.pop(held.number)
        self.recall(
            Usage(
                calls=1,
                prompt_tokens=completion.prompt_tokens,
                completion_tokens=completion.completion_tokens,
                cost=completion.cost,
            )
        )

    def release(self, held: Reservation) -> None:
        """The call was never answered: give everything back."""
        self._open.pop(held.number)

    @property
    def tokens_out(self) -> int:
        """Tokens spent and put aside."""
        spent = self.spent.prompt_tokens + self.spent.completion_tokens
        return spent + sum(held.tokens for held in self._open.values())

    @property
    def cost_out(self) -> float:
        """Money spent and put aside."""
        return self.spent.cost + sum(held.cost for held in self._open.values())

    def left(self, *, last: bool = False) -> int | None:
        """Tokens that the next call may take with its answer; None without a ceiling."""
        if not self._limits.token_budget:
            return None
        share = 1.0 if last else 1.0 - self._kept
        return max(0, int(self._limits.token_budget * share) - self.tokens_out)

    def _refuse_over(
        self, stop: Stop, what: str, wanted: float, out: float, ceiling: float
    ) -> None:
        if ceiling and out + wanted > ceiling:
            raise BudgetSpent(
                stop,
                f"a call would take up to {wanted:.6g} of {what}; {out:.6g} are spent or put "
                f"aside, and {ceiling:.6g} may be",
            )


def _sum(one: Usage, other: Usage) -> Usage:
    return replace(
        one,
        calls=one.calls + other.calls,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cost=one.cost + other.cost,
    )
