"""How long a server wants to be left alone, whatever it says."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.net.retry import retry_after

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
