"""A stand-in embedder: words hashed into a few dimensions, so that shared words mean closeness."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.text.words import content_words

if TYPE_CHECKING:
    from leadline.ports import Matrix


class FakeEmbedder:
    """Satisfies `ports.Embedder` with no files; the same text always has the same vector."""

    def __init__(self, dim: int = 64) -> None:
        self.name = f"fake-{dim}"
        self.dim = dim

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in content_words(text):
                row[zlib.crc32(word.encode("utf-8", "replace")) % self.dim] += 1
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)
