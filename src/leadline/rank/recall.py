"""Which remembered observations serve a task: meaning and words fused, near copies left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

KEYWORD_WEIGHT = 0.4
COPY = 0.97  # similarity of two observations that say the same
CANDIDATES = 3  # of each backend, for every one that is wanted


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with what both backends say of it."""

    key: str
    score: float
    similarity: float
    keyword: float


def fused(
    similarity: Mapping[str, float], keyword: Mapping[str, float], weight: float = KEYWORD_WEIGHT
) -> list[Scored]:
    """Every candidate, best first: similarity + `weight` × its keyword score, the best being 1."""
    most = max(keyword.values(), default=0.0)
    found = []
    for key in {**similarity, **keyword}:
        near = similarity.get(key, 0.0)
        said = max(keyword.get(key, 0.0), 0.0) / most if most > 0 else 0.0
        found.append(Scored(key, near + weight * said, near, said))
    return sorted(found, key=lambda one: (-one.score, one.key))


def diverse(
    ranked: Sequence[Scored], alike: Callable[[str, str], float], count: int
) -> list[Scored]:
    """The best `count` of which no two say the same."""
    kept: list[Scored] = []
    for one in ranked:
        if len(kept) == count:
            break
        if all(alike(one.key, other.key) < COPY for other in kept):
            kept.append(one)
    return kept


def within(texts: Sequence[str], max_chars: int) -> tuple[str, ...]:
    """As many of the texts as fit, in order; one that does not fit is passed over, never cut."""
    kept: list[str] = []
    room = max_chars
    for text in texts:
        if len(text) + 1 <= room:
            kept.append(text)
            room -= len(text) + 1
    return tuple(kept)
