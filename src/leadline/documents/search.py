"""Searching: keyword scores and cosines become one ranking, and hits that overlap become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.documents.ingest import meaning
from leadline.rank.near_duplicates import same_text
from leadline.types import Hit
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.documents.keywords import Keywords
    from leadline.documents.vectors import ChunkVectors, Ints
    from leadline.ports import Embedder, Matrix

    Scores = np.ndarray[Any, np.dtype[np.float64]]

Mode = Literal["hybrid", "bm25", "vector"]
Ranking = list[tuple[int, float]]
_DEPTH = 100  # candidates taken from each half, at least
_PER_HIT = 4  # and for each hit that is wanted
_WEIGHT = 0.9  # of the cosine beside the normalised keyword score
# The cosine that a chunk needs which shares no word with the query. On three collections such
# chunks, where relevant, have .40 at the 90th percentile, so little is lost.
_FLOOR = 0.5
# The same when no chunk at all knows a word of the query: random letters reach .69 in 38,000
# chunks, some of them as random.
_LONELY_FLOOR = 0.7
_LONGEST = 3  # times the longest single hit that a merged one may reach


@dataclass(frozen=True)
class Snapshot:
    """The published index as one process holds it; it does not change when the index does."""

    generation: str
    keywords: Keywords
    vectors: ChunkVectors | None
    embedder: Embedder | None

    def ranked(self, query: str, mode: Mode, k: int) -> Ranking:
        """Chunk keys and scores above zero, the best first, enough for `k` hits."""
        depth = max(_DEPTH, _PER_HIT * k)
        if mode == "bm25" or self.vectors is None or self.embedder is None:
            return self.keywords.search(query, depth)
        bare = getattr(self.embedder, "words_only", False)
        sought = self.embedder.embed([meaning(query, bare) or query])[0]
        words = self.keywords.search(query, depth) if mode == "hybrid" else []
        rows, scores = _candidates(self.vectors, words, sought)
        cosines = self.vectors.cosines(rows, sought)
        fused = cosines.astype(float) if mode == "vector" else hybrid_scores(scores, cosines)
        keys = self.vectors.keys[rows]
        order = np.lexsort((keys, -fused))[:depth]
        return [(int(keys[at]), float(fused[at])) for at in order if fused[at] > 0]


def _candidates(vectors: ChunkVectors, words: Ranking, sought: Matrix) -> tuple[Ints, Scores]:
    """The rows of the chunks that share words with the query or are near, and keyword scores."""
    keys = np.array([key for key, _ in words], dtype=np.int64)
    rows = np.union1d(vectors.near(sought, _DEPTH), vectors.places(keys))
    scores = np.zeros(len(rows))
    if words and len(rows):
        found = vectors.keys[rows]
        at = np.minimum(np.searchsorted(found, keys), len(rows) - 1)
        known = found[at] == keys
        scores[at[known]] = np.array([score for _, score in words])[known]
    return rows, scores


def hybrid_scores(words: Scores, cosines: Matrix) -> Scores:
    """Keyword score over the best one, plus `_WEIGHT` times the cosine, scaled to 0–1.

    Zero for a row that is too far to count.
    """
    top = float(words.max(initial=0.0))
    floor = _FLOOR if top > 0 else _LONELY_FLOOR
    fused = (words / (top or 1.0) + _WEIGHT * np.maximum(cosines, 0.0)) / (1 + _WEIGHT)
    return np.where((words > 0) | (cosines >= floor), fused, 0.0)


def merged(hits: Sequence[Hit], suspect: Callable[[int, int], bool]) -> list[Hit]:
    """Hits in their order; one that overlaps or repeats a better one goes into it.

    `suspect(i, j)` says cheaply whether hits i and j may be copies, before their words are
    compared. Copies that differ in a number are two.
    """
    kept: list[tuple[int, Hit]] = []
    ceiling = _LONGEST * max((len(hit.text) for hit in hits), default=0)
    for number, hit in enumerate(hits):
        at = next((i for i, (_, other) in enumerate(kept) if _overlap(other, hit)), None)
        if at is None:
            copies = (
                suspect(first, number) and same_text(other.text, hit.text) == "same"
                for first, other in kept
            )
            if not any(copies):
                kept.append((number, hit))
        elif _span(kept[at][1], hit) <= ceiling:
            kept[at] = (kept[at][0], _joined(kept[at][1], hit))
        else:
            kept.append((number, _rest(hit, kept[at][1])))
    return [hit for _, hit in kept]


def _overlap(one: Hit, two: Hit) -> bool:
    same = one.url == two.url and one.page == two.page
    return same and one.start < two.end and two.start < one.end


def _span(one: Hit, two: Hit) -> int:
    return max(one.end, two.end) - min(one.start, two.start)


def _joined(better: Hit, other: Hit) -> Hit:
    """The better hit, widened by what the other adds."""
    first, second = sorted((better, other), key=lambda hit: hit.start)
    text = first.text + second.text[max(0, first.end - second.start) :]
    return replace(better, text=text, start=first.start, end=max(first.end, second.end))


def _rest(hit: Hit, other: Hit) -> Hit:
    """The part of a hit that does not overlap the other."""
    if hit.start < other.start:
        return replace(hit, text=hit.text[: other.start - hit.start], end=other.start)
    return replace(hit, text=hit.text[other.end - hit.start :], start=other.end)
