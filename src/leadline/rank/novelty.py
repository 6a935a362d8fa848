"""Novelty: how much of a batch the run has not read yet, from 0 (all repeated) to 10 (all new).

Counts sentences rather than averaging similarities, which are badly scaled. Leaves to the gate
what to do about a score.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.ports import Embedder
from leadline.text.words import words

if TYPE_CHECKING:
    from leadline.ports import Matrix

# Made by bench/train_novelty.py on MRPC train and STS 2014, with as many unrelated pairs: the
# log-odds that one sentence repeats another, from the features in the order of `features`.
WEIGHTS = (5.13, 4.05, -0.48, -0.11)
BIAS = -5.53

# Log-odds at which a sentence counts as wholly new and as wholly repeated; in between it counts
# in part, because no single threshold serves both other subjects and new facts on the same one.
NEW_BELOW, REPEATED_ABOVE = -2.5, 1.5


@dataclass(frozen=True)
class Novelty:
    """`score` 0–10 of a batch, the share of it that was `repeated`, and that of each sentence."""

    score: float
    repeated: float
    sentences: tuple[float, ...] = ()


def heuristic(knowledge_text: str, bodies: Sequence[str]) -> int:
    """Share of distinct words in `bodies` that the knowledge lacks, times ten, rounded."""
    known = set(words(knowledge_text))
    new = {word for body in bodies for word in words(body)}
    return round(10 * len(new - known) / len(new)) if new else 0


def semantic(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> Novelty:
    """The share of distinct sentences in `new` that no sentence in `known` covers."""
    held = dict.fromkeys(known)
    distinct = tuple(dict.fromkeys(new))
    if not distinct:
        return Novelty(0.0, 0.0)
    shares = dict.fromkeys(distinct, 1.0 if held else 0.0)  # word for word there: no need to look
    fresh = tuple(text for text in distinct if text not in held)
    if held and fresh:
        best = log_odds(tuple(held), fresh, embedder).max(axis=0)
        part = np.clip((best - NEW_BELOW) / (REPEATED_ABOVE - NEW_BELOW), 0.0, 1.0)
        shares |= dict(zip(fresh, map(float, part), strict=True))
    repeated = sum(shares.values()) / len(shares)
    return Novelty(10.0 * (1.0 - repeated), repeated, tuple(shares.values()))


def redundancy(known: str, new: str, embedder: Embedder) -> float:
    """How likely it is, 0–1, that `new` only repeats `known`."""
    odds = float(log_odds((known,), (new,), embedder)[0, 0])
    return float(1.0 / (1.0 + np.exp(-odds)))


def log_odds(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> Matrix:
    """One row a known sentence, one column a new one: the log-odds that it is a repetition."""
    odds = np.full((len(known), len(new)), BIAS, dtype=np.float32)
    for weight, feature in zip(WEIGHTS, features(known, new, embedder), strict=True):
        odds += np.float32(weight) * feature
    return odds


def features(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> tuple[Matrix, ...]:
    """Likeness of meaning, shared words, and how far the numbers differ: by share, and whether
    each side has one that the other lacks."""
    cut = len(known)
    rows = embedder.embed([*known, *new])
    bags = [frozenset(words(text)) for text in (*known, *new)]
    numbers = [frozenset(word for word in bag if any(map(str.isdigit, word))) for bag in bags]
    common, either = _overlap(bags, cut)
    agreed, all_numbers = _overlap(numbers, cut)
    sizes = np.array([len(bag) for bag in numbers], dtype=np.float32)
    clash = (sizes[:cut, None] > agreed) & (sizes[None, cut:] > agreed)
    differing = 1.0 - agreed / np.maximum(all_numbers, 1.0)
    return (
        np.asarray(rows[:cut] @ rows[cut:].T, dtype=np.float32),
        np.asarray(common / np.maximum(either, 1.0), dtype=np.float32),
        np.where(all_numbers > 0, differing, 0.0).astype(np.float32),
        clash.astype(np.float32),
    )


def _overlap(bags: Sequence[Collection[str]], cut: int) -> tuple[Matrix, Matrix]:
    """How many words each of the first `cut` bags shares with each of the others, and how many
    there are in either. Only words of the others get a column: they alone can be shared."""
    distinct = dict.fromkeys(word for bag in bags[cut:] for word in sorted(bag))
    columns = {word: number for number, word in enumerate(distinct)}
    has = np.zeros((len(bags), len(columns)), dtype=np.float32)
    for row, bag in enumerate(bags):
        has[row, [columns[word] for word in bag if word in columns]] = 1.0
    sizes = np.array([len(bag) for bag in bags], dtype=np.float32)
    shared = np.asarray(has[:cut] @ has[cut:].T, dtype=np.float32)
    return shared, sizes[:cut, None] + sizes[None, cut:] - shared
