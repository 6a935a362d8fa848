"""The time of a run, and how its steps hear that the report is wanted now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from leadline.results import Record

Kind = Literal["gathering", "reading", "writing"]  # what a step does, and so when it is ended
SOON_S = 3.0  # for pages on their way once the report is wanted: only they can be quoted


class Clock(Protocol):
    """Time as the run sees it."""

    def now(self) -> datetime:
        """Now, in UTC."""

    def ticks(self) -> float:
        """Seconds from some fixed instant, never going back."""


@dataclass(frozen=True)
class Past:
    """What earlier lives of a run left: rows written, and seconds they were active.

    `free` seconds of those were another run's, which this one was forked from: its own time
    limit starts after them.
    """

    seq: int = 0
    elapsed: float = 0.0
    free: float = 0.0

    @classmethod
    def of(cls, records: Iterable[Record], free: float = 0.0) -> Past:
        """What these records say of them."""
        kept = list(records)
        return cls(
            seq=max((record["seq"] for record in kept), default=0),
            elapsed=max((record["elapsed"] for record in kept), default=0.0),
            free=free,
        )


class Pulse:
    """What a run shares with its children: its time, and the order in which rows are written."""

    def __init__(self, clock: Clock, past: Past) -> None:
        self.clock, self.seq, self.free = clock, past.seq, past.free
        self.before, self._since = past.elapsed, clock.ticks()
        self.turn = asyncio.Lock()
        self.enough = False  # somebody wants the report now
        self._bells: dict[asyncio.Future[Any], Kind] = {}
        self._doing: dict[object, tuple[str, str]] = {}

    def active(self) -> float:
        return self.before + self.clock.ticks() - self._since

    def spent(self) -> float:
        """Seconds that count against the limit."""
        return self.active() - self.free

    @contextmanager
    def doing(self, name: str, what: str) -> Iterator[None]:
        """A step is under way: its name, and what it is about."""
        mark = object()
        self._doing[mark] = name, what
        try:
            yield
        finally:
            del self._doing[mark]

    @property
    def under_way(self) -> tuple[tuple[str, str], ...]:
        """The steps that are under way, in the order in which they began."""
        return tuple(self._doing.values())

    def bell(self, kind: Kind) -> asyncio.Future[Any]:
        """Rings when the report is wanted: for what gathers at once, for what reads soon, and
        for what writes never."""
        bell = asyncio.get_running_loop().create_future()
        self._bells[bell] = kind
        if self.enough:
            self._ring_soon()
        return bell

    def unhang(self, bell: asyncio.Future[Any]) -> None:
        """Nobody listens to it any more."""
        self._bells.pop(bell, None)

    def finish(self) -> None:
        """The report is wanted now."""
        self.enough = True
        self._ring("gathering")
        self._ring_soon()

    def _ring_soon(self) -> None:
        if "reading" in self._bells.values():
            asyncio.get_running_loop().call_later(SOON_S, self._ring, "reading")

    def _ring(self, kind: Kind) -> None:
        for bell in [one for one, hangs_for in self._bells.items() if hangs_for == kind]:
            self.unhang(bell)
            bell.set_result(None)
