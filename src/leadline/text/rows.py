"""Reading order: boxes of text scattered over an image, put back into the lines they stand in.

Rows go from top to bottom, boxes in a row from left to right, so that the cells of a table stay
on one line. Columns of running text are not told apart from columns of a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

COLUMN = " | "
_COLUMN_GAP = 1.5  # heights of the text; a wider gap starts another column
_SAME_LINE = 0.5  # share of the lower box that must stand beside the row
_FLAT = 2.0  # times as wide as high: such a box tells how the page is tilted

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """Some text, the middle of where it stands, and its size."""

    text: str
    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2


def in_reading_order(found: Sequence[tuple[str, Sequence[Point]]]) -> str:
    """Texts with their corners (from the upper left, clockwise) as lines."""
    readable = [(" ".join(text.split()), corners) for text, corners in found]
    kept = [(text, corners) for text, corners in readable if text and len(corners) == 4]
    tilt = _tilt([corners for _, corners in kept])
    boxes = [_upright(text, corners, tilt) for text, corners in kept]
    return "\n".join(_line(row) for row in _rows(boxes))


def _tilt(quads: Sequence[Sequence[Point]]) -> float:
    """The angle of the page: the middle one of the boxes that are long enough to tell."""
    angles = []
    for first, second, _, fourth in quads:
        across, down = _between(first, second), _between(first, fourth)
        if math.hypot(*across) > _FLAT * math.hypot(*down):
            angles.append((math.atan2(across[1], across[0]), math.hypot(*across)))
    angles.sort()
    half = sum(weight for _, weight in angles) / 2
    for angle, weight in angles:
        half -= weight
        if half <= 0:
            return angle
    return 0.0


def _between(one: Point, other: Point) -> Point:
    return other[0] - one[0], other[1] - one[1]


def _upright(text: str, corners: Sequence[Point], tilt: float) -> Box:
    x, y = (sum(corner[axis] for corner in corners) / 4 for axis in (0, 1))
    cos, sin = math.cos(-tilt), math.sin(-tilt)
    width = math.hypot(*_between(corners[0], corners[1]))
    height = math.hypot(*_between(corners[0], corners[3]))
    return Box(text, x * cos - y * sin, x * sin + y * cos, width, height)


def _rows(boxes: Sequence[Box]) -> list[list[Box]]:
    """A box joins the row above it when it stands beside the last box of that row."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (box.y, box.x)):
        if rows and _beside(rows[-1], box):
            rows[-1].append(box)
        else:
            rows.append([box])
    return rows


def _beside(row: Sequence[Box], box: Box) -> bool:
    near = min(row, key=lambda one: abs(one.x - box.x))
    overlap = (near.height + box.height) / 2 - abs(near.y - box.y)
    return overlap >= _SAME_LINE * min(near.height, box.height)


def _line(row: Sequence[Box]) -> str:
    ordered = sorted(row, key=lambda box: box.left)
    line = ordered[0].text
    for before, box in pairwise(ordered):
        wide = box.left - before.right > _COLUMN_GAP * min(before.height, box.height)
        line += (COLUMN if wide else " ") + box.text
    return line
