"""What a scan of a text says, and how it travels between processes.

Apart from the scanner, so that nobody loads it who only wants to know what it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from leadline.frozen import frozen

Verdict = Literal["clean", "suspect", "attack"]

SUSPECT, ATTACK = 0.5, 0.82
LIKE = 0.4  # the score of a sentence that only reads like an instruction


@frozen
class Spot:
    """`text[start:end]` speaks to the machine that reads; `score` is 0–1, 0.5 being the line."""

    start: int
    end: int
    score: float
    reason: str
    excerpt: str


@frozen
class Scan:
    verdict: Verdict
    score: float
    spots: tuple[Spot, ...] = ()
    told: tuple[Spot, ...] = ()  # sentences that only read like an instruction: no claim is one
    nearly: tuple[Spot, ...] = ()  # those that nearly do: none of the web's is quoted


Row = list[Any]  # as JSON has it


def packed(said: Scan) -> Row:
    """A scan for the way to another process."""
    parts = (said.spots, said.told, said.nearly)
    rows = [[[s.start, s.end, s.score, s.reason, s.excerpt] for s in part] for part in parts]
    return [said.verdict, said.score, *rows]


def unpacked(row: Row) -> Scan:
    """The scan that was `packed`. Raises `ValueError` or `TypeError` where it is none."""
    verdict, score, *parts = row
    spots, told, nearly = (_spots(part) for part in parts)
    return Scan(verdict, score, spots, told, nearly)


def _spots(rows: Sequence[Row]) -> tuple[Spot, ...]:
    return tuple(Spot(*row) for row in rows)
