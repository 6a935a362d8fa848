"""Trains the weights of the injection scanner, and says how far they can be trusted.

    python bench/train_inject.py --data dev.jsonl.gz --benign PATH:LIMIT … [--write]

The line between harmless and suspect is set on texts that the model did not see: so that of every
kind of harmless text at most `--alarms` are suspect. Printed are false alarms and recall on such
texts (folds by text, and by groups that share no line), and recall on each family of attacks when
the whole family was kept from training. Nothing of the texts is kept but the weights.
"""

from __future__ import annotations

import argparse
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from inject_data import Sample, hard_prompts, labelled, read_all
from leadline.text.inject import model as shipping
from leadline.text.inject.features import BUCKETS, SCALES, codes_of, tokens, windows, word_rows
from leadline.text.inject.normalise import plain
from leadline.text.inject.rules import NAMES, Hit, hits
from leadline.text.inject.rules import ODD as ODD_LINE
from leadline.text.inject.scan import SURE
from leadline.text.inject.structure import odd_lines

OUT = Path(shipping.__file__).with_name("weights.bin")
FAMILIES = {
    "tensortrust": ("tensortrust_hijack", "tensortrust_extract", "web_article+tensortrust"),
    "jailbreak": ("inthewild_jailbreak",),
    "agentdojo": ("web_article+agentdojo",),
    "bipia": ("bipia_table_embedded", "bipia_code_embedded", "bipia_email_embedded"),
}
PROMPTS = ("wildguard_benign", "hard_prompts", "questions", "deepresearch_bench_query")
C, RANDOM_SHARE, HARDEST, FOLDS = 100.0, 0.10, 20_000, 3
RULE = 0.3  # rules are held back against words, or a few of them decide everything


@dataclass(frozen=True, slots=True)
class Table:
    """One row a window; `label` is 1, 0, or -1 for windows that are neither."""

    x: Any
    sample: np.ndarray
    label: np.ndarray
    floor: np.ndarray  # what strong rules make sure of


def table(samples: Sequence[Sample]) -> Table:
    columns: list[list[np.ndarray]] = [[] for _ in range(6)]
    base = 0
    for number, sample in enumerate(samples):
        parts, count = _windows_of(sample, base)
        for column, part in zip(columns, (*parts, np.full(count, number)), strict=True):
            column.append(part)
        base += count
    window, bucket, value, label, floor, owner = (np.concatenate(column) for column in columns)
    width = BUCKETS + len(NAMES) + len(SCALES)
    x = csr_matrix((value, (window, bucket)), shape=(base, width), dtype=np.float32)
    return Table(x, owner, label, floor)


def _windows_of(sample: Sample, base: int) -> tuple[tuple[np.ndarray, ...], int]:
    form = plain(sample.text)
    codes = codes_of(form.text)
    found = tokens(codes)
    seen = windows(found, len(codes))
    odd = [Hit(ODD_LINE, start, end) for start, end in odd_lines(form.text)]
    hit = hits(form.text, found)
    words, rules = word_rows(found, seen), shipping.rule_rows(hit, seen)
    count = len(seen.start)
    floor = np.full(count, -99.0)
    floor[shipping.sure_windows(shipping.rule_rows([*hit, *odd], seen), count)] = SURE
    window = np.concatenate([words.window, rules.window, np.arange(count)]) + base
    scales = BUCKETS + len(NAMES) + seen.scale
    bucket = np.concatenate([words.bucket, rules.bucket + BUCKETS, scales]).astype(np.int32)
    value = np.concatenate([words.value, RULE * rules.value, np.ones(count, dtype=np.float32)])
    return (window, bucket, value, _labels(sample, form, seen, rules), floor), count


def _labels(sample: Sample, form: Any, seen: Any, rules: Any) -> np.ndarray:
    """A window is an attack when half of it is, or most of the attack is in it. An off-task line
    that no rule knows ("What is the capital of Brazil?") is only out of place: left out."""
    count = len(seen.start)
    if not sample.attack:
        return np.zeros(count)
    last = max(0, len(form.text) - 1)
    origin = np.arange(last + 1) if form.origin is None else form.origin
    start, end = origin[np.minimum(seen.start, last)], origin[np.minimum(seen.end - 1, last)] + 1
    covered = np.zeros(count)
    for low, high in sample.spans:
        covered += np.maximum(0, np.minimum(end, high) - np.maximum(start, low))
    whole = sum(high - low for low, high in sample.spans)
    inside = covered >= np.minimum(0.5 * (end - start), 0.7 * max(1, whole))
    label = np.where(inside, 1.0, np.where(covered > 0, -1.0, 0.0))
    if sample.source.startswith("bipia"):
        known = np.zeros(count, dtype=bool)
        known[rules.window] = True
        label[(label == 1) & ~known] = -1
    return label


def fit(data: Table, samples: Sequence[Sample], use: np.ndarray) -> np.ndarray:
    """Trains twice: on a random part, then on the harmless windows that looked worst as well, and
    without windows of long attacks that say nothing bad."""
    rng = np.random.default_rng(0)
    prompt = np.array([s.source in PROMPTS for s in samples])[data.sample]
    usable = use[data.sample] & (data.label >= 0)
    some = (data.label == 1) | (rng.random(len(prompt)) < RANDOM_SHARE) | prompt
    first = _logistic(data, np.flatnonzero(usable & some), prompt)
    scores = data.x @ first
    harmless = np.flatnonzero(usable & (data.label == 0))
    hardest = harmless[np.argsort(-scores[harmless])[:HARDEST]]
    attacks = np.flatnonzero(usable & (data.label == 1))
    kept = attacks[
        scores[attacks] > np.minimum(0, per_text(data, scores)[data.sample[attacks]] - 1.5)
    ]
    rows = np.union1d(np.union1d(hardest, kept), np.flatnonzero(usable & some & (data.label == 0)))
    return _logistic(data, rows, prompt)


