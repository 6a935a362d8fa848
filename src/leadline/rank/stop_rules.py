"""Stop rules: small functions of the signs after a round, each saying stop or go on.

None of them says how much of the whole was seen: that cannot be told from searches that overlap
(`docs/evidence.md`). Limits, failures and the gate are in `policy.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from leadline.types import StopRuleName

if TYPE_CHECKING:
    from leadline.rank.stop_signals import Signs

LEAST = 2  # searches before any rule may speak
WEAK_AFTER = 3  # searches after which a weak lead is not followed
WEAK = 2.8  # promise of the best open name, below which it leads nowhere (`bench stop`)
UNCHANGED = 2  # rounds in a row that changed nothing in what is kept
LITTLE = 0.05  # chance of a gain below which the predictor says stop


def complete(seen: Signs) -> bool:
    """Each thing that the question names is held, and so is what it describes, where it does."""
    if seen.direct and seen.named >= max(LEAST, seen.sides):
        return True
    return seen.closed and seen.named >= seen.sides


def chain(seen: Signs, weak: float = WEAK) -> bool:
    """The chain from the question's names is whole, or no name is left that is worth following.

    Only where one fact is asked for: what explains or compares at length has no last link.
    """
    if seen.searches < LEAST or not seen.factual:
        return False
    return complete(seen) or (seen.searches >= WEAK_AFTER and seen.lead < weak)


def unchanged(seen: Signs) -> bool:
    """Two rounds in a row changed nothing in the sources that are kept."""
    return seen.unchanged >= UNCHANGED


def parts(seen: Signs) -> bool:
    """A passage supports each part of the question."""
    return seen.searches >= LEAST and not seen.open_parts


# The log-odds that a further search brings a document the answer needs, made by
# bench/train_stop.py; the names are fields of `Signs`.
WEIGHTS: Mapping[str, float] = {
    "searches": -0.912,
    "direct": -3.313,
    "closed": -3.55,
    "lead": 0.613,
    "open_parts": -0.031,
    "changed": 0.027,
    "resolved": 0.027,
}
BIAS = -1.291


def gain(seen: Signs, weights: Mapping[str, float] = WEIGHTS, bias: float = BIAS) -> float:
    """The predicted chance, 0–1, that going on brings anything that is needed."""
    odds = bias + sum(weight * float(getattr(seen, name)) for name, weight in weights.items())
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, odds))))


def value(seen: Signs) -> bool:
    """The next search is predicted to bring too little."""
    return seen.searches >= LEAST and gain(seen) < LITTLE


def never(_: Signs) -> bool:
    """Only the gate, reflection and the limits end the search."""
    return False


RULES: Mapping[StopRuleName, Callable[[Signs], bool]] = {
    "gate": never,
    "unchanged": unchanged,
    "parts": parts,
    "value": value,
    "chain": chain,
}
