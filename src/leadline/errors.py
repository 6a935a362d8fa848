"""Everything Leadline raises on purpose.

    LeadlineError
    ├── BadInput            the user can mend it: a wrong value, a missing folder (exit 2, 422)
    │   └── WrongSetting    settings were made with a value or a name there is none of
    ├── BudgetSpent         a limit was reached; carries the stop reason
    ├── SourceLost          one search, page or file could not be had; the run goes on
    ├── ReasonerFailed      a model gave nothing usable; the extractive step takes over
    ├── StoreBroken         a file of ours cannot be read or written; says which and what to do
    ├── PlanDeclined        a person did not take the plan; the run can be resumed
    ├── RunNotFound         no run has that id
    └── RunStopped          a run ended without a result: cancelled, interrupted or failed
        └── RunRefused      it failed by what it was given; is `BadInput` too

Each message says what was wanted, what was got and, where there is one, what to do about it.
"""

from __future__ import annotations

from typing import Literal

from leadline.types import Asked, Completion, Stop

ModelTrouble = Literal[
    "failed",  # anything that has no word of its own
    "unreachable",  # nobody answers at the address
    "timeout",
    "refused",  # the key is wrong or missing, or the account may not
    "missing",  # the server has no such model
    "busy",  # too many requests, or the server is down for a moment
    "overlong",  # the prompt does not fit the model's window
    "malformed",  # the answer is not of the shape that was asked for
    "empty",
]


# What reading something that a stranger sent can trip over, however carefully it is written.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


class LeadlineError(Exception):
    """The root; a face turns any of these into a message, never a traceback."""


class BadInput(LeadlineError):
    """The request cannot be carried out as given."""


class WrongSetting(BadInput, ValueError):
    """Settings were made in code, or are kept with a run, that there cannot be."""


def with_extra(extra: str) -> str:
    """How to install what an extra brings: from the checkout, as Leadline is in no registry."""
    return f"in Leadline's checkout: pip install '.[{extra}]', or uv tool install '.[{extra}]'"


ENOUGH = "the report was asked for before this was done"


class BudgetSpent(LeadlineError):
    """A hard limit was reached before or during a spend."""

    def __init__(self, stop: Stop, message: str = "") -> None:
        super().__init__(message or f"the limit {stop.value} was reached")
        self.stop = stop


class SourceLost(LeadlineError):
    """One search, page or file could not be had; `retryable` when trying again may help.

    `asked` are the requests to search providers that were made for it.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after: float = 0.0,
        asked: tuple[Asked, ...] = (),
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
        self.asked = asked

    def having_asked(self, asked: tuple[Asked, ...]) -> SourceLost:
        """The same failure, told with these requests."""
        return SourceLost(
            str(self), retryable=self.retryable, retry_after=self.retry_after, asked=asked
        )


class ReasonerFailed(LeadlineError):
    """A reasoner could not give a usable answer; `type` says in one word what was wrong."""

    def __init__(
        self,
        message: str,
        *,
        type: ModelTrouble = "failed",
        retryable: bool = False,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.type: ModelTrouble = type
        self.retryable = retryable
        self.retry_after = retry_after
        self.took: Completion | None = None  # what was paid for the failure


class StoreBroken(LeadlineError):
    """A file that Leadline keeps cannot be read or written."""


class PlanDeclined(LeadlineError):
    """Whoever was shown the plan did not take it; nothing was spent on it."""


class RunNotFound(LeadlineError):
    """No run has the given id."""


class RunStopped(LeadlineError):
    """A run ended without a result. `status` says how; what it gathered is kept."""

    def __init__(self, run_id: str, status: str, reason: str = "") -> None:
        why = f": {reason}" if reason else ""
        super().__init__(
            f"run {run_id} was {status}{why}; go on with it: leadline runs resume {run_id}"
            if status != "failed"
            else f"run {run_id} failed{why}; try again: leadline runs resume {run_id}"
        )
        self.run_id, self.status, self.reason = run_id, status, reason


class RunRefused(RunStopped, BadInput):
    """A run that failed inside by what it was given: the user can mend it (exit 2, 422)."""
