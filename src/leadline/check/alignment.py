"""A page laid out for checking claims against it: every claim word beside its nearest word in
each sentence, by spelling or by meaning. Laid out once, then many claims are cheap."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leadline.check.anchors import Holdings, folded, holdings
from leadline.ports import Embedder
from leadline.text.words import STOPWORDS, stem, words

if TYPE_CHECKING:
    from leadline.ports import Matrix

_KEPT: dict[str, dict[str, NDArray[np.float32]]] = {}
_MOST_KEPT = 100_000
_ONE_THREAD = 250_000  # multiplications that OpenBLAS does on one thread
_PRIOR = 30  # sentences that a page is thought to have besides: with one, no word is rare
_FLOOR = 0.3  # words less alike than this have nothing to do with each other


@dataclass(frozen=True)
class Evidence:
    """Sentences taken apart. Row 0 of `vectors` is empty and stands in every sentence."""

    sentences: tuple[str, ...]
    embedder: Embedder
    stems: tuple[tuple[str, ...], ...]
    columns: dict[str, int]
    vectors: Matrix
    places: NDArray[np.intp]  # the words of all sentences, as rows of `vectors`
    starts: NDArray[np.intp]
    whole: Matrix  # one vector a sentence
    counts: dict[str, int]
    held: Holdings

    @property
    def text(self) -> str:
        return "\n".join(self.sentences)


@dataclass(frozen=True)
class Alignment:
    """A claim against each sentence: `near[i, j]` is how close sentence i comes to word j."""

    stems: tuple[str, ...]
    weights: NDArray[np.float32]  # rarity on the page, summing to one
    exact: Matrix
    near: Matrix
    cosine: NDArray[np.float32]

    @property
    def scores(self) -> NDArray[np.float32]:
        """How well each sentence speaks for the claim, a little of its neighbours' included."""
        own = times(self.near + 0.25 * self.exact, self.weights) + 0.25 * self.cosine
        padded = np.pad(own, 1, constant_values=float(own.min()))
        return np.asarray(own + 0.15 * (padded[:-2] + padded[2:]), dtype=np.float32)


def lay_out(sentences: Sequence[str], embedder: Embedder) -> Evidence:
    """`sentences` ready to be aligned with claims."""
    said = [_content(sentence) for sentence in sentences]
    stems = tuple(tuple(stem(word) for word in row) for row in said)
    spelled = {stem(word): word for row in said for word in row}
    columns = {root: at for at, root in enumerate(spelled, 1)}
    vectors = np.zeros((len(columns) + 1, embedder.dim), dtype=np.float32)
    if spelled:
        vectors[1:] = _vectors(list(spelled.values()), embedder)
    places = [at for row in stems for at in (0, *(columns[root] for root in row))]
    starts = np.cumsum([0, *(len(row) + 1 for row in stems[:-1])])
    return Evidence(
        sentences=tuple(sentences),
        embedder=embedder,
        stems=stems,
        columns=columns,
        vectors=vectors,
        places=np.array(places, dtype=np.intp),
        starts=np.asarray(starts, dtype=np.intp),
        whole=embedder.embed(list(sentences)),
        counts=dict(Counter(root for row in stems for root in set(row))),
        held=holdings("\n".join(sentences)),
    )


def align(claim: str, page: Evidence) -> Alignment:
    """Each content word of `claim` beside its nearest word in each sentence of `page`."""
    spelled = {stem(word): word for word in _content(claim)} or {claim.strip().lower() or "?": "?"}
    stems = tuple(spelled)
    size = len(page.sentences)
    rarity = np.array([_rarity(page.counts.get(root, 0), size) for root in stems], dtype=np.float32)
    vectors = _vectors(list(spelled.values()), page.embedder)
    likeness = _products(vectors, page.vectors)
    same = np.zeros_like(likeness)
    for row, root in enumerate(stems):
        if root in page.columns:
            same[row, page.columns[root]] = 1.0
    likeness = np.maximum(np.where(likeness < _FLOOR, 0.0, likeness), same)
    return Alignment(
        stems=stems,
        weights=rarity / rarity.sum(),
        exact=_best(same, page),
        near=_best(np.minimum(likeness, 1.0).astype(np.float32), page),
        cosine=times(page.whole, page.embedder.embed([claim])[0]),
    )


def times(rows: Matrix, weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """`rows @ weights` on one thread: for so little, waking others costs more than they save."""
    return np.asarray(np.einsum("ij,j->i", rows, weights), dtype=np.float32)


def _products(one: Matrix, two: Matrix) -> Matrix:
    """`one @ two.T` in blocks too small for other threads, which would spin for 30 ms after it."""
    block = max(1, _ONE_THREAD // max(1, one.size))
    parts = [one @ two[at : at + block].T for at in range(0, len(two), block)]
    return np.concatenate(parts, axis=1)


def _best(likeness: Matrix, page: Evidence) -> Matrix:
    """One row a sentence, one column a claim word: the nearest of the sentence's words."""
    spread = likeness[:, page.places]
    return np.asarray(np.maximum.reduceat(spread, page.starts, axis=1).T, dtype=np.float32)


def _rarity(count: int, size: int) -> float:
    return math.log(1 + (size + _PRIOR) / (count + _PRIOR / 10))


def _content(text: str) -> list[str]:
    return [word for word in words(folded(text)) if word not in STOPWORDS]


def _vectors(distinct: list[str], embedder: Embedder) -> Matrix:
    """Vectors of single words, kept by the embedder's name: pages share most of their words."""
    kept = _KEPT.setdefault(embedder.name, {})
    lacking = [word for word in distinct if word not in kept]
    if lacking:
        found = embedder.embed(lacking)
        if len(kept) + len(lacking) > _MOST_KEPT:
            kept.clear()
            lacking, found = distinct, embedder.embed(distinct)
        kept.update(zip(lacking, found, strict=True))
    return np.array([kept[word] for word in distinct], dtype=np.float32)
