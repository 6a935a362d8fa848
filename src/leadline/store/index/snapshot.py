"""A snapshot: the published index as one process holds it in memory, and ranking over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from leadline.store.index import fuse
from leadline.store.index.intake import meaning

if TYPE_CHECKING:
    from leadline.ports import Embedder
    from leadline.store.index.keywords import Keywords
    from leadline.store.index.vectors import Vectors

Mode = Literal["hybrid", "bm25", "vector", "rrf"]
Ranking = list[tuple[int, float]]
_DEPTH = 200  # candidates taken from each half


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One generation of the index; it does not change when the index does."""

    generation: str
    keywords: Keywords
    vectors: Vectors | None
    embedder: Embedder | None

    def ranked(self, query: str, mode: Mode) -> Ranking:
        """Chunk keys and scores, the best first; `hybrid` is `bm25` where there is no vector."""
        if mode == "bm25" or self.vectors is None or self.embedder is None:
            return self.keywords.search(query, _DEPTH)
        bare = getattr(self.embedder, "words_only", False)
        sought = self.embedder.embed([meaning(query, bare) or query])[0]
        near = self.vectors.nearest(sought, _DEPTH)
        if mode == "vector":
            return near
        words, cosines = dict(self.keywords.search(query, _DEPTH)), dict(near)
        missing = [key for key in words if key not in cosines]
        cosines.update(zip(missing, self.vectors.cosines(sought, missing), strict=True))
        return fuse.reciprocal(words, cosines) if mode == "rrf" else fuse.convex(words, cosines)
