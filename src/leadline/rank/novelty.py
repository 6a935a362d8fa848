"""Novelty: how much of a batch the run has not read yet, from 0 (all repeated) to 10 (all new).

Counts sentences rather than averaging similarities, which are badly scaled. Leaves to the gate
what to do about a score. Words are embedded one by one, so give it a static embedder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.ports import Embedder
from leadline.text.words import STOPWORDS, words

if TYPE_CHECKING:
    from leadline.ports import Matrix

_DIGIT = re.compile(r"\d")
MOST_KEPT = 20_000  # words, of 1 KB each
MOST_TAKEN = 5_000  # sentences, of 2 KB each
_KEPT: dict[str, dict[str, Any]] = {}
_TAKEN: dict[str, dict[str, _Sentence]] = {}

SMALL_WORD = 0.25  # what a function word weighs beside a content word

# Made by bench/train_novelty.py on MRPC train and STS 2014, with as many unrelated pairs: the
# log-odds that one sentence repeats another, from the features in the order of `features`.
WEIGHTS = (4.07, 2.84, 2.42, -0.36, -0.27)
BIAS = -6.0

# Log-odds at which a sentence counts as wholly new and as wholly repeated; in between it counts
# in part, because no single threshold serves both other subjects and new facts on the same one.
NEW_BELOW, REPEATED_ABOVE = -2.5, 1.5


@dataclass(frozen=True)
class Novelty:
    """`score` 0–10 of a batch, the share of it that was `repeated`, and that of each sentence."""

    score: float
    repeated: float
    sentences: tuple[float, ...] = ()


def heuristic(knowledge_text: str, bodies: Sequence[str]) -> int:
    """Share of distinct words in `bodies` that the knowledge lacks, times ten, rounded."""
    known = set(words(knowledge_text))
    new = {word for body in bodies for word in words(body)}
    return round(10 * len(new - known) / len(new)) if new else 0


def semantic(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> Novelty:
    """The share of distinct sentences in `new` that no sentence in `known` covers."""
    held = dict.fromkeys(known)
    distinct = tuple(dict.fromkeys(new))
    if not distinct:
        return Novelty(0.0, 0.0)
    shares = dict.fromkeys(distinct, 1.0 if held else 0.0)  # word for word there: no need to look
    fresh = tuple(text for text in distinct if text not in held)
    if held and fresh:
        best = log_odds(tuple(held), fresh, embedder).max(axis=0)
        part = np.clip((best - NEW_BELOW) / (REPEATED_ABOVE - NEW_BELOW), 0.0, 1.0)
        shares |= dict(zip(fresh, map(float, part), strict=True))
    repeated = sum(shares.values()) / len(shares)
    return Novelty(10.0 * (1.0 - repeated), repeated, tuple(shares.values()))


def redundancy(known: str, new: str, embedder: Embedder) -> float:
    """How likely it is, 0–1, that `new` only repeats `known`."""
    odds = float(log_odds((known,), (new,), embedder)[0, 0])
    return float(1.0 / (1.0 + np.exp(-odds)))


def log_odds(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> Matrix:
    """One row a known sentence, one column a new one: the log-odds that it is a repetition."""
    odds = np.full((len(known), len(new)), BIAS, dtype=np.float32)
    for weight, feature in zip(WEIGHTS, features(known, new, embedder), strict=True):
        odds += np.float32(weight) * feature
    return odds


def features(known: Sequence[str], new: Sequence[str], embedder: Embedder) -> tuple[Matrix, ...]:
    """Likeness of words' meanings, likeness of whole sentences, shared words, and how far the
    numbers differ: by share, and whether each side has one that the other lacks."""
    cut = len(known)
    taken = _sentences((*known, *new), embedder)
    bags = [one.bag for one in taken]
    whole = np.array([one.whole for one in taken])
    meaning = np.array([one.meaning for one in taken])
    common, either = _overlap(bags, cut)
    numbers = [one.numbers for one in taken]
    agreed, told = _overlap(numbers, cut)
    sizes = np.array([len(bag) for bag in numbers], dtype=np.float32)
    clash = (sizes[:cut, None] > agreed) & (sizes[None, cut:] > agreed)
    return (
        np.asarray(meaning[:cut] @ meaning[cut:].T, dtype=np.float32),
        np.asarray(whole[:cut] @ whole[cut:].T, dtype=np.float32),
        np.asarray(common / np.maximum(either, 1.0), dtype=np.float32),
        np.where(told > 0, 1.0 - agreed / np.maximum(told, 1.0), 0.0).astype(np.float32),
        clash.astype(np.float32),
    )


@dataclass(frozen=True)
class _Sentence:
    """A sentence taken apart: its distinct words, its vector, and the mean of its words'."""

    bag: dict[str, None]
    numbers: dict[str, None]  # those of its words that have a digit
    whole: Matrix
    meaning: Matrix


