"""Reading order: boxes of text scattered over an image, put back into the lines they stand in.

Rows go from top to bottom, boxes in a row from left to right, so that the cells of a table stay
on one line. Columns of running text are not told apart from columns of a table.
"""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

COLUMN = " | "
_COLUMN_GAP = 1.5  # heights of the text; a wider gap starts another column
_SAME_LINE = 0.5  # share of the lower box that must stand beside the row
_FLAT = 2.0  # times as wide as high: such a box tells how the page is tilted

Point = tuple[float, float]


class _Box(NamedTuple):
    """Some text, upright: `y` is the middle of it."""

    y: float
    left: float
    right: float
    height: float
    text: str


def in_reading_order(found: Sequence[tuple[str, Sequence[Point]]]) -> str:
    """Texts with their corners (from the upper left, clockwise) as lines."""
    readable = [
        (" ".join(text.split()), [complex(*corner) for corner in corners])
        for text, corners in found
        if text.strip() and len(corners) == 4
    ]
    tilt = _tilt([corners for _, corners in readable])
    rows: list[list[_Box]] = []
    for box in sorted(_upright(text, corners, tilt) for text, corners in readable):
        if rows and _beside(rows[-1], box):
            rows[-1].append(box)
        else:
            rows.append([box])
    return "\n".join(map(_line, rows))


def _tilt(quads: Sequence[Sequence[complex]]) -> float:
    """The angle of the page: the middle one of the boxes that are long enough to tell."""
    long = [quad for quad in quads if abs(quad[1] - quad[0]) > _FLAT * abs(quad[3] - quad[0])]
    return median_low([cmath.phase(quad[1] - quad[0]) for quad in long]) if long else 0.0


def _upright(text: str, corners: Sequence[complex], tilt: float) -> _Box:
    turned = [corner * cmath.rect(1, -tilt) for corner in corners]
    across = [corner.real for corner in turned]
    height = abs(turned[3] - turned[0])
    return _Box(sum(turned).imag / 4, min(across), max(across), height, text)


def _beside(row: Sequence[_Box], box: _Box) -> bool:
    near = min(row, key=lambda other: abs(other.left + other.right - box.left - box.right))
    overlap = (near.height + box.height) / 2 - abs(near.y - box.y)
    return overlap >= _SAME_LINE * min(near.height, box.height)


def _line(row: Sequence[_Box]) -> str:
    ordered = sorted(row, key=lambda box: box.left)
    line = ordered[0].text
    for before, box in pairwise(ordered):
        wide = box.left - before.right > _COLUMN_GAP * min(before.height, box.height)
        line += (COLUMN if wide else " ") + box.text
    return line
