"""Count searches, failures, cache hits and how long they took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Batch, Query

Outcome = Literal["fresh", "cached", "failed"]


class Meter(Protocol):
    """Is told of every search."""

    def searched(self, provider: str, outcome: Outcome, seconds: float, retries: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Count:
    """What one provider was asked for so far."""

    calls: int = 0
    failures: int = 0
    cached: int = 0
    retries: int = 0
    seconds: float = 0.0


class Tally:
    """A `Meter` that adds up, by provider."""

    def __init__(self) -> None:
        self.counts: dict[str, Count] = {}

    def searched(self, provider: str, outcome: Outcome, seconds: float, retries: int) -> None:
        before = self.counts.get(provider, Count())
        self.counts[provider] = replace(
            before,
            calls=before.calls + 1,
            failures=before.failures + (outcome == "failed"),
            cached=before.cached + (outcome == "cached"),
            retries=before.retries + retries,
            seconds=before.seconds + seconds,
        )


def metered(
    find: Find, name: str, meter: Meter, *, clock: Callable[[], float] = time.monotonic
) -> Find:
    """`find`, with `meter` told what came of it."""

    async def timed(query: Query, k: int) -> Batch:
        start = clock()
        try:
            batch = await find(query, k)
        except SourceLost:
            meter.searched(name, "failed", clock() - start, 0)
            raise
        outcome: Outcome = "cached" if batch.cached else "fresh"
        retries = sum(note.stage == "retry" for note in batch.notes)
        meter.searched(name, outcome, clock() - start, retries)
        return batch

    return timed
