"""Fit what the stop rules need on some questions, and test it on other collections.

    python bench/train_stop.py NAME=RECORDS.jsonl NAME=RECORDS.jsonl …

RECORDS are what `leadline bench stop` wrote into its data folder (`bench/stop-NAME-….jsonl`). For
each collection in turn the bar of the rule `chain` and the predictor of the rule `value` are chosen
on the others, and tried on the one left out: nothing is tuned to what it is tested on.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from leadline.bench.stop import FIVE, Cut, cut, fixed, mixed
from leadline.bench.trajectories import MOST, Trajectory, read
from leadline.rank.stop_rules import LEAST, chain, gain
from leadline.rank.stop_signals import Signs

SIGNS = ("searches", "direct", "closed", "lead", "open_parts", "changed", "resolved")
BARS = tuple(round(0.1 * n, 2) for n in range(41))
CHANCES = tuple(round(math.exp(x), 4) for x in np.linspace(math.log(0.005), math.log(0.4), 30))
SLACK = 0.01  # of all-gold that a rule may lose on what it is fitted to
RIDGE = 3.0

Rule = Callable[[Signs], bool]
Walks = Sequence[Trajectory]


def fitted(walks: Walks) -> tuple[dict[str, float], float]:
    """Weights and bias of the log-odds that a further search, up to five, brings more gold."""
    rows, gains = [], []
    for walk in walks:
        for n in range(1, min(FIVE, len(walk.points))):
            now = walk.points[n - 1]
            later = max(point.share for point in walk.points[n:FIVE])
            rows.append([float(getattr(now.seen, name)) for name in SIGNS])
            gains.append(float(later > now.share))
    table, target = np.array(rows), np.array(gains)
    middle, width = table.mean(0), table.std(0) + 1e-9
    known = np.c_[(table - middle) / width, np.ones(len(table))]
    beta = np.zeros(known.shape[1])
    hold = RIDGE * np.diag(np.r_[np.ones(len(SIGNS)), 0.0])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-known @ beta))
        slope = known.T @ (chance - target) + hold @ beta
        bend = (known * (chance * (1 - chance))[:, None]).T @ known + hold
        beta -= np.linalg.solve(bend, slope)
    weights = beta[:-1] / width
    bias = float(beta[-1] - weights @ middle)
    return dict(zip(SIGNS, map(float, weights), strict=True)), bias


def loss(walks: Walks, rule: Rule) -> float:
    """All-gold lost against five fixed rounds."""
    return _mean([fixed(w, FIVE).whole - cut(w, rule).whole for w in walks])


def chosen(options: Sequence[float], rule: Callable[[float], Rule], sets: Sequence[Walks]) -> float:
    """The most saving option that loses no more than the slack on any of the sets."""
    fine = [one for one in options if all(loss(walks, rule(one)) <= SLACK for walks in sets)]
    return max(fine, default=options[0])


def barred(bar: float) -> Rule:
    return lambda seen: chain(seen, bar)


def predicted(weights: Mapping[str, float], bias: float) -> Callable[[float], Rule]:
    def at(little: float) -> Rule:
        return lambda seen: seen.searches >= LEAST and gain(seen, weights, bias) < little

    return at


def told(name: str, walks: Walks, rule: Rule) -> dict[str, float]:
    cuts = [cut(walk, rule) for walk in walks]
    counts: list[list[Cut]] = [[fixed(w, n) for w in walks] for n in range(1, MOST + 1)]
    cost, five = _mean([one.searches for one in cuts]), counts[FIVE - 1]
    whole = _mean([one.whole for one in cuts])
    return {
        f"searches.{name}": round(cost, 3),
        f"saved.{name}": round(1 - cost / _mean([one.searches for one in five]), 3),
        f"all_gold10.{name}": round(whole, 4),
        f"five.{name}": round(whole - _mean([one.whole for one in five]), 4),
        f"mix.{name}": round(whole - _mean(mixed(counts, cost)), 4),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    sets: dict[str, Walks] = {}
    for given in sys.argv[1:]:
        name, _, path = given.partition("=")
        if not Path(path).is_file():
            sys.exit(f"{given!r} is not NAME=RECORDS.jsonl of an existing file")
        sets[name] = list(read(Path(path)).values())
    for name, walks in sets.items():
        others = [one for other, one in sets.items() if other != name]
        weights, bias = fitted([walk for one in others for walk in one])
        bar = chosen(BARS, barred, others)
        little = chosen(CHANCES, predicted(weights, bias), others)
        found = told("chain", walks, barred(bar))
        found |= told("value", walks, predicted(weights, bias)(little))
        print(json.dumps({"left out": name, "bar": bar, "little": little, **found}))
    weights, bias = fitted([walk for one in sets.values() for walk in one])
    final = {"bar": chosen(BARS, barred, list(sets.values()))}
    final["little"] = chosen(CHANCES, predicted(weights, bias), list(sets.values()))
    print(json.dumps({"all": {k: round(v, 3) for k, v in weights.items()}, "bias": bias, **final}))


if __name__ == "__main__":
    main()
