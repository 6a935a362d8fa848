"""The linear model: what each window of a text is worth, from weights that came with the package.

`bench/train_inject.py` made the weights; `weights.bin` holds them as a small header of JSON, a line
end, and one signed byte for each bucket, packed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leadline.frozen import frozen
from leadline.guard.features import BUCKETS, Rows, Weighed, Windows, worth
from leadline.guard.rules import NAMES, REASONS, STRONG, Hit
from leadline.guard.shipped import data_of

Floats = NDArray[np.float32]

TOGETHER = 3  # of 4,900 harmless texts none has so many rules in one window
_RULES = len(REASONS)  # and odd lines, floods and disguises
_IS_STRONG = np.isin(np.arange(_RULES), STRONG)
_NO_ROWS = Rows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


@frozen
class Model:
    """`words` are multiplied by `unit`; `rules` follow the order of `rules.NAMES`; `scales` are
    what a window is worth for its length alone. Zero is the line between harmless and suspect."""

    words: NDArray[np.int8]
    unit: float
    rules: Floats
    scales: Floats


def pack(model: Model) -> bytes:
    head = {
        "unit": round(model.unit, 8),
        "rules": {name: round(float(w), 4) for name, w in zip(NAMES, model.rules, strict=True)},
        "scales": [round(float(weight), 4) for weight in model.scales],
    }
    return json.dumps(head).encode() + b"\n" + zlib.compress(model.words.tobytes(), 9)


def unpack(data: bytes) -> Model:
    first, body = data.split(b"\n", 1)
    head = json.loads(first)
    words = np.frombuffer(zlib.decompress(body), dtype=np.int8)
    if len(words) != BUCKETS or list(head["rules"]) != list(NAMES):
        raise ValueError(
            f"weights for {BUCKETS} buckets and {len(NAMES)} rules wanted; got {len(words)} and "
            f"{len(head['rules'])}, or in another order: run bench/train_inject.py again"
        )
    rules = np.array(list(head["rules"].values()), dtype=np.float32)
    return Model(words, float(head["unit"]), rules, np.array(head["scales"], dtype=np.float32))


@lru_cache(maxsize=1)
def shipped() -> Model:
    return unpack(data_of("weights.bin"))


def rule_rows(hits: Sequence[Hit], seen: Windows) -> Rows:
    """Which rules found something whose middle lies in each window, once each."""
    if not hits:
        return _NO_ROWS
    middles = np.array([(hit.start + hit.end) // 2 for hit in hits], dtype=np.int64)
    rules = np.array([hit.rule for hit in hits], dtype=np.int64)
    parts = [np.zeros(0, dtype=np.int64)]
    for number in set(seen.scale.tolist()):
        own = np.flatnonzero(seen.scale == number)
        low = np.searchsorted(seen.end[own], middles, side="right")
        high = np.maximum(low, np.searchsorted(seen.start[own], middles, side="right"))
        count = high - low
        offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        parts.append(own[np.repeat(low, count) + offset] * _RULES + np.repeat(rules, count))
    # Not `np.unique`, which loads all of `numpy.ma` to look whether something is masked.
    unique = np.array(sorted(set(np.concatenate(parts).tolist())), dtype=np.int64)
    window, bucket = np.divmod(unique, _RULES)
    return Rows(window, bucket, np.ones(len(unique), dtype=np.float32))


def sure_windows(marks: Rows, count: int) -> NDArray[np.bool_]:
    """The windows in which a strong rule, or `TOGETHER` of the others, found something."""
    sure = np.bincount(marks.window[marks.bucket < len(NAMES)], minlength=count) >= TOGETHER
    sure[marks.window[_IS_STRONG[marks.bucket]]] = True
    return sure


def logits(model: Model, held: Weighed, seen: Windows, marks: Rows) -> Floats:
    """The score of each window, `marks` being its `rule_rows`; above zero is suspect."""
    count = len(seen.start)
    words = worth(held, seen) * model.unit
    known = marks.bucket < len(model.rules)
    ruled = model.rules[marks.bucket[known]]
    rules = np.bincount(marks.window[known], weights=ruled, minlength=count)
    return (words + rules + model.scales[seen.scale]).astype(np.float32)
