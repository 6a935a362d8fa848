"""A snapshot: the published index as one process holds it in memory, and ranking over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.documents import hybrid_score as fuse
from leadline.documents.ingest import meaning
from leadline.frozen import frozen

if TYPE_CHECKING:
    from leadline.documents.keywords import Keywords
    from leadline.documents.vectors import Vectors
    from leadline.ports import Embedder, Matrix

Mode = Literal["hybrid", "bm25", "vector", "rrf"]
Ranking = list[tuple[int, float]]
_DEPTH = 100  # candidates taken from each half, at least
_PER_HIT = 4  # and for each hit that is wanted


@frozen
class Snapshot:
    """One generation of the index; it does not change when the index does."""

    generation: str
    keywords: Keywords
    vectors: Vectors | None
    embedder: Embedder | None

    def ranked(self, query: str, mode: Mode, k: int) -> Ranking:
        """Chunk keys and scores above zero, the best first, enough for `k` hits."""
        depth = max(_DEPTH, _PER_HIT * k)
        if mode == "bm25" or self.vectors is None or self.embedder is None:
            return self.keywords.search(query, depth)
        bare = getattr(self.embedder, "words_only", False)
        sought = self.embedder.embed([meaning(query, bare) or query])[0]
        words = self.keywords.search(query, depth) if mode != "vector" else []
        return self._fused(self.vectors, words, sought, mode)[:depth]

    def _fused(self, vectors: Vectors, words: Ranking, sought: Matrix, mode: Mode) -> Ranking:
        near = vectors.near(sought, _DEPTH)
        keys = np.array([key for key, _ in words], dtype=np.int64)
        rows = np.union1d(near, vectors.places(keys)) if words else near
        cosines = vectors.cosines(rows, sought)
        scores = np.zeros(len(rows))
        found = vectors.keys[rows]
        at = np.minimum(np.searchsorted(found, keys), max(0, len(rows) - 1))
        if words:
            scores[at] = [score for _, score in words]
        if mode == "vector":
            fused = cosines.astype(np.float64)
        else:
            fused = (fuse.reciprocal if mode == "rrf" else fuse.convex)(scores, cosines)
        order = np.lexsort((found, -fused))
        order = order[fused[order] > 0]
        return list(zip(found[order].tolist(), fused[order].tolist(), strict=True))
