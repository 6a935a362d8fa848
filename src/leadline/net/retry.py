"""How long a server wants to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

_LONGEST_S = 86_400.0


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
