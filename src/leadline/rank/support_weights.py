"""The weights of the combiner in `support.py`, as `bench/train_support.py` prints them."""

from __future__ import annotations

SCORE: dict[str, float] = {
    "window": 1.893,
    "predicate": 1.333,
    "meaning": 0.937,
    "figures": -0.418,
    "names": -0.583,
    "swapped": -1.205,
    "denied": -1.026,
    "length": 0.436,
}
SCORE_BIAS = -3.022
BEARING: dict[str, float] = {
    "exact": 4.332,
    "lacking": -0.909,
    "meaning": 3.804,
}
BEARING_BIAS = -3.094
