"""When to stop: every stop rule over the same recorded searches, at equal cost.

Each question's searches are recorded once, one query a round; a rule is then a place to cut. It is
compared with five fixed rounds, and with the fixed count of the same mean cost, which is a mix of
the two whole counts beside it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.bench.data import one_of
from leadline.bench.multihop import load_questions
from leadline.bench.options import BenchOptions
from leadline.bench.trajectories import MOST, Trajectory, recorded
from leadline.rank import stop_rules as stopping
from leadline.rank.stop_signals import Signs

FIVE = 5
NOVELTY = 3.0

Rule = Callable[[Signs], bool]


@dataclass(frozen=True)
class Cut:
    """Where a rule ends one question: searches paid for, and what is kept then."""

    searches: int
    whole: float
    share: float
    letters: float


RULES: Mapping[str, Rule] = {
    "unchanged1": lambda seen: seen.unchanged >= 1,
    "unchanged": stopping.unchanged,
    "parts": stopping.parts,
    "direct": lambda seen: seen.searches >= stopping.LEAST and seen.direct and seen.named > 1,
    "complete": lambda seen: seen.searches >= stopping.LEAST and stopping.complete(seen),
    "weak": lambda seen: seen.searches >= stopping.WEAK_AFTER and seen.lead < stopping.WEAK,
    "chain": stopping.chain,
    "value": stopping.value,
}


def run(data: Path, options: BenchOptions) -> dict[str, float | int]:
    """For each rule `searches`, `all_gold10`, `share`, and its differences with intervals."""
    questions = load_questions(options.queries or one_of(data, "questions.jsonl", "questions*"))
    if options.limit:
        size = min(options.limit, len(questions))
        questions = random.Random(options.seed).sample(questions, size)  # noqa: S311
    walks = recorded(data, questions, options.work, titles=not options.no_titles)
    counts = [[fixed(walk, count) for walk in walks] for count in range(1, MOST + 1)]
    found: dict[str, float | int] = {}
    for number, cuts in enumerate(counts, 1):
        found |= _figures(f"fixed{number}", cuts)
    found |= _compared("gate", [gated(walk) for walk in walks], counts, options.seed)
    for name, rule in RULES.items():
        found |= _compared(name, [cut(walk, rule) for walk in walks], counts, options.seed)
    found |= _compared("oracle", [_oracle(walk) for walk in walks], counts, options.seed)
    return found | {"n": len(walks)}


def fixed(walk: Trajectory, count: int) -> Cut:
    """After `count` searches, or as many as there was something to ask for."""
    return _cut(walk, min(count, len(walk.points)))


def cut(walk: Trajectory, rule: Rule, most: int = FIVE) -> Cut:
    """Where `rule` ends the search, within the same ceiling as five fixed rounds."""
    last = min(most, len(walk.points))
    ends = (n for n in range(1, last) if rule(walk.points[n - 1].seen))
    return _cut(walk, next(ends, last))


def gated(walk: Trajectory, threshold: float = NOVELTY, most: int = FIVE) -> Cut:
    """The gate: a batch after the second that is not new ends the search and does not enter."""
    last = min(most, len(walk.points))
    for number in range(3, last + 1):
        if walk.points[number - 1].seen.novelty < threshold:
            before = _cut(walk, number - 1)
            return Cut(number, before.whole, before.share, before.letters)
    return _cut(walk, last)


def _oracle(walk: Trajectory) -> Cut:
    """Who knows the answer stops as soon as all is there, and at once where it never will be."""
    last = min(FIVE, len(walk.points))
    return _cut(walk, next((n for n in range(1, last + 1) if walk.points[n - 1].whole), 1))


def _cut(walk: Trajectory, searches: int) -> Cut:
    if not searches:
        return Cut(0, 0.0, 0.0, 0.0)
    point = walk.points[searches - 1]
    return Cut(searches, float(point.whole), point.share, float(point.letters))


def mixed(counts: Sequence[Sequence[Cut]], cost: float) -> list[float]:
    """`all_gold10` of each question under the mix of two fixed counts that costs as much."""
    costs = [_mean([one.searches for one in cuts]) for cuts in counts]
    above = next((n for n, mean in enumerate(costs) if mean >= cost), len(costs) - 1)
    below = max(above - 1, 0)
    gap = costs[above] - costs[below]
    part = min(1.0, (cost - costs[below]) / gap) if gap > 0 else 1.0
    pairs = zip(counts[below], counts[above], strict=True)
    return [(1 - part) * low.whole + part * high.whole for low, high in pairs]


def _compared(
    name: str, cuts: Sequence[Cut], counts: Sequence[Sequence[Cut]], seed: int
) -> dict[str, float | int]:
    from leadline.bench.measures import bootstrap_mean

    figures = _figures(name, cuts)
    five = counts[FIVE - 1]
    same = mixed(counts, _mean([one.searches for one in cuts]))
    saved = 1 - _mean([one.searches for one in cuts]) / _mean([one.searches for one in five])
    figures[f"saved.{name}"] = round(saved, 4)
    for what, others in (("five", [one.whole for one in five]), ("mix", same)):
        apart = [one.whole - other for one, other in zip(cuts, others, strict=True)]
        interval = bootstrap_mean(apart, seed)
        figures[f"{what}.{name}"] = round(_mean(apart), 4)
        figures[f"{what}_low.{name}"] = round(interval.low, 4)
        figures[f"{what}_high.{name}"] = round(interval.high, 4)
    return figures


def _figures(name: str, cuts: Sequence[Cut]) -> dict[str, float | int]:
    return {
        f"searches.{name}": round(_mean([one.searches for one in cuts]), 3),
        f"all_gold10.{name}": round(_mean([one.whole for one in cuts]), 4),
        f"share.{name}": round(_mean([one.share for one in cuts]), 4),
        f"letters.{name}": round(_mean([one.letters for one in cuts])),
    }


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
