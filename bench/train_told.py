"""Trains what the fields of words count by which sentences are told from orders to a machine.

    python bench/train_told.py --orders FILE … --benign PATH:LIMIT … [--notices FILE …]
        [--data dev.jsonl.gz] [--write]

An order is a line of a text file, or a string with `{c}` in a Python file. No weight of a field or
pair may be below zero: a sentence that has more of what orders have is never less suspect. The line
is set so that `--share` of the sentences of harmless texts not trained on are suspect, the
mean over the sources. Notices are harmless sentences written to look like orders; they
count for more in training and nothing for the line.
Each file of orders is also left out in turn, and what is found of it then is printed.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from inject_data import harmless, labelled
from leadline.guard import instruction_rules as told
from leadline.guard.disguises import plain
from leadline.guard.features import codes_of, tokens

OUT = Path(told.__file__).with_name("told.json")
FREE = ("code", "asks", "over ", "signs", "passive", "has thing", "has people")
SEEN = ("has ", "over ", "code", "opens with an order")
DECAY, COUNTS = 5.0, 30.0  # of the weights; how many harmless sentences one of an order is worth
NOTICE, NOTICED = "notice ", 15.0  # the same of one that was written to look like an order
CHARS = 20_000  # of each harmless text
Row = tuple[str, int, list[str]]  # its source, its text, its features


def orders(path: Path) -> list[str]:
    """The orders of one file."""
    if path.suffix != ".py":
        lines = path.read_text("utf-8").splitlines()
        return [line for line in lines if line and not line.startswith("#")]
    strings = (
        one for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.Constant)
    )
    said = [one.value for one in strings if isinstance(one.value, str) and "{c}" in one.value]
    return [
        one.replace("{c}", "Zed Corp")
        for one in said
        if " " in one and "{n}" not in one and "`" not in one
    ]


def rows_of(source: str, texts: list[str]) -> list[Row]:
    found: list[Row] = []
    for number, text in enumerate(texts):
        form = plain(text[:CHARS])
        codes = codes_of(form.text)
        made = tokens(codes)
        if len(made.keys) > 2:
            some = told.sentences(form.text, codes, made)
            found.extend((source, number, told.features(one)) for one in some)
    return found


def matrix(rows: list[Row], names: dict[str, int]) -> csr_matrix:
    at = [(n, names[name]) for n, row in enumerate(rows) for name in row[2] if name in names]
    where = np.array(at, dtype=np.int64).reshape(-1, 2)
    return csr_matrix((np.ones(len(where)), (where[:, 0], where[:, 1])), (len(rows), len(names)))


def fit(
    data: csr_matrix, is_order: np.ndarray, count: np.ndarray, names: dict[str, int]
) -> np.ndarray:
    """The weights, the first being that of every sentence."""
    sign = np.where(is_order, 1.0, -1.0)
    turned = data.T.tocsr()

    def loss(p: np.ndarray) -> tuple[float, np.ndarray]:
        z = sign * (data @ p[1:] + p[0])
        slope = -sign * count / (1 + np.exp(np.minimum(z, 500)))
        cost = (count * np.logaddexp(0, -z)).sum() + DECAY * (p[1:] ** 2).sum() / 2
        return cost, np.concatenate([[slope.sum()], turned @ slope + DECAY * p[1:]])

    bounds = [(None, None) if name.startswith(FREE) else (0, None) for name in names]
    found = minimize(
        loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B",
        bounds=[(None, None), *bounds], options={"maxiter": 200},
    )  # fmt: skip
    return np.asarray(found.x)


def best(rows: list[Row], scores: np.ndarray) -> np.ndarray:
    """The score of each text: that of its best sentence."""
    texts: dict[tuple[str, int], float] = defaultdict(lambda: -99.0)
    for (source, number, _), score in zip(rows, scores, strict=True):
        texts[source, number] = max(texts[source, number], float(score))
    return np.array(list(texts.values()))


def line_for(rows: list[Row], scores: np.ndarray, share: float) -> float:
    by_source: dict[str, list[float]] = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        if not row[0].startswith(NOTICE):
            by_source[row[0]].append(float(score))
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        over = np.mean([np.mean(np.array(own) > middle) for own in by_source.values()])
        low, high = (middle, high) if over > share else (low, middle)
    return high


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--orders", action="append", type=Path, required=True)
    wanted.add_argument("--benign", action="append", required=True)
    wanted.add_argument("--notices", action="append", type=Path, default=[])
    wanted.add_argument("--data", type=Path)
    wanted.add_argument("--share", type=float, default=0.01)
    wanted.add_argument("--write", action="store_true")
    given = wanted.parse_args()
    good = [row for spec in given.benign for row in rows_of(*texts_of(spec))]
    for source, texts in unlabelled(given.data).items():
        good += rows_of(source, texts)
    for path in given.notices:
        good += rows_of(NOTICE + path.name, orders(path))
    trained = [row for row in good if row[1] % 2]
    kept = [row for row in good if not row[1] % 2]
    sets = {path.name: rows_of(path.name, orders(path)) for path in given.orders}
    for name in sets if len(sets) > 1 else ():
        rest = [row for other, rows in sets.items() if other != name for row in rows]
        measured(name, rest, sets[name], trained, kept, given.share)
    everything = [row for rows in sets.values() for row in rows]
    names, weights, line = measured("(all)", everything, everything, trained, kept, given.share)
    if given.write:
        write(names, weights, line, everything)


def texts_of(spec: str) -> tuple[str, list[str]]:
    place, _, limit = spec.rpartition(":")
    return Path(place).name, [one.text for one in harmless(Path(place), int(limit))]


def unlabelled(path: Path | None) -> dict[str, list[str]]:
    """The articles among labelled texts; prompts speak to a model as they should."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in labelled(path) if path else ():
        if not one.attack and one.source == "web_article":
            found[one.source].append(one.text)
    return found


