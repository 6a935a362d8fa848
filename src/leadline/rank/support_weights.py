"""The weights of the combiner in `support.py`, as `bench/train_support.py` prints them."""

from __future__ import annotations

SCORE: dict[str, float] = {
    "window": 1.942,
    "predicate": 1.326,
    "meaning": 1.026,
    "figures": -0.461,
    "names": -0.676,
    "lacking": 0.219,
    "swapped": -1.251,
    "denied": -1.168,
    "length": 0.426,
}
SCORE_BIAS = -3.098
BEARING: dict[str, float] = {
    "exact": 4.351,
    "lacking": -0.943,
    "meaning": 3.811,
}
BEARING_BIAS = -3.101
