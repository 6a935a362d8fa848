"""`bench verify`: does the checker tell supported claims from others, and find the sentence?

`auc.supported` compares supported claims with those the source does not bear out. Claims that it
denies use the same words as supported ones, and no computed score tells them apart (`auc.denied`):
they are left out where there are others, and `auc.rest` counts them in. `auc.not_supported` is how
well `bearing` finds claims of which nothing is said. `bacc` and `band` are of the verdicts; the
baselines get the cut that suits them best. Beside ours stand word overlap (`.overlap`) and sentence
embeddings (`.embedding`). Time is processor time, with the page laid out anew for every claim;
`ms_per_claim_100` scales it to a hundred sentences.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from leadline.bench.agreement import auc
from leadline.bench.claims import Case, load_cases
from leadline.bench.measures import mean
from leadline.bench.options import BenchOptions
from leadline.check.support import SUPPORTED, Support, support
from leadline.ports import Embedder
from leadline.reader.static import StaticEmbedder
from leadline.text.words import content_words
from leadline.types import Verdict

Ranked = Sequence[tuple[int, float]]
Judged = tuple[float, float, Ranked]  # support, bearing, sentences best first
Judge = Callable[[Case], Judged]


def run(data: Path, options: BenchOptions) -> dict[str, Any]:
    """The figures of the checker and its baselines on one set."""
    cases = load_cases(data, options.format, options.queries)
    if options.limit:
        cases = tuple(Random(options.seed).sample(cases, min(options.limit, len(cases))))  # noqa: S311
    embedder = StaticEmbedder()
    embedder.embed(["load the weights"])
    found: list[Support] = []

    def ours(case: Case) -> Judged:
        one = support(case.claim, case.sentences, embedder)
        found.append(one)
        return one.score, one.bearing, one.best

    figures: dict[str, Any] = {"n": len(cases), "sentences": _mean_length(cases)}
    figures |= _figures("", cases, ours)
    figures |= _verdicts(cases, found)
    figures |= _figures(".overlap", cases, _overlap)
    figures |= _figures(".embedding", cases, lambda case: _embedding(case, embedder))
    return figures


def _mean_length(cases: Sequence[Case]) -> float:
    return sum(len(case.sentences) for case in cases) / len(cases)


def _figures(suffix: str, cases: Sequence[Case], judge: Judge) -> dict[str, Any]:
    began = time.process_time()
    judged = [judge(case) for case in cases]
    spent = 1000 * (time.process_time() - began) / len(cases)
    scores = [one[0] for one in judged]
    yes = [case.label == "supported" for case in cases]
    denied = [case.label == "contradicted" for case in cases]
    none = [case.label == "none" for case in cases]
    told = _told(cases)
    figures: dict[str, Any] = {
        "auc.supported": _auc(yes, scores, told),
        "auc.rest": auc(yes, scores),
        "auc.denied": _auc(yes, scores, [a or b for a, b in zip(yes, denied, strict=True)]),
        "auc.not_supported": auc(none, [-one[1] for one in judged]),
        "bacc.supported": _best_accuracy(yes, scores, told),
        "hit1": _hits(cases, judged, 1),
        "hit3": _hits(cases, judged, 3),
        "ms_per_claim": spent,
    }
    if not suffix:
        figures["ms_per_claim_100"] = spent * min(1.0, 100 / _mean_length(cases))
    known = {k: v for k, v in figures.items() if not math.isnan(v)}
    return {f"{name}{suffix}": value for name, value in known.items()}


def _told(cases: Sequence[Case]) -> list[bool]:
    """Which cases a measure of support compares: those denied only where there are no others."""
    others = any(case.label in ("none", "partly") for case in cases)
    return [not others or case.label != "contradicted" for case in cases]


def _auc(truth: Sequence[bool], scores: Sequence[float], kept: Sequence[bool]) -> float:
    chosen = [at for at, keep in enumerate(kept) if keep]
    return auc([truth[at] for at in chosen], [scores[at] for at in chosen])


def _best_accuracy(truth: Sequence[bool], scores: Sequence[float], kept: Sequence[bool]) -> float:
    """The balanced accuracy at the cut that suits these very scores best."""
    yes = np.sort([s for s, t, k in zip(scores, truth, kept, strict=True) if k and t])
    no = np.sort([s for s, t, k in zip(scores, truth, kept, strict=True) if k and not t])
    if not len(yes) or not len(no):
        return float("nan")
    cuts = np.concatenate([yes, no])
    right = 1 - np.searchsorted(yes, cuts) / len(yes) + np.searchsorted(no, cuts) / len(no)
    return float(right.max() / 2)


def _hits(cases: Sequence[Case], judged: Sequence[Judged], k: int) -> float:
    """How often one of the first `k` sentences is one that people marked."""
    hits = [
        bool(case.gold & {at for at, _ in one[2][:k]})
        for case, one in zip(cases, judged, strict=True)
        if case.gold
    ]
    return mean(hits) if hits else float("nan")


def _verdicts(cases: Sequence[Case], found: Sequence[Support]) -> dict[str, Any]:
    """Figures of the verdicts themselves, with their written-down thresholds."""
    told = _told(cases)
    pairs = [
        (case.label == "supported", one.score >= SUPPORTED and one.verdict.may_ship)
        for case, one, keep in zip(cases, found, told, strict=True)
        if keep
    ]
    kept = [truth for truth, said in pairs if said]
    passed = [said for truth, said in pairs if truth]
    rest = [said for truth, said in pairs if not truth]
    figures: dict[str, Any] = {}
    if passed and rest:
        figures["bacc.supported"] = (sum(passed) / len(passed) + 1 - sum(rest) / len(rest)) / 2
        figures["recall.supported"] = sum(passed) / len(passed)
    if kept:
        figures["precision.supported"] = sum(kept) / len(kept)
    for verdict in Verdict:
        figures[f"share.{verdict}"] = sum(one.verdict is verdict for one in found) / len(found)
    return figures


def _overlap(case: Case) -> Judged:
    """The share of the claim's content words in a sentence; as much as any sentence has."""
    asked = set(content_words(case.claim))
    shares = [len(asked & set(content_words(one))) / max(1, len(asked)) for one in case.sentences]
    return _ranked(shares)


def _embedding(case: Case, embedder: Embedder) -> Judged:
    rows = embedder.embed([case.claim, *case.sentences])
    return _ranked([float(value) for value in rows[1:] @ rows[0]])


def _ranked(scores: Sequence[float]) -> Judged:
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    best = [(at, scores[at]) for at in order[:3]]
    return best[0][1], best[0][1], best
