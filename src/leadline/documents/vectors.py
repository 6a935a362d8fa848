"""Meaning: the vectors of an index's chunks, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from leadline.ports import Matrix

Ints = np.ndarray[Any, np.dtype[np.int64]]
Half = np.ndarray[Any, np.dtype[np.float16]]


class ChunkVectors:
    """`keys` rise; row i of `matrix` is the unit vector of chunk `keys[i]`."""

    def __init__(self, keys: Ints, matrix: Matrix) -> None:
        self.keys = keys
        self._matrix = matrix

    def near(self, query: Matrix, limit: int) -> Ints:
        """The rows, rising, of the `limit` chunks nearest to `query`."""
        if len(self.keys) <= limit:
            return np.arange(len(self.keys))
        # Not by `@`: the threads of BLAS cost more than they save, several times over where busy.
        cosines = np.einsum("ij,j->i", self._matrix, query)
        return np.sort(np.argpartition(cosines, len(self.keys) - limit)[-limit:])

    def places(self, keys: Ints) -> Ints:
        """The rows of those of `keys` that are there."""
        if not len(self.keys):
            return np.zeros(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.asarray(at[self.keys[at] == keys], dtype=np.int64)

    def cosines(self, rows: Ints, query: Matrix) -> Matrix:
        return np.asarray(np.einsum("ij,j->i", self._matrix[rows], query), dtype=np.float32)

    def alike(self, keys: Sequence[int], least: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each pair of `keys` whether their cosine is at least `least`."""
        rows = self._matrix[self.places(np.asarray(keys, dtype=np.int64))]
        if len(rows) < len(keys):  # a chunk without a vector may be like any other
            return np.ones((len(keys), len(keys)), dtype=np.bool_)
        return np.asarray(np.einsum("ij,kj->ik", rows, rows) >= least)
