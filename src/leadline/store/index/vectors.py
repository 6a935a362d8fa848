"""The meaning half of the index: the vectors of all chunks in memory, and the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from leadline.ports import Matrix

_HEAD = 64  # dimensions of the first look; static embeddings are trained to be cut there
_FACTOR = 4  # candidates of the first look for each one wanted
_SMALL = 4_000  # chunks below which one exact look is quicker


class Vectors:
    """`keys` rise; row i of `matrix` is the unit vector of chunk `keys[i]`."""

    def __init__(self, keys: np.ndarray[Any, Any], matrix: Matrix) -> None:
        self.keys = keys
        self._matrix = matrix
        head = np.ascontiguousarray(matrix[:, :_HEAD])
        norms = np.sqrt(np.einsum("ij,ij->i", head, head))[:, None]
        self._head = head / np.maximum(norms, 1e-12)

    def __len__(self) -> int:
        return len(self.keys)

    def nearest(self, query: Matrix, limit: int) -> list[tuple[int, float]]:
        """Keys and cosines of the chunks nearest to `query`, the best first."""
        rows = self._candidates(query, limit)
        cosines = _dot(self._matrix[rows], query)
        order = np.lexsort((rows, -cosines))[:limit]
        return [(int(self.keys[rows[i]]), float(cosines[i])) for i in order]

    def _candidates(self, query: Matrix, limit: int) -> np.ndarray[Any, Any]:
        if len(self) <= _SMALL:
            return np.arange(len(self))
        wanted = limit * _FACTOR
        if wanted >= len(self):
            return np.arange(len(self))
        look = _dot(self._head, query[:_HEAD])
        return np.sort(np.argpartition(-look, wanted)[:wanted])

    def cosines(self, query: Matrix, keys: Sequence[int]) -> list[float]:
        """How near each of `keys` is to `query`."""
        return [float(value) for value in _dot(self.rows(keys), query)]

    def rows(self, keys: Sequence[int]) -> Matrix:
        """The vectors of `keys`; zeros for one that is not there."""
        if not len(self) or not keys:
            return np.zeros((len(keys), self._matrix.shape[1]), dtype=np.float32)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self) - 1)
        there = self.keys[at] == np.asarray(keys)
        return np.asarray(self._matrix[at] * there[:, None], dtype=np.float32)


def _dot(rows: Matrix, query: Matrix) -> Matrix:
    """Each row times the query. Not by `@`: the threads of BLAS cost 12 ms on a busy machine
    where this takes 0.5 ms."""
    return np.asarray(np.einsum("ij,j->i", rows, query), dtype=np.float32)
