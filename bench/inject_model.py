"""The windows of many texts in a few long arrays, and the linear model that is fitted to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from inject_data import KEPT, WRITTEN, Sample
from leadline.guard import classifier
from leadline.guard.classifier import (
    BUCKETS,
    FEWEST,
    SCALES,
    Windows,
    assured,
    middles_of,
    rules_in,
    runs_in,
    tokens,
    windows,
    word_runs,
)
from leadline.guard.disguises import Plain, decoded, plain
from leadline.guard.rules import all_rules, find_matches

NAMES = tuple(rule.name for rule in all_rules())
PROMPTS = ("wildguard_benign", "hard_prompts", WRITTEN, "questions", "deepresearch_bench_query")
C, RANDOM_SHARE, HARDEST = 100.0, 0.10, 20_000
RULE = 0.3  # rules are held back against words, or a few of them decide everything
RUNS = 4  # kinds of runs of words
NEITHER = -1.0


@dataclass(frozen=True, slots=True)
class Table:
    """One entry a window. `runs` are the buckets of all texts one after another, a window holding
    those from `low` up to `high`; `label` is 1, 0, or -1 for windows that are not trained on."""

    runs: tuple[np.ndarray, ...]
    low: tuple[np.ndarray, ...]
    high: tuple[np.ndarray, ...]
    rules: Any
    scale: np.ndarray
    sample: np.ndarray
    label: np.ndarray
    floor: np.ndarray  # what the rules assure

    @property
    def value(self) -> np.ndarray:
        count = sum(high - low for low, high in zip(self.low, self.high, strict=True))
        return np.asarray(1.0 / np.sqrt(np.maximum(FEWEST, count)))


@dataclass(frozen=True, slots=True)
class _Part:
    """`rules` says of each window and each of `NAMES` whether the rule found something in it."""

    runs: list[tuple[int, np.ndarray]]
    low: list[np.ndarray]
    high: list[np.ndarray]
    scale: np.ndarray
    rules: np.ndarray
    label: np.ndarray
    floor: np.ndarray


def table(samples: Sequence[Sample]) -> Table:
    parts = [(n, part) for n, sample in enumerate(samples) for part in _parts(sample)]
    runs: list[list[np.ndarray]] = [[] for _ in range(RUNS)]
    low: list[list[np.ndarray]] = [[] for _ in range(RUNS)]
    high: list[list[np.ndarray]] = [[] for _ in range(RUNS)]
    size = [0] * RUNS
    for _, part in parts:
        for kind, (_, buckets) in enumerate(part.runs):
            runs[kind].append(buckets.astype(np.int32))
            low[kind].append(part.low[kind] + size[kind])
            high[kind].append(part.high[kind] + size[kind])
            size[kind] += len(buckets)
    return Table(
        tuple(map(np.concatenate, runs)),
        tuple(map(np.concatenate, low)),
        tuple(map(np.concatenate, high)),
        csr_matrix(np.concatenate([part.rules for _, part in parts]).astype(np.float32)),
        np.concatenate([part.scale for _, part in parts]),
        np.repeat([n for n, _ in parts], [len(part.label) for _, part in parts]),
        np.concatenate([part.label for _, part in parts]),
        np.concatenate([part.floor for _, part in parts]),
    )


def _parts(sample: Sample) -> Iterator[_Part]:
    """A text, and what is encoded in it: that is scored, but not trained on."""
    yield _part(plain(sample.text), sample)
    for piece in decoded(sample.text):
        yield _part(plain(piece.text), None)


def _part(form: Plain, sample: Sample | None) -> _Part:
    found, seen = tokens(form.text), windows(len(form.text))
    words = zip(found.start.tolist(), found.words, strict=True)
    inside = rules_in(middles_of(find_matches(form.text, words)), seen)
    count = len(seen.start)
    least = assured(inside, count)
    holds = {rule.name: there for rule, there in inside.items()}
    nowhere = np.zeros(count, dtype=bool)
    rules = np.stack([holds.get(name, nowhere) for name in NAMES], axis=1)
    runs = word_runs(found.keys)
    extents = [runs_in(found, reach, len(buckets), seen) for reach, buckets in runs]
    label = np.full(count, NEITHER) if sample is None else _labels(sample, form, seen, rules)
    return _Part(
        runs,
        [low for low, _ in extents],
        [high for _, high in extents],
        seen.scale,
        rules,
        label,
        np.where(least > 0, least, -99.0),
    )


def _labels(sample: Sample, form: Plain, seen: Windows, rules: np.ndarray) -> np.ndarray:
    """A window is an attack when half of it is, or most of the attack is in it. An off-task line
    that no rule knows ("What is the capital of Brazil?") is only out of place: left out."""
    count = len(seen.start)
    if not sample.attack:
        return np.full(count, NEITHER if sample.source == KEPT else 0.0)
    last = max(0, len(form.text) - 1)
    origin = np.arange(last + 1) if form.origin is None else form.origin
    start, end = origin[np.minimum(seen.start, last)], origin[np.minimum(seen.end - 1, last)] + 1
    covered = np.zeros(count)
    for low, high in sample.spans:
        covered += np.maximum(0, np.minimum(end, high) - np.maximum(start, low))
    whole = sum(high - low for low, high in sample.spans)
    inside = covered >= np.minimum(0.5 * (end - start), 0.7 * max(1, whole))
    label = np.where(inside, 1.0, np.where(covered > 0, NEITHER, 0.0))
    if sample.source.startswith("bipia"):
        label[(label == 1) & ~rules.any(axis=1)] = NEITHER
    return label


def _matrix(data: Table, rows: np.ndarray) -> Any:
    """The chosen windows as a sparse matrix: words, rules, lengths."""
    value = data.value[rows].astype(np.float32)
    window, bucket = [], []
    for runs, low, high in zip(data.runs, data.low, data.high, strict=True):
        count = high[rows] - low[rows]
        where = np.repeat(np.arange(len(rows)), count)
        offset = np.arange(len(where)) - np.repeat(np.cumsum(count) - count, count)
        window.append(where)
        bucket.append(runs[np.repeat(low[rows], count) + offset])
    which = np.concatenate(window)
    words = csr_matrix((value[which], (which, np.concatenate(bucket))), shape=(len(rows), BUCKETS))
    ones = np.ones(len(rows), dtype=np.float32)
    scales = csr_matrix((ones, (np.arange(len(rows)), data.scale[rows])), (len(rows), len(SCALES)))
    return hstack([words, RULE * data.rules[rows], scales]).tocsr()


def scores_of(data: Table, weights: np.ndarray) -> np.ndarray:
    """What every window is worth."""
    rules = weights[BUCKETS : BUCKETS + len(NAMES)]
    total = data.rules @ (RULE * rules) + weights[BUCKETS + len(NAMES) :][data.scale]
    value = data.value
    for runs, low, high in zip(data.runs, data.low, data.high, strict=True):
        sums = np.concatenate([[0.0], np.cumsum(weights[:BUCKETS][runs], dtype=np.float64)])
        total = total + (sums[high] - sums[low]) * value
    return np.asarray(total)


def fit(data: Table, samples: Sequence[Sample], use: np.ndarray) -> np.ndarray:
    """Trains twice: on a random part, then on the harmless windows that looked worst as well, and
    without windows of long attacks that say nothing bad."""
    rng = np.random.default_rng(0)
    prompt = np.array([s.source in PROMPTS for s in samples])[data.sample]
    usable = use[data.sample] & (data.label >= 0)
    some = (data.label == 1) | (rng.random(len(prompt)) < RANDOM_SHARE) | prompt
    scores = scores_of(data, _logistic(data, np.flatnonzero(usable & some), prompt))
    harmless = np.flatnonzero(usable & (data.label == 0))
    hardest = harmless[np.argsort(-scores[harmless])[:HARDEST]]
    attacks = np.flatnonzero(usable & (data.label == 1))
    best = per_text(data, scores)[data.sample[attacks]]
    kept = attacks[scores[attacks] > np.minimum(0, best - 1.5)]
    rows = np.union1d(np.union1d(hardest, kept), np.flatnonzero(usable & some & (data.label == 0)))
    return _logistic(data, rows, prompt)


def _logistic(data: Table, rows: np.ndarray, prompt: np.ndarray) -> np.ndarray:
    size = np.bincount(data.sample)[data.sample[rows]]
    weight = np.where(prompt[rows], 6.0, 1.0) / np.sqrt(size)
    learner = LogisticRegression(
        C=C, solver="liblinear", max_iter=30, tol=1e-3, fit_intercept=False
    )
    learner.fit(_matrix(data, rows), data.label[rows], sample_weight=weight)
    return np.asarray(learner.coef_[0], dtype=np.float32)


def per_text(data: Table, scores: np.ndarray) -> np.ndarray:
    best = np.full(int(data.sample.max()) + 1, -99.0)
    np.maximum.at(best, data.sample, scores)
    return best


def quantised(weights: np.ndarray, at: float) -> classifier.Weights:
    words = weights[:BUCKETS]
    unit = float(np.abs(words).max()) / 127
    rules = RULE * weights[BUCKETS : BUCKETS + len(NAMES)]
    return classifier.Weights(
        np.round(words / unit).astype(np.int8),
        unit,
        dict(zip(NAMES, rules.tolist(), strict=True)),
        weights[BUCKETS + len(NAMES) :] - np.float32(at),
    )
