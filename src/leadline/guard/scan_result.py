"""What a scan of a text says. Apart from the scanner, which loads numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["clean", "suspect", "attack"]

SUSPECT, ATTACK = 0.5, 0.82


@dataclass(frozen=True)
class Spot:
    """`text[start:end]` speaks to the machine that reads; `score` is 0–1, 0.5 being the line."""

    start: int
    end: int
    score: float
    reason: str
    excerpt: str


@dataclass(frozen=True)
class Scan:
    """The verdict on a text and the spots that it rests on, in reading order."""

    verdict: Verdict
    score: float
    spots: tuple[Spot, ...] = ()

    @property
    def attacks(self) -> tuple[Spot, ...]:
        """The spots that are more than suspect."""
        return tuple(spot for spot in self.spots if spot.score >= ATTACK)


def verdict_on(score: float) -> Verdict:
    if score >= ATTACK:
        return "attack"
    return "suspect" if score >= SUSPECT else "clean"
