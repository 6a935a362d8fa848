"""What is tried again, how often, and how long a server wants to be left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st
from stamina.instrumentation import RetryDetails, set_on_retry_hooks

from leadline.errors import SourceLost
from leadline.retry import retried, retry_after, source_retried
from leadline.types import Asked

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPOILT = ("99999999999999999999", "+99999999999999999999", "Wed, 21 Oct 0000 07:28:00 GMT", "Mon,")


@pytest.mark.contract("S6")
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 120 ", 120.0),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60.0),
        ("Thu, 01 Jan 2026 01:01:00 +0100", 60.0),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 +99999999999999999999", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 -2359", 0.0),
        ("soon", 0.0),
        ("", 0.0),
        ("-5", 0.0),
        ("9" * 40, 86_400.0),
        ("²", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float) -> None:
    assert retry_after({"retry-after": value}, NOW) == seconds


def test_a_date_is_measured_by_the_servers_own_clock_where_it_tells_the_time() -> None:
    headers = {
        "retry-after": "Wed, 21 Oct 2015 07:28:05 GMT",
        "date": "Wed, 21 Oct 2015 07:28:00 GMT",
    }
    assert retry_after(headers, NOW) == 5
    assert retry_after(headers | {"date": "no date"}, NOW) == 0


@given(value=st.text() | st.sampled_from(SPOILT), date=st.text() | st.sampled_from(SPOILT))
def test_no_header_breaks_it(value: str, date: str) -> None:
    assert 0 <= retry_after({"retry-after": value, "date": date}, NOW) <= 86_400


# ── what is tried again ─────────────────────────────────────────────────────────────────────


@pytest.fixture
def waiting() -> Iterator[None]:
    """Waits as in a run."""
    stamina.set_testing(False)
    yield
    stamina.set_testing(True, attempts=99, cap=True)


def busy(after: float = 0.0) -> SourceLost:
    return SourceLost("busy", retryable=True, retry_after=after, asked=(Asked("one", 0.1, "x"),))


class Failing:
    """Fails with the given losses first."""

    def __init__(self, *losses: SourceLost) -> None:
        self._losses = list(losses)
        self.asked = 0

    async def __call__(self) -> str:
        self.asked += 1
        if self._losses:
            raise self._losses.pop(0)
        return "there"


@pytest.mark.contract("S6")
def test_what_may_pass_is_tried_again_and_its_failures_are_told() -> None:
    first, second = busy(), busy(7.5)
    answer, failures = asyncio.run(source_retried(Failing(first, second), attempts=3))
    assert (answer, failures) == ("there", (first, second))


@pytest.mark.contract("S6")
def test_it_is_not_tried_for_ever() -> None:
    call = Failing(*[busy()] * 9)
    with pytest.raises(SourceLost, match="busy; given up after 3 attempts") as caught:
        asyncio.run(source_retried(call, attempts=3))
    assert call.asked == len(caught.value.asked) == 3


@pytest.mark.contract("S6")
@pytest.mark.parametrize(
    ("lost", "said"),
    [
        (SourceLost("wrong key"), "wrong key"),
        (busy(60), "busy; it asks to wait 60 s"),
    ],
)
def test_what_will_not_change_or_wants_too_long_is_asked_once(lost: SourceLost, said: str) -> None:
    call = Failing(lost, lost)
    with pytest.raises(SourceLost) as caught:
        asyncio.run(source_retried(call, attempts=3))
    assert (str(caught.value), call.asked) == (said, 1)
    assert caught.value.retry_after == lost.retry_after


@pytest.mark.contract("S6")
def test_a_server_is_given_the_time_it_asks_for_and_else_waits_grow(waiting: None) -> None:
    seconds: list[float] = []

    def note(details: RetryDetails) -> None:
        seconds.append(details.wait_for)

    set_on_retry_hooks([note])
    call = Failing(busy(0.04), busy(), busy())
    asyncio.run(retried(call, attempts=4, first_wait_s=0.02, max_wait_s=0.05))
    set_on_retry_hooks(None)
    assert seconds[0] == pytest.approx(0.04)
    assert 0.02 <= seconds[1] <= 0.03
    assert 0.04 <= seconds[2] <= 0.05


@pytest.mark.contract("S6")
def test_who_does_not_answer_for_long_is_asked_twice(waiting: None) -> None:
    class Silent(Failing):
        async def __call__(self) -> str:
            await asyncio.sleep(0.03)
            return await super().__call__()

    call = Silent(*[busy()] * 9)
    with pytest.raises(SourceLost):
        asyncio.run(retried(call, attempts=4, first_wait_s=0.001, patience_s=0.045))
    assert call.asked == 2


def test_a_retry_says_nothing_to_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    asyncio.run(retried(Failing(busy()), attempts=2, first_wait_s=0.001))
    assert capfd.readouterr() == ("", "")
