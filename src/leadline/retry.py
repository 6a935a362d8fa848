"""The one rule for trying again: only what may pass, a little later each time, and not for ever.

A server that says how long it wants to be left alone is left alone so long; one that wants longer
than we wait is not asked again, since going on without its leave would break what it asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from leadline.errors import ReasonerFailed, SourceLost

T = TypeVar("T")
Failure = SourceLost | ReasonerFailed

MAX_WAIT_S = 10.0
_LONGEST_S = 86_400.0

# stamina warns of every retry, and Python prints a warning that nobody handles; a run notes them.
logging.getLogger("stamina").addHandler(logging.NullHandler())


async def retried(
    call: Callable[[], Awaitable[T]],
    *,
    attempts: int,
    first_wait_s: float = 0.5,
    max_wait_s: float = MAX_WAIT_S,
    patience_s: float | None = None,
    worth: Callable[[Failure], bool] = lambda failure: failure.retryable,
) -> T:
    """What `call` brings, asked up to `attempts` times while its failures are `worth` another try,
    and no more once `patience_s` are over. Waits double each time, with up to half left out."""
    import stamina

    def wait_for(error: Exception) -> bool | float:
        if not isinstance(error, Failure) or not worth(error) or error.retry_after > max_wait_s:
            return False
        return error.retry_after or True

    async for attempt in stamina.retry_context(
        on=wait_for,
        attempts=attempts,
        timeout=patience_s,
        wait_initial=first_wait_s / 2,
        wait_jitter=first_wait_s / 2,
        wait_max=max_wait_s,
    ):
        with attempt:
            return await call()
    raise AssertionError("the last attempt returns or raises")


async def source_retried(
    call: Callable[[], Awaitable[T]], *, attempts: int, patience_s: float | None = None
) -> tuple[T, tuple[SourceLost, ...]]:
    """What `call` brings in the end, and the failures before it. Raises the last `SourceLost`,
    with how often it was tried and every request that was made."""
    failures: list[SourceLost] = []

    async def once() -> T:
        try:
            return await call()
        except SourceLost as lost:
            failures.append(lost)
            raise

    try:
        return await retried(once, attempts=attempts, patience_s=patience_s), tuple(failures)
    except SourceLost as lost:
        raise _given_up(lost, failures) from lost


def _given_up(lost: SourceLost, failures: list[SourceLost]) -> SourceLost:
    why = str(lost)
    if lost.retryable and lost.retry_after > MAX_WAIT_S:
        why += f"; it asks to wait {lost.retry_after:g} s"
    if len(failures) > 1:
        why += f"; given up after {len(failures)} attempts"
    calls = tuple(asked for failure in failures for asked in failure.asked)
    return SourceLost(why, retryable=lost.retryable, retry_after=lost.retry_after, asked=calls)


def retry_after(headers: Mapping[str, str], now: datetime) -> float:
    """The seconds that `Retry-After` asks for, in seconds or as a date; 0 where it says nothing
    that can be read. A date is measured by the server's own clock where it tells the time."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(_LONGEST_S, float(text[:9]))
    then = _date(text)
    if then is None:
        return 0.0
    since = _date(headers.get("date", "")) or now
    return min(_LONGEST_S, max(0.0, (then - since).total_seconds()))


def _date(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(text.strip())
        aware = when if when.tzinfo else when.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError, TypeError):  # years and zones that no calendar has
        return None
