"""Fits the weights in `leadline.check.support` and shows how they carry over.

    python bench/train_support.py --data DIR      the folder that holds wice, scifact and so on

Every set counts the same, and so do supported and other claims within it. Prints the weights, the
figures of each set when it is left out of the training and when a fifth of its claims is, how well
calibrated the score is, and what cuts of it let through on WiCE.
"""

from __future__ import annotations

import argparse
import pickle
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadline.bench.agreement import auc
from leadline.bench.claims import FORMATS, Case, load_cases
from leadline.check.alignment import lay_out
from leadline.check.support import features, look
from leadline.reader.static import StaticEmbedder

Rows = NDArray[np.float64]
SCORE = ["window", "predicate", "meaning", "figures", "names", "lacking", "swapped", "denied"]
SCORE.append("length")
BEARING = ["exact", "lacking", "meaning"]
STRENGTH = 0.02  # of the penalty on standardised weights
FOLDS = 5


class Set:
    """One set's features and labels. `kept` says which claims a measure of support compares."""

    def __init__(self, cases: Sequence[Case], values: Sequence[dict[str, float]]) -> None:
        self.values = values
        self.yes = np.array([case.label == "supported" for case in cases])
        self.none = np.array([case.label == "none" for case in cases])
        self.denied = np.array([case.label == "contradicted" for case in cases])
        self.fold = np.array([zlib.crc32(case.claim.encode()) % FOLDS for case in cases])

    def rows(self, names: Sequence[str]) -> Rows:
        return np.array([[row[name] for name in names] for row in self.values])

    @property
    def compared(self) -> NDArray[np.bool_]:
        return ~self.denied if self.none.any() else np.ones(len(self.yes), dtype=bool)


def weigh(truth: NDArray[np.bool_]) -> Rows:
    shares = np.where(truth, 0.5 / max(1, truth.sum()), 0.5 / max(1, (~truth).sum()))
    return np.asarray(shares, dtype=np.float64)


def fit(parts: Sequence[tuple[Set, NDArray[np.bool_]]], names: Sequence[str], kind: str) -> Rows:
    """Weights and, last, the bias, of a logistic regression with a penalty."""
    x = np.vstack([one.rows(names)[rows] for one, rows in parts])
    truth = [one.yes if kind == "score" else ~one.none for one, _ in parts]
    y = np.concatenate([t[rows] for t, (_, rows) in zip(truth, parts, strict=True)]).astype(float)
    w = np.concatenate([weigh(t)[rows] for t, (_, rows) in zip(truth, parts, strict=True)])
    w = w / w.sum()
    mean, spread = w @ x, np.sqrt(w @ (x - w @ x) ** 2) + 1e-9
    z = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    b = np.zeros(z.shape[1])
    penalty = np.diag([STRENGTH] * len(names) + [0.0])
    for _ in range(20):
        p = 1 / (1 + np.exp(-z @ b))
        slope = z.T @ (w * (p - y)) + penalty @ b
        b -= np.linalg.solve((z * (w * p * (1 - p))[:, None]).T @ z + penalty, slope)
    weights = b[:-1] / spread
    return np.append(weights, b[-1] - weights @ mean)


def predict(one: Set, names: Sequence[str], b: Rows) -> Rows:
    return np.asarray(1 / (1 + np.exp(-(one.rows(names) @ b[:-1] + b[-1]))))


def crossed(sets: dict[str, Set], name: str, names: Sequence[str], kind: str) -> Rows:
    """Each claim of a set judged by weights that saw neither it nor its fold."""
    held = sets[name]
    out = np.zeros(len(held.yes))
    for fold in range(FOLDS):
        rest = [(one, one.fold != (fold if key == name else -1)) for key, one in sets.items()]
        out[held.fold == fold] = predict(held, names, fit(rest, names, kind))[held.fold == fold]
    return out


def left_out(sets: dict[str, Set], name: str, names: Sequence[str], kind: str) -> Rows:
    rest = [(one, one.fold >= 0) for key, one in sets.items() if key != name]
    return predict(sets[name], names, fit(rest, names, kind))


def usable(sets: dict[str, Set], kind: str) -> dict[str, Set]:
    return sets if kind == "score" else {k: one for k, one in sets.items() if one.none.any()}


def carry_over(sets: dict[str, Set]) -> None:
    for kind, names in (("score", SCORE), ("bearing", BEARING)):
        chosen = usable(sets, kind)
        for name, one in chosen.items():
            for way, judge in (("left out", left_out), ("crossed", crossed)):
                scores = judge(chosen, name, names, kind)
                kept = one.compared
                line = f"{kind:8}{name:16}{way:9}"
                line += f" supported {auc(list(one.yes[kept]), list(scores[kept])):.3f}"
                line += f" | the rest {auc(list(one.yes), list(scores)):.3f}"
                line += f" | none {auc(list(one.none), list(-scores)):.3f}"
                print(line)


def calibration(sets: dict[str, Set]) -> None:
    """The mean gap between score and truth over ten bins, classes weighed alike."""
    gap = total = 0.0
    p = np.concatenate([crossed(sets, name, SCORE, "score") for name in sets])
    y = np.concatenate([one.yes for one in sets.values()])
    w = np.concatenate([weigh(one.yes) for one in sets.values()])
    for low in np.arange(0, 1, 0.1):
        here = (p >= low) & (p < low + 0.1)
        if here.any():
            said, true = np.average(p[here], weights=w[here]), np.average(y[here], weights=w[here])
            print(f"  said {said:.2f}  true {true:.2f}  n {here.sum()}")
            gap, total = gap + abs(said - true) * w[here].sum(), total + w[here].sum()
    print(f"calibration gap {gap / total:.3f}")


def thresholds(sets: dict[str, Set]) -> None:
    """What a cut on WiCE's score lets through, by the score alone; `bench verify` adds anchors."""
    wice = sets.get("wice")
    if wice is None:
        return
    p = crossed(sets, "wice", SCORE, "score")
    for cut in np.arange(0.35, 0.75, 0.05):
        right = (np.mean(p[wice.yes] >= cut) + np.mean(p[~wice.yes] < cut)) / 2
        print(f"cut {cut:.2f}: balanced accuracy {right:.3f}, {np.mean(p < cut):.0%} below")


def gather(data: Path) -> dict[str, Set]:
    embedder = StaticEmbedder()
    sets = {}
    for name in FORMATS:
        if (data / name).is_dir():
            cases = load_cases(data / name, name)
            values = [
                features(look(case.claim, lay_out(case.sentences, embedder))) for case in cases
            ]
            sets[name] = Set(cases, values)
            print(name, len(cases))
    return sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="features of an earlier run")
    given = parser.parse_args()
    if given.cache and given.cache.is_file():
        sets = pickle.loads(given.cache.read_bytes())
    else:
        sets = gather(given.data)
        if given.cache:
            given.cache.write_bytes(pickle.dumps(sets))
    carry_over(sets)
    calibration(sets)
    thresholds(sets)
    for kind, names in (("score", SCORE), ("bearing", BEARING)):
        b = fit([(one, one.fold >= 0) for one in usable(sets, kind).values()], names, kind)
        print(f"{kind.upper()} = {{")
        for name, weight in zip(names, b, strict=False):
            print(f'    "{name}": {weight:.3f},')
        print(f"}}\n{kind.upper()}_BIAS = {b[-1]:.3f}")


if __name__ == "__main__":
    main()