def _sentences(texts: Sequence[str], embedder: Embedder) -> list[_Sentence]:
    """Each text taken apart once: what is known is compared with every batch that follows."""
    if len(_TAKEN.setdefault(embedder.name, {})) > MOST_TAKEN:
        _TAKEN[embedder.name] = {}
    taken = _TAKEN[embedder.name]
    missing = [text for text in dict.fromkeys(texts) if text not in taken]
    if missing:
        bags = [dict.fromkeys(words(text)) for text in missing]
        rows = zip(missing, bags, embedder.embed(missing), _meanings(bags, embedder), strict=True)
        taken.update(
            {text: _Sentence(bag, _numbers(bag), whole, mean) for text, bag, whole, mean in rows}
        )
    return [taken[text] for text in texts]


def forget() -> None:
    """Drop all that is kept between calls; scores do not change, only the time they take."""
    _KEPT.clear()
    _TAKEN.clear()


def _numbers(bag: dict[str, None]) -> dict[str, None]:
    return {word: None for word in bag if not word.isalpha() and _DIGIT.search(word)}


def _weight(word: str) -> float:
    return SMALL_WORD if word in STOPWORDS else 1.0


def _meanings(bags: Sequence[dict[str, None]], embedder: Embedder) -> Matrix:
    """The unit mean of the vectors of each sentence's distinct words, small words counting less."""
    columns = _columns(bags)
    sums = np.zeros((len(bags), embedder.dim), dtype=np.float32)
    filled = [row for row, bag in enumerate(bags) if bag]
    if filled:
        weights = np.fromiter(map(_weight, columns), dtype=np.float32, count=len(columns))
        vectors = _word_vectors(list(columns), embedder) * weights[:, None]
        starts = np.cumsum([0, *(len(bags[row]) for row in filled[:-1])])
        places = [columns[word] for row in filled for word in bags[row]]
        sums[filled] = np.add.reduceat(vectors[places], starts, axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.maximum(lengths, 1e-12), dtype=np.float32)


def _word_vectors(distinct: list[str], embedder: Embedder) -> Matrix:
    """Vectors of single words, kept by the embedder's name: a run's batches share most of them."""
    if len(_KEPT.setdefault(embedder.name, {})) > MOST_KEPT:
        _KEPT[embedder.name] = {}
    kept = _KEPT[embedder.name]
    missing = [word for word in distinct if word not in kept]
    if missing:
        kept.update(zip(missing, embedder.embed(missing), strict=True))
    return np.array([kept[word] for word in distinct], dtype=np.float32)


def _overlap(bags: Sequence[dict[str, None]], cut: int) -> tuple[Matrix, Matrix]:
    """How many words each of the first `cut` bags shares with each of the others, and how many
    there are in either. Only words of the others get a column: they alone can be shared."""
    columns = _columns(bags[cut:])
    width, known = len(columns), columns.keys()
    has = np.zeros((len(bags), width), dtype=np.float32)
    places = [
        row * width + columns[word] for row, bag in enumerate(bags) for word in known & bag.keys()
    ]
    has.ravel()[places] = 1.0
    sizes = np.array([len(bag) for bag in bags], dtype=np.float32)
    shared = np.asarray(has[:cut] @ has[cut:].T, dtype=np.float32)
    return shared, sizes[:cut, None] + sizes[None, cut:] - shared


def _columns(bags: Sequence[dict[str, None]]) -> dict[str, int]:
    """A number for each distinct word, in the order of appearance."""
    distinct = dict.fromkeys(word for bag in bags for word in bag)
    return {word: number for number, word in enumerate(distinct)}
