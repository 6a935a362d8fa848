"""Charts as SVG that stand alone: values by level, a frontier with intervals, growth in logarithms.

No script, no font, no style sheet: a file can be opened by itself or put into a page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 30, 52
INK, FAINT, GRID = "#1d2530", "#5b6675", "#dde2e8"
COLOURS = ("#1f6fb2", "#c2571a", "#2e8b57", "#8a4fb0", "#b3233b", "#6b6f1c", "#0f7c87", "#555555")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 4", "10 4", "4 4", "3 1")

Scale = Callable[[float], float]


@dataclass(frozen=True)
class Strip:
    """A level of a strip chart: its values, and their mean with its interval."""

    name: str
    values: tuple[float, ...]
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Mark:
    """A point of a frontier, with an interval along each axis; `on` when nothing beats it."""

    name: str
    x: tuple[float, float, float]  # value, low, high
    y: tuple[float, float, float]
    on: bool = False


@dataclass(frozen=True)
class Line:
    """A series of a growth chart."""

    name: str
    points: tuple[tuple[float, float], ...]


def strips(title: str, unit: str, levels: Sequence[Strip]) -> str:
    """Every value of each level as a dot, the mean and its interval beside them."""
    every = [v for level in levels for v in (*level.values, level.low, level.high)]
    y = _linear(_padded(every), (HEIGHT - BOTTOM, TOP))
    room = (WIDTH - LEFT - RIGHT) / max(1, len(levels))
    parts = [_grid_y(_padded(every), y)]
    for at, level in enumerate(levels):
        middle, colour = LEFT + room * (at + 0.5), COLOURS[at % len(COLOURS)]
        for number, value in enumerate(level.values):
            shift = ((number * 7) % 11 - 5) * min(3.0, room / 40)
            parts.append(
                f'<circle cx="{middle - 16 + shift:.1f}" cy="{y(value):.1f}" r="3" '
                f'fill="{colour}" fill-opacity="0.45"/>'
            )
        beside = middle + 16
        parts += [
            _segment(beside, y(level.low), beside, y(level.high), colour, 2),
            f'<rect x="{beside - 4:.1f}" y="{y(level.mean) - 4:.1f}" width="8" height="8" '
            f'fill="{colour}"><title>{escape(level.name)}: {number_of(level.mean)} '
            f"({number_of(level.low)} to {number_of(level.high)})</title></rect>",
            _text(middle, HEIGHT - BOTTOM + 20, _short(level.name, room), "middle"),
        ]
    said = "; ".join(f"{level.name} {number_of(level.mean)}" for level in levels)
    return _svg(title, f"{unit}. Means: {said}.", [*parts, _side(unit)])


def frontier(title: str, across: str, up: str, marks: Sequence[Mark]) -> str:
    """What is found against what it costs; the line joins what nothing else beats on both."""
    xs = _padded([v for mark in marks for v in mark.x], floor=0.0)
    ys = _padded([v for mark in marks for v in mark.y])
    x, y = _linear(xs, (LEFT, WIDTH - RIGHT)), _linear(ys, (HEIGHT - BOTTOM, TOP))
    best = sorted((mark for mark in marks if mark.on), key=lambda mark: mark.x[0])
    path = " ".join(f"{x(mark.x[0]):.1f},{y(mark.y[0]):.1f}" for mark in best)
    parts = [_grid_y(ys, y), _grid_x(xs, x)]
    parts.append(f'<polyline points="{path}" fill="none" stroke="{FAINT}" stroke-dasharray="4 3"/>')
    for at, mark in enumerate(marks):
        colour = COLOURS[at % len(COLOURS)]
        cx, cy = x(mark.x[0]), y(mark.y[0])
        parts += [
            _segment(x(mark.x[1]), cy, x(mark.x[2]), cy, colour, 1),
            _segment(cx, y(mark.y[1]), cx, y(mark.y[2]), colour, 1),
            f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="5" fill="{colour if mark.on else "#fff"}" '
            f'stroke="{colour}" stroke-width="2"><title>{escape(mark.name)}: '
            f"{number_of(mark.x[0])}, {number_of(mark.y[0])}</title></circle>",
        ]
    parts += _named(marks, x, y)
    parts += [_side(up), _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across, "middle", FAINT)]
    said = "; ".join(f"{m.name} {number_of(m.x[0])}, {number_of(m.y[0])}" for m in marks)
    return _svg(title, f"{up} against {across}: {said}.", parts)


def growth(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """Series over sizes, both axes in powers of ten: a straight line is a power of the size."""
    points = [point for line in lines for point in line.points if min(point) > 0]
    xs, ys = _decades([p[0] for p in points]), _decades([p[1] for p in points])
    x, y = _log(xs, (LEFT, WIDTH - RIGHT - 130)), _log(ys, (HEIGHT - BOTTOM, TOP))
    parts = [_grid_log(xs, ys, x, y)]
    for at, line in enumerate(lines):
        colour, dash = COLOURS[at % len(COLOURS)], DASHES[at % len(DASHES)]
        drawn = [(x(a), y(b)) for a, b in line.points if a > 0 and b > 0]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in drawn)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in drawn]
        top = TOP + 8 + 20 * at
        parts.append(_segment(WIDTH - RIGHT - 120, top, WIDTH - RIGHT - 96, top, colour, 3, dash))
        parts.append(_text(WIDTH - RIGHT - 90, top + 4, _short(line.name, 100), "start"))
    parts += [_side(up), _text((LEFT + WIDTH - 150) / 2, HEIGHT - 8, across, "middle", FAINT)]
    said = "; ".join(
        f"{line.name} {number_of(line.points[0][1])} to {number_of(line.points[-1][1])}"
        for line in lines
        if line.points
    )
    return _svg(title, f"{up} against {across}: {said}.", parts)


def number_of(value: float) -> str:
    """A figure as people write it: three digits that matter, no exponent where it can be helped."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    digits = min(6, max(0, 2 - math.floor(math.log10(size))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# ── pieces ──────────────────────────────────────────────────────────────────────────────────


