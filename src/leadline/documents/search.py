"""Searching: keyword scores and cosines become one ranking, and hits that overlap become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.documents.ingest import meaning
from leadline.rank.near_duplicates import same_text
from leadline.types import Hit
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.documents.keywords import Keywords
    from leadline.ports import Embedder, Matrix

    Scores = np.ndarray[Any, np.dtype[np.float64]]

Ints = np.ndarray[Any, np.dtype[np.int64]]
Mode = Literal["hybrid", "bm25", "vector"]
Ranking = list[tuple[int, float]]
_DEPTH = 100  # candidates, at least
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
    """The published index as one process holds it; it does not change when the index does.

    `keys` rise; row i of `vectors` is the unit vector of chunk `keys[i]`.
    """

    generation: str
    keywords: Keywords
    embedder: Embedder | None
    keys: Ints
    vectors: Matrix

    def ranked(self, query: str, mode: Mode, k: int) -> Ranking:
        """Chunk keys and scores above zero, the best first, enough for `k` hits."""
        depth = max(_DEPTH, _PER_HIT * k)
        if mode == "bm25" or self.embedder is None:
            return self.keywords.search(query, depth)
        if not len(self.keys):
            return []
        text = meaning(query, self.embedder) or query
        # Not by `@`: the threads of BLAS cost more than they save, several times over where busy.
        cosines = np.einsum("ij,j->i", self.vectors, self.embedder.embed([text])[0])
        if mode == "vector":
            fused = cosines.astype(float)
        else:
            fused = hybrid_scores(self._word_scores(self.keywords.search(query, depth)), cosines)
        rows = np.flatnonzero(fused > 0)
        best = rows[np.lexsort((self.keys[rows], -fused[rows]))][:depth]
        return [(int(self.keys[row]), float(fused[row])) for row in best]

    def _word_scores(self, words: Ranking) -> Scores:
        """The keyword score of each row; what the keyword index has and the rows lack is left."""
        keys = np.array([key for key, _ in words], dtype=np.int64)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[rows] == keys
        scores = np.zeros(len(self.keys))
        scores[rows[known]] = np.array([score for _, score in words])[known]
        return scores


def hybrid_scores(words: Scores, cosines: Matrix) -> Scores:
    """Keyword score over the best one, plus `_WEIGHT` times the cosine, scaled to 0–1.

    Zero for a row that is too far to count.
    """
    top = float(words.max(initial=0.0))
    floor = _FLOOR if top > 0 else _LONELY_FLOOR
    fused = (words / (top or 1.0) + _WEIGHT * np.maximum(cosines, 0.0)) / (1 + _WEIGHT)
    return np.where((words > 0) | (cosines >= floor), fused, 0.0)


def merged(hits: Sequence[Hit]) -> list[Hit]:
    """Hits in their order; one that overlaps or repeats a better one goes into it. Copies that
    differ in a number are two."""
    kept: list[Hit] = []
    ceiling = _LONGEST * max((len(hit.text) for hit in hits), default=0)
    for hit in hits:
        at = next((at for at, other in enumerate(kept) if _overlap(other, hit)), None)
        if at is None:
            if not any(same_text(other.text, hit.text) == "same" for other in kept):
                kept.append(hit)
        elif max(kept[at].end, hit.end) - min(kept[at].start, hit.start) <= ceiling:
            kept[at] = _joined(kept[at], hit)
        else:
            kept.append(_rest(hit, kept[at]))
    return kept


def _overlap(one: Hit, two: Hit) -> bool:
    return one.url == two.url and one.start < two.end and two.start < one.end


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
