"""Fits the four weights in `leadline.rank.novelty` and shows how they carry over to unseen text.

    python bench/train_novelty.py DIR        the folder with MRPC train/val and STS files

Trains on MRPC's training part and STS, with as many unrelated pairs as there are judged ones, so
that the score also says how new another subject is. Prints the weights, the area under the curve on
the other parts of MRPC, and that on each STS file when it is left out of the training.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from leadline.bench.agreement import auc
from leadline.bench.paraphrase import Pair, read_pairs
from leadline.rank.novelty import features
from leadline.reader.static import StaticEmbedder

Rows = NDArray[np.float64]
EMBEDDER = StaticEmbedder()
SEED = 0


def rows(pairs: Sequence[tuple[str, str]]) -> Rows:
    """One row of features a pair."""
    found = [[float(value[0, 0]) for value in features((a,), (b,), EMBEDDER)] for a, b in pairs]
    return np.array(found)


def unrelated(pairs: Sequence[Pair], count: int) -> list[tuple[str, str]]:
    dice = random.Random(SEED)
    return [(dice.choice(pairs).first, dice.choice(pairs).second) for _ in range(count)]


def fit(x: Rows, y: NDArray[np.bool_]) -> tuple[Rows, float]:
    mean, spread = x.mean(axis=0), x.std(axis=0)
    model = LogisticRegression().fit((x - mean) / spread, y)
    weights = model.coef_[0] / spread
    return weights, float(model.intercept_[0] - weights @ mean)


def main(folder: Path) -> None:
    pairs = [pair for path in sorted(folder.iterdir()) for pair in read_pairs(path)]
    held = [pair for pair in pairs if pair.collection == "mrpc" and "train" not in pair.file]
    seen = [pair for pair in pairs if pair not in set(held)]
    x, y = rows([(p.first, p.second) for p in seen]), np.array([p.same for p in seen])
    strange = rows(unrelated(seen, len(seen)))
    none = np.zeros(len(strange), dtype=bool)
    weights, bias = fit(np.vstack([x, strange]), np.concatenate([y, none]))
    print("WEIGHTS =", tuple(round(float(weight), 2) for weight in weights))
    print("BIAS =", round(bias, 2))
    if held:
        scores = rows([(p.first, p.second) for p in held]) @ weights
        print(f"MRPC, not trained on: AUC {auc([p.same for p in held], list(scores)):.3f}")
    for file in dict.fromkeys(p.file for p in seen if p.collection == "sts"):
        out = np.array([p.file == file for p in seen])
        part, _ = fit(np.vstack([x[~out], strange]), np.concatenate([y[~out], none]))
        print(f"{file}, left out: AUC {auc(list(y[out]), list(x[out] @ part)):.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