def _svg(title: str, said: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">'
        f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f"{_text(LEFT, 18, title, 'start', INK, bold=True)}{''.join(parts)}</svg>\n"
    )


def _text(
    x: float, y: float, text: str, anchor: str, fill: str = INK, *, bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}"{weight}>'
        f"{escape(text)}</text>"
    )


def _side(text: str) -> str:
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return (
        f'<text x="16" y="{middle:.0f}" transform="rotate(-90 16 {middle:.0f})" '
        f'text-anchor="middle" fill="{FAINT}">{escape(text)}</text>'
    )


def _segment(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float, dash: str = ""
) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashed}/>'
    )


def _named(marks: Sequence[Mark], x: Scale, y: Scale) -> list[str]:
    """The names beside the points, moved apart where they would lie on one another."""
    taken: list[tuple[float, float]] = []
    parts = []
    for mark in sorted(marks, key=lambda mark: mark.y[0], reverse=True):
        cx, cy = x(mark.x[0]), y(mark.y[0])
        right = cx < WIDTH - 200
        at = cy - 8
        while any(abs(at - other) < 13 and abs(cx - there) < 160 for there, other in taken):
            at += 13
        taken.append((cx, at))
        parts.append(_text(cx + (9 if right else -9), at, mark.name, "start" if right else "end"))
    return parts


def _short(text: str, room: float) -> str:
    most = max(4, int(room / 7))
    return text if len(text) <= most else text[: most - 1] + "…"


# ── scales ──────────────────────────────────────────────────────────────────────────────────


def _padded(values: Sequence[float], floor: float | None = None) -> tuple[float, float]:
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = (high - low) * 0.08 or max(abs(high) * 0.1, 0.5)
    bottom = low - room if floor is None else max(floor, low - room)
    if low >= 0 > bottom:
        bottom = 0.0
    return bottom, high + room


def _linear(span: tuple[float, float], pixels: tuple[float, float]) -> Scale:
    return lambda value: (
        pixels[0] + (value - span[0]) / (span[1] - span[0]) * (pixels[1] - pixels[0])
    )


def _log(span: tuple[float, float], pixels: tuple[float, float]) -> Scale:
    logs = math.log10(span[0]), math.log10(span[1])
    inner = _linear(logs, pixels)
    return lambda value: inner(math.log10(value))


def _decades(values: Sequence[float]) -> tuple[float, float]:
    known = values or [1.0, 10.0]
    low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def _ticks(span: tuple[float, float]) -> list[float]:
    rough = (span[1] - span[0]) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * by for by in (1, 2, 5, 10) if power * by >= rough)
    first = math.ceil(span[0] / step)
    return [step * at for at in range(first, math.floor(span[1] / step) + 1)]


def _grid_y(span: tuple[float, float], y: Scale) -> str:
    return "".join(
        _segment(LEFT, y(tick), WIDTH - RIGHT, y(tick), GRID, 1)
        + _text(LEFT - 8, y(tick) + 4, number_of(tick), "end", FAINT)
        for tick in _ticks(span)
    )


def _grid_x(span: tuple[float, float], x: Scale) -> str:
    return "".join(
        _segment(x(tick), TOP, x(tick), HEIGHT - BOTTOM, GRID, 1)
        + _text(x(tick), HEIGHT - BOTTOM + 18, number_of(tick), "middle", FAINT)
        for tick in _ticks(span)
    )


def _grid_log(xs: tuple[float, float], ys: tuple[float, float], x: Scale, y: Scale) -> str:
    across = [10.0**p for p in range(round(math.log10(xs[0])), round(math.log10(xs[1])) + 1)]
    up = [10.0**p for p in range(round(math.log10(ys[0])), round(math.log10(ys[1])) + 1)]
    right = x(xs[1])
    return "".join(
        [
            _segment(x(v), TOP, x(v), HEIGHT - BOTTOM, GRID, 1)
            + _text(x(v), HEIGHT - BOTTOM + 18, number_of(v), "middle", FAINT)
            for v in across
        ]
        + [
            _segment(LEFT, y(v), right, y(v), GRID, 1)
            + _text(LEFT - 8, y(v) + 4, number_of(v), "end", FAINT)
            for v in up
        ]
    )
