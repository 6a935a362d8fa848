"""The figures of a report as SVG: how new each search was, and which parts are still open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from leadline.render.outline import line
from leadline.types import GateVerdict

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 14, 30
TOP_SCORE = 10
SAID = {
    "first": "accepted, one of the first",
    "novel": "accepted, new",
    "epsilon": "let through by chance",
    "discarded": "left out, it repeats",
    "empty": "found nothing",
    "failed": "failed",
}


def novelty_curve(verdicts: Sequence[GateVerdict]) -> str:
    """The score of each batch against the threshold, and the same as a table."""
    verdicts = [one for one in verdicts if math.isfinite(one.score)]
    if not verdicts:
        return ""
    points = [(_x(at, len(verdicts)), _y(one.score)) for at, one in enumerate(verdicts)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(
        f'<circle class="{"in" if one.accepted else "out"}" cx="{x:.1f}" cy="{y:.1f}" r="5">'
        f"<title>{escape(_told(at, one))}</title></circle>"
        for at, (one, (x, y)) in enumerate(zip(verdicts, points, strict=True), 1)
    )
    accepted = sum(one.accepted for one in verdicts)
    said = f"{len(verdicts)} searches scored from 0 to 10 for what they add; {accepted} accepted."
    return (
        '<figure><svg class="curve" role="img" aria-labelledby="curve-t curve-d" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}"><title id="curve-t">Novelty of each search</title>'
        f'<desc id="curve-d">{said} The table below has every score.</desc>'
        f'{_axes(len(verdicts))}{_threshold(verdicts)}<polyline class="line" points="{path}"/>'
        f"{dots}</svg><figcaption>How new the results of each search were, from 0 (all known) to "
        "10 (all new). Full dots were accepted, hollow ones left out; the dashed line is the "
        f"threshold.</figcaption></figure>{_table(verdicts)}"
    )


def part_mark(supported: bool) -> str:
    """A full or hollow disc beside a part of the question."""
    word = "supported" if supported else "open"
    disc = '<circle class="in" cx="8" cy="8" r="6"/>'
    ring = '<circle class="out" cx="8" cy="8" r="5.5"/>'
    return (
        f'<svg class="part" role="img" aria-label="{word}" viewBox="0 0 16 16">'
        f"<title>{word}</title>{disc if supported else ring}</svg>"
    )


def _x(at: int, count: int) -> float:
    room = WIDTH - LEFT - RIGHT
    return LEFT + room * (at + 0.5) / count


def _y(score: float) -> float:
    share = min(max(score, 0.0), TOP_SCORE) / TOP_SCORE
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _axes(count: int) -> str:
    lines = "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(at):.1f}" y2="{_y(at):.1f}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{_y(at) + 4:.1f}" text-anchor="end">{at}</text>'
        for at in (0, 5, 10)
    )
    every = max(1, count // 20 + 1)
    rounds = "".join(
        f'<text class="tick" x="{_x(at, count):.1f}" y="{HEIGHT - 10}" text-anchor="middle">'
        f"{at + 1}</text>"
        for at in range(0, count, every)
    )
    return lines + rounds


def _threshold(verdicts: Sequence[GateVerdict]) -> str:
    y = _y(verdicts[-1].threshold)
    return f'<line class="threshold" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _told(number: int, one: GateVerdict) -> str:
    said = SAID.get(one.reason, one.reason)
    return f"Search {number}: {one.score:.1f}, {said}: {line(one.query, 120)}"


def _table(verdicts: Sequence[GateVerdict]) -> str:
    rows = "".join(
        f'<tr><td>{number}</td><td dir="auto">{escape(line(one.query, 300))}</td>'
        f'<td class="to-right">{one.hits}</td><td class="to-right">{one.score:.1f}</td>'
        f"<td>{SAID.get(one.reason, one.reason)}</td></tr>"
        for number, one in enumerate(verdicts, 1)
    )
    return (
        '<details><summary>The searches as a table</summary><div class="wide"><table>'
        "<thead><tr><th>#</th><th>Query</th><th>Results</th><th>Score</th><th>Verdict</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div></details>"
    )
