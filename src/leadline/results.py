"""How a finished step becomes JSON and comes back: its result by the annotated return type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from types import CodeType, SimpleNamespace
from typing import Any, TypedDict, TypeVar, get_args, get_origin, get_type_hints

from leadline.codec import dumped, loaded
from leadline.errors import BudgetSpent, LeadlineError, ReasonerFailed, SourceLost
from leadline.ports import Row
from leadline.types import Stop

T = TypeVar("T")

_RESULT_TYPES: dict[CodeType, Any] = {}

# What a step may end with and still be finished. Anything else leaves no record.
OUTCOMES: dict[str, type[LeadlineError]] = {
    kind.__name__: kind for kind in (SourceLost, BudgetSpent, ReasonerFailed)
}


class Failure(TypedDict):
    """An error as it is written down."""

    kind: str
    message: str
    stop: str


class OwnRecord(TypedDict):
    """One finished step of a run itself, as JSON."""

    seq: int
    name: str
    started_at: str
    finished_at: str
    elapsed: float
    value: Any
    error: Failure | None


class Record(OwnRecord, total=False):
    """One finished step, as JSON; `child` says of which child run, `what` which page, search or
    image it was that could not be had."""

    child: str
    what: str


# Where a step stands: in which child ("" for the run itself), and as which of its steps, from 1.
Place = tuple[str, int]


def to_json(do: Callable[..., Awaitable[T]], value: T) -> Any:
    """The result of `do` as it is kept. `TypeError` when nobody could read it back."""
    result_type(do)
    return dumped(value)


def from_json(do: Callable[..., Awaitable[T]], kept: Any) -> T:
    """The result of `do` that was kept, by its annotated return type; `codec.Misfit` if it is
    none."""
    result: T = loaded(result_type(do), kept)
    return result


def result_type(do: Callable[..., Awaitable[Any]]) -> Any:
    """What a step returns, by its annotation. `TypeError` where it has none."""
    function: Any = do
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not hasattr(function, "__code__"):
        function = type(function).__call__
    code: CodeType = function.__code__
    if code not in _RESULT_TYPES:
        _RESULT_TYPES[code] = _annotated_result(function)
    return _RESULT_TYPES[code]


def _annotated_result(function: Any) -> Any:
    try:  # of this one annotation alone: what others name may be known to type checkers only
        annotation = SimpleNamespace(__annotations__={"": function.__annotations__["return"]})
        result = get_type_hints(annotation, function.__globals__)[""]
    except (KeyError, NameError) as error:
        what = f"{function.__module__}.{function.__qualname__}"
        raise TypeError(f"a step needs a return type known at run time: {what}") from error
    if get_origin(result) in (Awaitable, Coroutine):
        result = get_args(result)[-1]
    return result


def failure(error: BaseException) -> Failure:
    """An error as JSON."""
    stop = error.stop.value if isinstance(error, BudgetSpent) else ""
    return Failure(kind=type(error).__name__, message=str(error), stop=stop)


def error_of(written: Failure) -> LeadlineError:
    """The error that was written down, of the type it had where that is an outcome."""
    if written["stop"]:
        return BudgetSpent(Stop(written["stop"]), written["message"])
    return OUTCOMES.get(written["kind"], LeadlineError)(written["message"])


def row_of(record: Record) -> Row:
    """A record as the rest of the program sees it."""
    return Row(
        seq=record["seq"],
        name=record["name"],
        started_at=datetime.fromisoformat(record["started_at"]),
        finished_at=datetime.fromisoformat(record["finished_at"]),
        elapsed=record["elapsed"],
        value=record["value"],
        error=record["error"]["message"] if record["error"] else "",
        child=record.get("child", ""),
        what=record.get("what", ""),
    )
