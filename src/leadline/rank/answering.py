"""Which paragraphs answer a question, best first: words and meaning choose, the reader ranks.

First how many of the question's telling words a paragraph and its headings have, and how near it is
in meaning by static vectors. For the best of them the vectors of the learned reader, and its own
word on whether this text answers this question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.rank.paragraphs import Paragraph
from leadline.rank.word_coverage import kin, matched, rarity, share, weights
from leadline.text.words import content_words

if TYPE_CHECKING:
    from leadline.ports import Embedder, Matrix, PassageReader

DEPTH = 100  # paragraphs whose vectors the reader makes
ASKED = 20  # of them, of which it is asked whether they answer
IN_HEADING = 0.6  # what a word in the headings counts of one in the text
HALF = 0.5  # weight of the search's own score beside words, and of both beside the reader
# What makes a text of the same words another one.
_TELLING = re.compile(r"\d+(?:[.,]\d+)*|\b(?:no|not|never|none|cannot)\b|n['’]t\b", re.IGNORECASE)
COPY = 0.7  # share of its words in a better paragraph that makes one a repetition


@dataclass(frozen=True)
class Answering:
    """A paragraph; the share of the question's words that it has; and the reader's word on how
    well it answers, where a reader was asked."""

    paragraph: Paragraph
    covered: float
    answer: float | None = None


def answering(
    question: str,
    words: Sequence[str],
    found: Sequence[Paragraph],
    scores: Sequence[float],
    titles: Mapping[int, str],
    embedder: Embedder,
    reader: PassageReader | None = None,
) -> list[Answering]:
    """`found`, best first. `words` are the telling ones of the question, folded; `scores` are the
    search's own, one a paragraph."""
    if not found:
        return []
    heads = [" › ".join(_heads(one, titles)) for one in found]
    coarse, covered = _coarse(question, words, found, heads, scores, embedder)
    order = np.argsort(-coarse, kind="stable")
    if reader is None:
        return [Answering(found[i], float(covered[i])) for i in order]
    order = order[:DEPTH]
    texts = [_shown(found[i], titles) for i in order]
    near = _standing(reader.embed(texts) @ reader.embed([question])[0])
    near += HALF * _standing(coarse[order])
    asked = np.argsort(-near, kind="stable")
    first, rest = asked[:ASKED], asked[ASKED:]
    answers = np.full(len(texts), -np.inf, dtype=np.float32)
    answers[first] = reader.score_answers(question, [texts[i] for i in first])
    ranks = near[first] + _standing(answers[first])
    best = [*first[np.argsort(-ranks, kind="stable")], *rest]
    return [Answering(found[order[i]], float(covered[order[i]]), float(answers[i])) for i in best]


def without_copies(ranked: Sequence[Answering], most: int, told: str = "") -> list[Answering]:
    """The first `most` that repeat neither a better one nor what is `told` already; other figures
    and a "not" make it another text."""
    kept: list[Answering] = []
    bags = [_content(told)] if told else []
    for one in ranked:
        bag, figures = _content(one.paragraph.text)
        if bag and not any(
            len(bag & other) >= COPY * min(len(bag), len(other)) and figures <= known
            for other, known in bags
        ):
            kept.append(one)
            bags.append((bag, figures))
        if len(kept) == most:
            break
    return kept


def _content(text: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(content_words(text)), frozenset(_TELLING.findall(text.lower()))


def _heads(one: Paragraph, titles: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((titles.get(one.source, ""), *one.headings)))


def _shown(one: Paragraph, titles: Mapping[int, str]) -> str:
    """The paragraph as the reader sees it: under its nearest heading."""
    heading = one.headings[-1] if one.headings else titles.get(one.source, "")
    return f"{heading}: {one.text}" if heading else one.text


def _coarse(
    question: str,
    words: Sequence[str],
    found: Sequence[Paragraph],
    heads: Sequence[str],
    scores: Sequence[float],
    embedder: Embedder,
) -> tuple[Matrix, Matrix]:
    """The paragraphs by words, meaning and the search's score; and the words by themselves."""
    bags = [frozenset(content_words(one.text)) for one in found]
    above = {head: frozenset(content_words(head)) for head in set(heads)}
    rare = rarity([bag | above[head] for bag, head in zip(bags, heads, strict=True)])
    wanted = tuple(dict.fromkeys(words))
    weight = weights(wanted, rare)
    family = kin(wanted, rare)
    headed = {head: matched(family, words) for head, words in above.items()}
    covered = np.array(
        [
            share(
                [
                    max(inside, IN_HEADING * around)
                    for inside, around in zip(matched(family, bag), headed[head], strict=True)
                ],
                weight,
            )
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
