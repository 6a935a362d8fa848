"""Draw the plots of docs/evidence.md from the JSON that the benches wrote. No library is needed.

python tools/evidence_plots.py --stop NAME=FILE.json … --rows ablation.jsonl --out docs/images
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

WIDE, HIGH, LEFT, TOP, RIGHT, FOOT = 640, 340, 56, 34, 150, 44
RULES = ("gate", "unchanged1", "unchanged", "parts", "value", "complete", "chain", "oracle")
SAID = {"unchanged1": "unchanged once", "complete": "chain whole", "gate": "novelty gate"}
STYLE = (
    "<style>text{font:12px system-ui,sans-serif;fill:#333}.a{stroke:#999;fill:none}"
    ".l{stroke:#0b6;fill:none;stroke-width:2}.p{fill:#0b6}.r{fill:#c33}.d{fill:#06c}"
    ".g{stroke:#ddd}.b{fill:#06c}.t{font-size:14px;font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}}</style>"
)


def frontier(name: str, found: dict[str, Any]) -> str:
    """Searches against questions with all evidence: fixed counts as a line, rules as points."""
    counts = [(found[f"searches.fixed{n}"], found[f"all_gold10.fixed{n}"]) for n in range(1, 9)]
    rules = [(rule, found[f"searches.{rule}"], found[f"all_gold10.{rule}"]) for rule in RULES]
    values = [y for _, y in counts] + [y for _, _, y in rules]
    low, high = min(values) - 0.03, max(values) + 0.03

    def at(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - 1) / 7 * (WIDE - LEFT - RIGHT)
        return across, TOP + (high - y) / (high - low) * (HIGH - TOP - FOOT)

    marks = [_text(LEFT, 20, f"{name}: all evidence among the ten kept, n = {found['n']}", "t")]
    marks += _axes(at, low, high)
    line = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in counts)
    marks.append(f'<polyline class="l" points="{line}"/>')
    marks += [_dot(*at(x, y), "p", 3) for x, y in counts]
    taken: list[float] = []
    for rule, x, y in sorted(rules, key=lambda one: -one[2]):
        across, down = at(x, y)
        marks.append(_dot(across, down, "d" if rule == "chain" else "r", 5))
        level = _free(down, taken)
        marks.append(_line(across, down, WIDE - RIGHT + 8, level))
        marks.append(_text(WIDE - RIGHT + 12, level + 4, SAID.get(rule, rule)))
    marks.append(_text(WIDE - RIGHT + 12, HIGH - 12, "line: fixed counts"))
    return _svg(marks, HIGH)


def _free(down: float, taken: list[float]) -> float:
    level = down
    while any(abs(level - other) < 15 for other in taken):
        level += 3
    taken.append(level)
    return level


def _axes(at: Any, low: float, high: float) -> list[str]:
    marks = []
    for step in range(5):
        y = low + step * (high - low) / 4
        across, down = at(1, y)
        marks.append(_line(across, down, WIDE - RIGHT, down))
        marks.append(_text(8, down + 4, f"{y:.2f}"))
    marks += [_text(at(n, low)[0] - 3, HIGH - 24, str(n)) for n in range(1, 9)]
    return [*marks, _text(LEFT, HIGH - 8, "searches a question")]


def bars(title: str, rows: Sequence[tuple[str, float, str]]) -> str:
    """One bar a variant, with what else was measured written beside it."""
    most = max((value for _, value, _ in rows), default=1.0) or 1.0
    marks = [_text(8, 20, title, "t")]
    for place, (name, value, note) in enumerate(rows):
        down = 38 + 24 * place
        marks.append(_text(8, down + 13, name))
        long = 250 * value / most
        marks.append(f'<rect class="b" x="170" y="{down}" width="{long:.1f}" height="16"/>')
        marks.append(_text(176 + 250 * value / most, down + 13, f"{value:,.0f} {note}"))
    return _svg(marks, 48 + 24 * len(rows))


def contexts(rows: Sequence[dict[str, Any]], where: str) -> list[tuple[str, float, str]]:
    here = [row for row in rows if row["where"] == where]
    found = []
    for name in dict.fromkeys(row["variant"] for row in here):
        own = [row for row in here if row["variant"] == name]
        context, share = _mean(own, "context"), _mean(own, "share")
        note = f"· evidence {share:.2f} · searches {_mean(own, 'searches'):.1f}"
        found.append((name, context, note))
    return found


def _mean(rows: Sequence[dict[str, Any]], what: str) -> float:
    return sum(float(row[what]) for row in rows) / len(rows)


def _text(x: float, y: float, said: str, kind: str = "n") -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{escape(said)}</text>'


def _line(x: float, y: float, across: float, down: float) -> str:
    return f'<line class="g" x1="{x:.1f}" y1="{y:.1f}" x2="{across:.1f}" y2="{down:.1f}"/>'


def _dot(x: float, y: float, kind: str, size: int) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>'


def _svg(marks: Sequence[str], high: int) -> str:
    inside = "\n".join(marks)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" role="img">'
    return f"{head}{STYLE}\n{inside}\n</svg>\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stop", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--rows", action="append", type=Path, default=[])
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    given = parser.parse_args()
    for one in given.stop:
        name, _, path = one.partition("=")
        found = json.loads(Path(path).read_text())
        (given.out / f"evidence-stop-{name}.svg").write_text(frontier(name, found))
    rows = [json.loads(line) for path in given.rows for line in path.read_text().splitlines()]
    for where in dict.fromkeys(row["where"] for row in rows):
        unit = "prompt tokens" if where == "rig" else "letters of results taken in"
        name = where.replace(", ", "-").replace(" ", "-")
        drawn = bars(f"{where}: {unit}", contexts(rows, where))
        (given.out / f"evidence-ablation-{name}.svg").write_text(drawn)


if __name__ == "__main__":
    main()
