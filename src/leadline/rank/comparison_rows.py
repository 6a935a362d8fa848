"""Sentences about different things that speak of the same, to be set side by side."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.ports import Embedder
from leadline.text.words import content_words, words

ALIKE = 0.35  # cosine of two sentences, without what they are about, from which they are a pair
MOST_ROWS = 4
_MOST_CANDIDATES = 60  # a side; the order is the caller's, best first


def rows_beside(
    names: Sequence[str], sides: Sequence[Sequence[str]], embedder: Embedder
) -> list[tuple[int, ...]]:
    """Rows of one sentence a side, by their index; -1 where a side has none that fits.

    A row is made round a sentence of the first side. Where nothing fits together, the first
    sentence of each side is a row, so that each is heard.
    """
    if len(sides) < 2 or not all(sides):
        return []
    shown = [list(side[:_MOST_CANDIDATES]) for side in sides]
    about = {word for name in names for word in content_words(name)}
    likeness = _likeness(shown, about, embedder)
    found = [row for row in _matched(shown, likeness) if sum(at >= 0 for at in row) > 1]
    return found or [tuple(0 for _ in shown)]


def _matched(
    shown: Sequence[Sequence[str]], likeness: Sequence[Sequence[Sequence[float]]]
) -> list[tuple[int, ...]]:
    """The best rows first; no sentence stands in two of them."""
    taken: list[set[int]] = [set() for _ in shown]
    order = sorted(
        range(len(shown[0])),
        key=lambda one: -max(max(side[one], default=0.0) for side in likeness),
    )
    found: list[tuple[int, ...]] = []
    for one in order:
        row = [one]
        for at, side in enumerate(likeness, 1):
            free = [other for other in range(len(shown[at])) if other not in taken[at]]
            best = max(free, key=lambda other: side[one][other], default=-1)
            row.append(best if best >= 0 and side[one][best] >= ALIKE else -1)
        if any(other >= 0 for other in row[1:]):
            for at, other in enumerate(row):
                taken[at].add(other)
            found.append(tuple(row))
        if len(found) == MOST_ROWS:
            break
    return found


def _likeness(
    shown: Sequence[Sequence[str]], about: set[str], embedder: Embedder
) -> list[list[list[float]]]:
    """For each side but the first, how alike each sentence of the first is to each of it."""
    vectors = [embedder.embed([_rest(text, about) for text in side]) for side in shown]
    own = [[set(content_words(text)) - about for text in side] for side in shown]
    told: list[list[list[float]]] = []
    for at in range(1, len(shown)):
        close = vectors[0] @ vectors[at].T
        told.append(
            [
                [
                    float(close[i, j]) if own[0][i] & own[at][j] else 0.0
                    for j in range(len(shown[at]))
                ]
                for i in range(len(shown[0]))
            ]
        )
    return told


def _rest(text: str, about: set[str]) -> str:
    """The words of `text` without those that only say what it is about."""
    kept = [word for word in words(text) if not about & set(content_words(word))]
    return " ".join(kept) or text
