"""Trains the weights of the injection scanner, and says how far they can be trusted.

    python bench/train_inject.py --data dev.jsonl.gz --benign PATH:LIMIT … [--check] [--write]

The line between harmless and suspect is set on texts that the model did not see, in groups that
share no line: so that of every kind of harmless text at most `--alarms` are suspect. Printed are
false alarms and recall on such texts, and recall on each family of attacks when the whole family
was kept from training. Half of the prompts in `inject_hard.txt` is
neither trained on nor looked at for the line. Nothing of the texts is kept but the weights.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from inject_data import KEPT, Sample, hard_prompts, labelled, read_all, written_prompts
from inject_model import Table, fit, per_text, quantised, scores_of, table
from leadline.guard import classifier

OUT = Path(classifier.__file__).with_name("weights.bin")
FAMILIES = {
    "tensortrust": ("tensortrust_hijack", "tensortrust_extract", "web_article+tensortrust"),
    "jailbreak": ("inthewild_jailbreak",),
    "agentdojo": ("web_article+agentdojo",),
    "bipia": ("bipia_table_embedded", "bipia_code_embedded", "bipia_email_embedded"),
}
ASIDE = ("hard_prompts", KEPT)  # those of a form rise and fall together
FEW = 200  # of a kind with fewer texts one may be above the line


def out_of_fold(data: Table, samples: Sequence[Sample], fold: np.ndarray) -> np.ndarray:
    """The score of every text by a model that was not trained on its fold."""
    scores = np.full(len(samples), -99.0)
    for number in range(int(fold.max()) + 1):
        best = per_text(data, scores_of(data, fit(data, samples, fold != number)))
        scores[fold == number] = best[fold == number]
    return scores


def line(scores: np.ndarray, samples: Sequence[Sample], alarms: float) -> float:
    """The lowest score at which no kind of harmless text has more than `alarms` above it."""
    worst = -99.0
    for source, count in Counter(s.source for s in samples if not s.attack).items():
        if count < 90 or source in ASIDE:
            continue
        own = np.sort([x for x, s in zip(scores, samples, strict=True) if _is(s, source, False)])
        over = max(1, int(alarms * count)) if count < FEW else int(alarms * count)
        worst = max(worst, float(own[-1 - over]))
    return worst


def _is(sample: Sample, source: str, attack: bool) -> bool:
    return sample.source == source and sample.attack == attack


def report(title: str, scores: np.ndarray, samples: Sequence[Sample], at: float) -> None:
    print(f"\n{title}")
    for attack in (False, True):
        for source in sorted({s.source for s in samples if s.attack == attack}):
            own = [x for x, s in zip(scores, samples, strict=True) if _is(s, source, attack)]
            word = "recall" if attack else "alarms"
            print(f"  {word} {source:28} {np.mean(np.array(own) > at):.4f}  n {len(own)}")


def folds(samples: Sequence[Sample], count: int) -> np.ndarray:
    """Texts that share a line or a folder are in one fold."""
    return np.array([zlib.crc32(s.group.encode("utf-8", "replace")) % count for s in samples])


def families(data: Table, samples: Sequence[Sample], at: float) -> Iterator[str]:
    ruled = per_text(data, data.floor)
    for sources in FAMILIES.values():
        out = np.array([s.attack and s.source in sources for s in samples])
        model = per_text(data, scores_of(data, fit(data, samples, ~out)))
        for source in sources:
            own = np.array([_is(s, source, True) for s in samples])
            yield (
                f"  {source:28} model {np.mean(model[own] > at):.3f}  "
                f"with rules {np.mean((model[own] > at) | (ruled[own] > 0)):.3f}"
            )


def pack(weights: classifier.Weights) -> bytes:
    """As `weights.bin` holds them, and `classifier.unpack` reads them."""
    head = {
        "unit": round(weights.unit, 8),
        "rules": {name: round(worth, 4) for name, worth in weights.rules.items()},
        "scales": [round(float(worth), 4) for worth in weights.scales],
    }
    return json.dumps(head).encode() + b"\n" + zlib.compress(weights.words.tobytes(), 9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--benign", action="append", default=[], metavar="PATH:LIMIT")
    parser.add_argument("--alarms", type=float, default=0.007)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="also families left out")
    parser.add_argument("--write", action="store_true", help="write the weights")
    given = parser.parse_args()
    places = [(Path(p.rpartition(":")[0]), int(p.rpartition(":")[2])) for p in given.benign]
    samples = [*labelled(given.data), *hard_prompts(), *written_prompts(), *read_all(places)]
    data = table(samples)
    print(f"{len(samples)} texts, {len(data.sample)} windows")
    floor = np.where(per_text(data, data.floor) > 0, 99, -99)
    scores = out_of_fold(data, samples, folds(samples, given.folds))
    at = line(scores, samples, given.alarms)
    report(f"groups not seen, line {at:.2f}", np.maximum(scores, floor), samples, at)
    report("rules alone", floor, samples, 0)
    if given.write:
        packed = pack(quantised(fit(data, samples, np.ones(len(samples), bool)), at))
        OUT.write_bytes(packed)
        print(f"\nwrote {OUT.name}, {len(packed)} bytes")
    if given.check:
        print("\na family left out", *families(data, samples, at), sep="\n")


if __name__ == "__main__":
    main()
