"""The weights of the combiner in `support.py`, as `bench/train_support.py` prints them."""

from __future__ import annotations

SCORE: dict[str, float] = {
    "window": 1.956,
    "predicate": 1.304,
    "meaning": 1.036,
    "figures": -0.472,
    "names": -0.684,
    "lacking": 0.228,
    "swapped": -1.237,
    "denied": -1.168,
    "length": 0.424,
}
SCORE_BIAS = -3.093
BEARING: dict[str, float] = {
    "exact": 4.350,
    "lacking": -0.946,
    "meaning": 3.809,
}
BEARING_BIAS = -3.100
