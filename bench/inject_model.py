"""The windows of many texts in a few long arrays, and the linear model that is fitted to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from inject_data import KEPT, WRITTEN, Sample
from leadline.guard import model as shipping
from leadline.guard.disguises import Plain, plain
from leadline.guard.features import (
    BUCKETS,
    FEWEST,
    SCALES,
    Windows,
    codes_of,
    extents,
    tokens,
    windows,
    word_runs,
)
from leadline.guard.hidden import decoded
from leadline.guard.rules import BARE, DISGUISED, NAMES
from leadline.guard.scanning import CONCEALED, SOLELY, SURE, marks_of

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
    floor: np.ndarray  # what strong rules make sure of
    more: np.ndarray  # what disguise and hiding add

    @property
    def value(self) -> np.ndarray:
        count = sum(high - low for low, high in zip(self.low, self.high, strict=True))
        return np.asarray(1.0 / np.sqrt(np.maximum(FEWEST, count)))


@dataclass(frozen=True, slots=True)
class _Part:
    runs: list[tuple[int, np.ndarray]]
    seen: Windows
    rules: Any
    label: np.ndarray
    floor: np.ndarray
    more: np.ndarray


def table(samples: Sequence[Sample]) -> Table:
    parts = [(n, part) for n, sample in enumerate(samples) for part in _parts(sample)]
    runs: list[list[np.ndarray]] = [[] for _ in range(RUNS)]
    low: list[list[np.ndarray]] = [[] for _ in range(RUNS)]
    high: list[list[np.ndarray]] = [[] for _ in range(RUNS)]
    size = [0] * RUNS
    for _, part in parts:
        for kind, (reach, buckets) in enumerate(part.runs):
            first, last = extents(reach, len(buckets), part.seen)
            runs[kind].append(buckets.astype(np.int32))
            low[kind].append(first + size[kind])
            high[kind].append(last + size[kind])
            size[kind] += len(buckets)
    counts = [len(part.label) for _, part in parts]
    base = np.cumsum(counts) - counts
    window = np.concatenate([p.rules.window + at for (_, p), at in zip(parts, base, strict=True)])
    bucket = np.concatenate([part.rules.bucket for _, part in parts])
    kept = bucket < len(NAMES)
    shape = (sum(counts), len(NAMES))
    ones = np.ones(int(kept.sum()), dtype=np.float32)
    return Table(
        tuple(map(np.concatenate, runs)),
        tuple(map(np.concatenate, low)),
        tuple(map(np.concatenate, high)),
        csr_matrix((ones, (window[kept], bucket[kept])), shape=shape),
        np.concatenate([part.seen.scale for _, part in parts]),
        np.repeat([n for n, _ in parts], counts),
        np.concatenate([part.label for _, part in parts]),
        np.concatenate([part.floor for _, part in parts]),
        np.concatenate([part.more for _, part in parts]),
    )


def _parts(sample: Sample) -> Iterator[_Part]:
    """A text, and what is encoded in it: that is scored, but not trained on."""
    form = plain(sample.text)
    yield _part(form, 0.0, sample)
    for piece in decoded(sample.text):
        yield _part(plain(piece.text), CONCEALED, None)


def _part(form: Plain, more: float, sample: Sample | None) -> _Part:
    codes = codes_of(form.text)
    found = tokens(codes)
    seen = windows(found, len(codes))
    rules = shipping.rule_rows(marks_of(form, codes, found), seen)
    count = len(seen.start)
    floor = np.full(count, -99.0)
    floor[rules.window[rules.bucket == BARE]] = SOLELY
    floor[shipping.sure_windows(rules, count)] = SURE
    added = np.full(count, more)
    added[rules.window[rules.bucket == DISGUISED]] += CONCEALED
    runs = word_runs(found.keys)
    runs += [(1, np.zeros(0, dtype=np.int64))] * (RUNS - len(runs))
    label = np.full(count, NEITHER) if sample is None else _labels(sample, form, seen, rules)
    return _Part(runs, seen, rules, label, floor, added)


def _labels(sample: Sample, form: Plain, seen: Windows, rules: Any) -> np.ndarray:
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
        known = np.zeros(count, dtype=bool)
        known[rules.window[rules.bucket < len(NAMES)]] = True
        label[(label == 1) & ~known] = NEITHER
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
    total = data.rules @ (RULE * rules) + weights[BUCKETS + len(NAMES) :][data.scale] + data.more
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


def quantised(weights: np.ndarray, at: float) -> shipping.Model:
    words = weights[:BUCKETS]
    unit = float(np.abs(words).max()) / 127
    return shipping.Model(
        np.round(words / unit).astype(np.int8),
        unit,
        (RULE * weights[BUCKETS : BUCKETS + len(NAMES)]).astype(np.float32),
        weights[BUCKETS + len(NAMES) :] - np.float32(at),
    )