def _logistic(data: Table, rows: np.ndarray, prompt: np.ndarray) -> np.ndarray:
    size = np.bincount(data.sample)[data.sample[rows]]
    weight = np.where(prompt[rows], 6.0, 1.0) / np.sqrt(size)
    learner = LogisticRegression(
        C=C, solver="liblinear", max_iter=30, tol=1e-3, fit_intercept=False
    )
    learner.fit(data.x[rows], data.label[rows], sample_weight=weight)
    return np.asarray(learner.coef_[0], dtype=np.float32)


def per_text(data: Table, scores: np.ndarray) -> np.ndarray:
    best = np.full(int(data.sample.max()) + 1, -99.0)
    np.maximum.at(best, data.sample, scores)
    return best


def out_of_fold(data: Table, samples: Sequence[Sample], fold: np.ndarray) -> np.ndarray:
    """The score of every text by a model that was not trained on its fold."""
    scores = np.full(len(samples), -99.0)
    for number in range(FOLDS):
        best = per_text(data, data.x @ fit(data, samples, fold != number))
        scores[fold == number] = best[fold == number]
    return scores


def line(scores: np.ndarray, samples: Sequence[Sample], alarms: float) -> float:
    """The lowest score at which no kind of harmless text has more than `alarms` above it."""
    worst = -99.0
    for source, count in Counter(s.source for s in samples if not s.attack).items():
        if count >= 90 and source != "hard_prompts":  # three of a form rise and fall together
            own = [
                x
                for x, s in zip(scores, samples, strict=True)
                if s.source == source and not s.attack
            ]
            worst = max(worst, float(np.quantile(own, 1 - alarms, method="higher")))
    return worst


def report(title: str, scores: np.ndarray, samples: Sequence[Sample], at: float) -> None:
    print(f"\n{title}")
    for attack in (False, True):
        for source in sorted({s.source for s in samples if s.attack == attack}):
            own = [
                x for x, s in zip(scores, samples, strict=True)
                if s.source == source and s.attack == attack
            ]  # fmt: skip
            word = "recall" if attack else "alarms"
            print(f"  {word} {source:28} {np.mean(np.array(own) > at):.4f}  n {len(own)}")


def quantised(weights: np.ndarray, at: float) -> shipping.Model:
    words = weights[:BUCKETS]
    unit = float(np.abs(words).max()) / 127
    return shipping.Model(
        np.round(words / unit).astype(np.int8),
        unit,
        (RULE * weights[BUCKETS : BUCKETS + len(NAMES)]).astype(np.float32),
        weights[BUCKETS + len(NAMES) :] - np.float32(at),
    )


def folds(samples: Sequence[Sample], *, by_group: bool) -> np.ndarray:
    """Harmless texts always go by group; attacks by text, or by group."""
    keys = (s.group if by_group or not s.attack else s.text for s in samples)
    return np.array([zlib.crc32(key.encode("utf-8", "replace")) % FOLDS for key in keys])


def families(data: Table, samples: Sequence[Sample], at: float) -> Iterator[str]:
    for sources in FAMILIES.values():
        out = np.array([s.attack and s.source in sources for s in samples])
        model = per_text(data, data.x @ fit(data, samples, ~out))
        ruled = per_text(data, data.floor)
        for source in sources:
            own = np.array([s.attack and s.source == source for s in samples])
            yield (
                f"  {source:28} model {np.mean(model[own] > at):.3f}  "
                f"with rules {np.mean((model[own] > at) | (ruled[own] > 0)):.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--benign", action="append", default=[], metavar="PATH:LIMIT")
    parser.add_argument("--alarms", type=float, default=0.007)
    parser.add_argument("--check", action="store_true", help="also groups and families left out")
    parser.add_argument("--write", action="store_true", help="write the weights")
    given = parser.parse_args()
    places = [(Path(p.rpartition(":")[0]), int(p.rpartition(":")[2])) for p in given.benign]
    samples = [*labelled(given.data), *hard_prompts(), *read_all(places)]
    data = table(samples)
    print(f"{len(samples)} texts, {data.x.shape[0]} windows")
    sure = per_text(data, data.floor)
    scores = out_of_fold(data, samples, folds(samples, by_group=False))
    at = line(scores, samples, given.alarms)
    report(
        "texts not seen, folds by text",
        np.maximum(scores, np.where(sure > 0, 99, -99)),
        samples,
        at,
    )
    report("rules alone", sure, samples, 0)
    if given.write:
        weights = fit(data, samples, np.ones(len(samples), dtype=bool))
        packed = shipping.pack(quantised(weights, at))
        OUT.write_bytes(packed)
        print(f"\nwrote {OUT.name}, {len(packed)} bytes, line {at:.2f}")
    if given.check:
        scores = out_of_fold(data, samples, folds(samples, by_group=True))
        report("groups not seen", np.maximum(scores, np.where(sure > 0, 99, -99)), samples, at)
        print("\na family left out", *families(data, samples, at), sep="\n")


if __name__ == "__main__":
    main()
