"""A clock for tests and benches: the same times in every run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)


class FakeClock:
    """Starts at a fixed instant and moves a little each time someone looks."""

    def __init__(self, start: datetime = START, tick: float = 0.001) -> None:
        self._start, self._tick, self._passed = start, tick, 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.ticks())

    def ticks(self) -> float:
        self._passed += self._tick
        return self._passed

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._passed += seconds