def measured(
    name: str, seen: list[Row], aside: list[Row], trained: list[Row], kept: list[Row], share: float
) -> tuple[dict[str, int], np.ndarray, float]:
    rows = [*seen, *trained]
    names = {one: n for n, one in enumerate(sorted({f for row in rows for f in row[2]}))}
    is_order = np.arange(len(rows)) < len(seen)
    notice = np.array([row[0].startswith(NOTICE) for row in rows])
    count = np.where(is_order, COUNTS, np.where(notice, NOTICED, 1.0))
    weights = fit(matrix(rows, names), is_order, count, names)
    alarms = matrix(kept, names) @ weights[1:] + weights[0]
    line = line_for(kept, alarms, share)
    found = best(aside, matrix(aside, names) @ weights[1:] + weights[0])
    print(f"{name}: {len(found)} orders, suspect {np.mean(found > line):.3f}")
    for source in dict.fromkeys(row[0] for row in kept):
        own = np.array([score for row, score in zip(kept, alarms, strict=True) if row[0] == source])
        print(f"    {source}: {len(own)} sentences, suspect {np.mean(own > line):.4f}")
    return names, weights, line


def write(names: dict[str, int], weights: np.ndarray, line: float, seen: list[Row]) -> None:
    """The file of the package. `rest` is what four of five orders get at most from their shape."""
    shape = np.array([not ("+" in name or name.startswith(SEEN)) for name in names])
    added = matrix(seen, names) @ np.where(shape, weights[1:], 0.0)
    said = {
        "base": round(float(weights[0]), 3),
        "line": round(line, 3),
        "rest": round(float(np.quantile(added, 0.8)), 3),
        "weights": {
            name: round(float(weights[n + 1]), 3)
            for name, n in names.items()
            if abs(weights[n + 1]) >= 0.005
        },
    }
    OUT.write_text(json.dumps(said, indent=0, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
