"""Which paragraphs answer a question, best first: words and meaning choose, the reader ranks.

Three looks, each cheaper than the next: how many of the question's telling words a paragraph and its
headings have and how near it is in meaning, by static vectors; for the best of them the vectors of
the learned reader; and the reader's own word on whether this text answers this question.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.frozen import frozen
from leadline.rank.paragraphs import Paragraph
from leadline.text.words import content_words

if TYPE_CHECKING:
    from leadline.ports import Embedder, Matrix, PassageReader

DEPTH = 100  # paragraphs that the reader looks at
IN_HEADING = 0.6  # what a word in the headings counts of one in the text
HALF = 0.5  # weight of the search's own score beside words, and of both beside the reader
COPY = 0.7  # share of its words in a better paragraph that makes one a repetition


@frozen
class Answering:
    """A paragraph, and how well it answers: `rank` beside the others, `answer` by itself, which is
    the reader's word (above 0: rather yes) or, without a reader, how much of the question it has."""

    paragraph: Paragraph
    rank: float
    answer: float


def answering(
    question: str,
    found: Sequence[Paragraph],
    scores: Sequence[float],
    titles: Mapping[int, str],
    embedder: Embedder,
    reader: PassageReader | None = None,
) -> list[Answering]:
    """`found`, best first. `scores` are the search's own, one a paragraph."""
    if not found:
        return []
    heads = [" › ".join(_heads(one, titles)) for one in found]
    coarse, covered = _coarse(question, found, heads, scores, embedder)
    order = np.argsort(-coarse, kind="stable")
    if reader is None:
        return [Answering(found[i], float(coarse[i]), float(covered[i])) for i in order]
    order = order[:DEPTH]
    texts = [_shown(found[i], titles) for i in order]
    meaning = reader.embed(texts) @ reader.embed([question])[0]
    answers = reader.score_answers(question, texts)
    ranks = _standing(meaning) + _standing(answers) + HALF * _standing(coarse[order])
    best = np.argsort(-ranks, kind="stable")
    return [Answering(found[order[i]], float(ranks[i]), float(answers[i])) for i in best]


def without_copies(ranked: Sequence[Answering], most: int) -> list[Answering]:
    """The first `most` that do not repeat a better one."""
    kept: list[Answering] = []
    bags: list[frozenset[str]] = []
    for one in ranked:
        bag = frozenset(content_words(one.paragraph.text))
        if bag and all(len(bag & other) < COPY * min(len(bag), len(other)) for other in bags):
            kept.append(one)
            bags.append(bag)
        if len(kept) == most:
            break
    return kept


def _heads(one: Paragraph, titles: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((titles.get(one.source, ""), *one.headings)))


def _shown(one: Paragraph, titles: Mapping[int, str]) -> str:
    """The paragraph as the reader is trained to see it: under its nearest heading."""
    heading = one.headings[-1] if one.headings else titles.get(one.source, "")
    return f"{heading}: {one.text}" if heading else one.text


def _coarse(
    question: str,
    found: Sequence[Paragraph],
    heads: Sequence[str],
    scores: Sequence[float],
    embedder: Embedder,
) -> tuple[Matrix, Matrix]:
    """The paragraphs by words, meaning and the search's score; and the words by themselves."""
    bags = [frozenset(content_words(one.text)) for one in found]
    above = {head: frozenset(content_words(head)) for head in set(heads)}
    counts = Counter(
        word for bag, head in zip(bags, heads, strict=True) for word in bag | above[head]
    )
    wanted = {
        word: math.log(1 + (len(found) - counts[word] + 0.5) / (counts[word] + 0.5))
        for word in content_words(question)
    }
    whole = sum(wanted.values()) or 1.0
    covered = np.array(
        [
            sum(
                weight * (1.0 if word in bag else IN_HEADING * (word in above[head]))
                for word, weight in wanted.items()
            )
            / whole
            for bag, head in zip(bags, heads, strict=True)
        ],
        dtype=np.float32,
    )
    texts = [f"{head} {one.text}" for head, one in zip(heads, found, strict=True)]
    rows = embedder.embed([question, *texts])
    own = np.array(scores, dtype=np.float32) / (max(scores) or 1.0)
    return covered + rows[1:] @ rows[0] + HALF * own, covered


def _standing(values: Matrix) -> Matrix:
    """How many deviations each stands above the mean of all."""
    return np.asarray((values - values.mean()) / (values.std() or 1.0), dtype=np.float32)
