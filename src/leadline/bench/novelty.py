"""`bench novelty`: do the gate's scorers tell repetition from news?

Pairs: the area under the curve as detectors of a sentence that repeats another. Batches: twenty
sentences against sixty known, of which a known share is new, scored 0–10. New is either another
story (`unrelated`) or another fact of the same story (`same_topic`: the partner that people
judged not to mean the same). Word overlap and cosine stand beside them as baselines. `ms_batch` is
processor time, 95 of 100 batches; `p50_ms` and `p95_ms` are by the clock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from leadline.bench.agreement import auc, mean_error, spearman
from leadline.bench.options import BenchOptions
from leadline.bench.paraphrase import OTHER_FACT, Pair, load_pairs
from leadline.errors import BadInput
from leadline.ports import Embedder
from leadline.rank.novelty import heuristic, redundancy, semantic
from leadline.reader.static import StaticEmbedder
from leadline.text.words import content_words

BATCH, KNOWN, BATCHES = 20, 60, 420
COUNTED_JACCARD, COUNTED_COSINE = 0.4, 0.75  # a known sentence this near covers a new one

Scorer = Callable[[Sequence[str], Sequence[str]], float]


@dataclass(frozen=True)
class Trial:
    """A batch, what was known before it, and how much of it is new, 0–10."""

    known: tuple[str, ...]
    new: tuple[str, ...]
    truth: float


def run(data: Path, options: BenchOptions) -> dict[str, Any]:
    """The figures of all scorers, as `measure.variant`."""
    pairs = load_pairs(data)
    if options.limit:
        pairs = tuple(Random(options.seed).sample(pairs, min(options.limit, len(pairs))))  # noqa: S311
    embedder = StaticEmbedder()
    figures: dict[str, Any] = {"n": len(pairs)}
    figures |= _pair_figures(pairs, embedder)
    count = min(BATCHES, options.limit or BATCHES)
    figures |= _batch_figures(pairs, embedder, count, options.seed)
    return figures


def _pair_figures(pairs: Sequence[Pair], embedder: Embedder) -> dict[str, Any]:
    truth = [pair.same for pair in pairs]
    figures: dict[str, Any] = {}
    for name, scores in _pair_scores(pairs, embedder).items():
        means = []
        for collection in dict.fromkeys(pair.collection for pair in pairs):
            chosen = [n for n, pair in enumerate(pairs) if pair.collection == collection]
            value = auc([truth[n] for n in chosen], [scores[n] for n in chosen])
            figures[f"auc.{name}_{collection}"] = value
            figures[f"n.{collection}"] = len(chosen)
            means.append(value)
        figures[f"auc.{name}"] = float(np.mean(means))
        figures |= _by_file(name, pairs, truth, scores)
    return figures


def _by_file(
    name: str, pairs: Sequence[Pair], truth: Sequence[bool], scores: Sequence[float]
) -> dict[str, float]:
    """STS files differ in kind of text, so that their mean says more than the pool."""
    values = []
    for file in dict.fromkeys(pair.file for pair in pairs if pair.collection == "sts"):
        chosen = [n for n, pair in enumerate(pairs) if pair.file == file]
        values.append(auc([truth[n] for n in chosen], [scores[n] for n in chosen]))
    known = [value for value in values if not math.isnan(value)]
    return {f"auc.{name}_sts_mean_of_files": float(np.mean(known))} if known else {}


def _pair_scores(pairs: Sequence[Pair], embedder: Embedder) -> dict[str, list[float]]:
    first = embedder.embed([pair.first for pair in pairs])
    second = embedder.embed([pair.second for pair in pairs])
    return {
        "heuristic": [10.0 - heuristic(pair.first, [pair.second]) for pair in pairs],
        "jaccard": [_jaccard(pair.first, pair.second) for pair in pairs],
        "cosine": [float(value) for value in (first * second).sum(axis=1)],
        "semantic": [redundancy(pair.first, pair.second, embedder) for pair in pairs],
    }


def _jaccard(first: str, second: str) -> float:
    one, two = set(content_words(first)), set(content_words(second))
    return len(one & two) / max(1, len(one | two))


def _batch_figures(
    pairs: Sequence[Pair], embedder: Embedder, count: int, seed: int
) -> dict[str, Any]:
    figures: dict[str, Any] = {"batches": count}
    times: dict[str, list[tuple[float, float]]] = {}
    for kind in ("unrelated", "same_topic"):
        trials = _trials(pairs, kind, count, seed)
        truth = [trial.truth for trial in trials]
        for name, scorer in _scorers(embedder).items():
            spent = times.setdefault(name, [])
            scores = [_timed(scorer, trial, spent) for trial in trials]
            figures[f"spearman.{kind}_{name}"] = spearman(truth, scores)
            figures[f"mae.{kind}_{name}"] = mean_error(truth, scores)
        figures[f"mae.{kind}_always_5"] = mean_error(truth, [5.0] * len(truth))
    for name, spent in times.items():
        wall, cpu = zip(*spent, strict=True)
        figures[f"p50_ms.{name}"] = 1000 * float(np.percentile(wall, 50))
        figures[f"p95_ms.{name}"] = 1000 * float(np.percentile(wall, 95))
        figures[f"ms_batch.{name}"] = 1000 * float(np.percentile(cpu, 95))
    return figures


def _timed(scorer: Scorer, trial: Trial, spent: list[tuple[float, float]]) -> float:
    """The score; notes the time by the clock and of the processor, which a busy machine leaves
    alone."""
    wall, cpu = time.perf_counter(), time.process_time()
    score = scorer(trial.known, trial.new)
    spent.append((time.perf_counter() - wall, time.process_time() - cpu))
    return score


def _scorers(embedder: Embedder) -> dict[str, Scorer]:
    return {
        "heuristic": lambda known, new: float(heuristic("\n".join(known), new)),
        "jaccard": _counted_jaccard,
        "cosine": lambda known, new: _counted_cosine(known, new, embedder),
        "semantic": lambda known, new: semantic(known, new, embedder).score,
    }


def _counted_jaccard(known: Sequence[str], new: Sequence[str]) -> float:
    old = [set(content_words(text)) for text in known]
    count = 0
    for text in new:
        bag = set(content_words(text))
        count += max(len(bag & o) / max(1, len(bag | o)) for o in old) < COUNTED_JACCARD
    return 10.0 * count / len(new)


def _counted_cosine(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> float:
    best = (embedder.embed(known) @ embedder.embed(new).T).max(axis=0)
    return 10.0 * float((best < COUNTED_COSINE).mean())


def _trials(pairs: Sequence[Pair], kind: str, count: int, seed: int) -> list[Trial]:
    """Batches whose share of new sentences is even over 0–1, from MRPC where there is any."""
    news = [pair for pair in pairs if pair.collection == "mrpc"]
    pool = news or list(pairs)
    same = [pair for pair in pool if pair.same]
    other = [pair for pair in pool if not pair.same and 1.0 <= pair.grade <= OTHER_FACT]
    if len(same) < KNOWN or len(other) < BATCH:
        raise BadInput(f"batches need {KNOWN} pairs that agree and {BATCH} that do not")
    dice = Random(f"{seed} {kind}")  # noqa: S311 - a sample, not a secret
    make = _unrelated if kind == "unrelated" else _same_topic
    return [make(pool, same, other, number % (BATCH + 1), dice) for number in range(count)]


def _same_topic(
    pool: Sequence[Pair], same: Sequence[Pair], other: Sequence[Pair], new: int, dice: Random
) -> Trial:
    return _trial(pool, dice.sample(same, BATCH - new), dice.sample(other, new), True, dice)


def _unrelated(
    pool: Sequence[Pair], same: Sequence[Pair], _: Sequence[Pair], new: int, dice: Random
) -> Trial:
    old = dice.sample(same, BATCH - new)
    held = set(old)
    fresh = [pair for pair in dice.sample(pool, 2 * BATCH) if pair not in held][:new]
    return _trial(pool, old, fresh, False, dice)


def _trial(
    pool: Sequence[Pair], old: list[Pair], fresh: list[Pair], partners: bool, dice: Random
) -> Trial:
    """`partners`: whether the first halves of the fresh pairs are known too."""
    used = {*old, *fresh}
    known = [pair.first for pair in old] + [pair.first for pair in fresh if partners]
    rest = [pair.first for pair in pool if pair not in used]
    known += dice.sample(rest, max(0, min(KNOWN - len(known), len(rest))))
    new = [pair.second for pair in (*old, *fresh)]
    dice.shuffle(known)
    dice.shuffle(new)
    return Trial(tuple(known), tuple(new), 10.0 * len(fresh) / len(new))
