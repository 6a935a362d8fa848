"""The meaning half of the index: the vectors of all chunks in memory, and the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from leadline.ports import Matrix

Ints = np.ndarray[Any, np.dtype[np.int64]]

_HEAD = 64  # dimensions of the first look; static embeddings are trained to be cut there
_FACTOR = 4  # candidates of the first look for each one wanted
_SMALL = 2_000  # chunks below which one exact look is quicker


class Vectors:
    """`keys` rise; row i of `matrix` is the unit vector of chunk `keys[i]`."""

    def __init__(self, keys: Ints, matrix: Matrix) -> None:
        self.keys = keys
        self._matrix = matrix
        head = matrix[:, :_HEAD]
        norms = np.sqrt(np.einsum("ij,ij->i", head, head))[:, None]
        self._head = np.ascontiguousarray((head / np.maximum(norms, 1e-12)).T)

    def __len__(self) -> int:
        return len(self.keys)

    def near(self, query: Matrix, limit: int) -> Ints:
        """The rows, rising, of at least the `limit` chunks nearest to `query`, and of others."""
        wanted = limit * _FACTOR
        if len(self) <= max(_SMALL, wanted):
            return np.arange(len(self))
        # Not by `@`: the threads of BLAS cost 12 ms on a busy machine where this takes 0.5.
        look = np.einsum("ji,j->i", self._head, query[:_HEAD])
        return np.sort(np.argpartition(look, len(self) - wanted)[-wanted:])

    def places(self, keys: Ints) -> Ints:
        """The rows of those of `keys` that are there."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self) - 1)
        return np.asarray(at[self.keys[at] == keys], dtype=np.int64)

    def cosines(self, rows: Ints, query: Matrix) -> Matrix:
        return np.asarray(np.einsum("ij,j->i", self._matrix[rows], query), dtype=np.float32)

    def alike(self, keys: Sequence[int], least: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each pair of `keys` whether their cosine is at least `least`."""
        rows = self._matrix[self.places(np.asarray(keys, dtype=np.int64))]
        if len(rows) < len(keys):  # a chunk without a vector may be like any other
            return np.ones((len(keys), len(keys)), dtype=np.bool_)
        return np.asarray(np.einsum("ij,kj->ik", rows, rows) >= least)
