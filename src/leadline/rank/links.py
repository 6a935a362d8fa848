"""Link ranking: which of the passages found belong to the answer, also those only reached by name.

A passage scores by the question's words in it, by being named in the question, and by being named
in another passage that scores. The last keeps the second hop, which shares few of its words with
the question.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.rank.names import names, normal
from leadline.text.words import content_words

_SATURATION = 1.2  # BM25's k1
_LENGTH = 0.5  # BM25's b
_NAMED = 0.5  # added when the question names the document
_SHARE = 0.8  # of the score of the best passage that names the document
_HOPS = 2


@dataclass(frozen=True, slots=True)
class Held:
    """A passage that a search returned. `key` is its document; `score` is the search's own."""

    key: str
    title: str
    text: str
    score: float = 0.0
    query: int = 0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A held passage with its rank score; the best by question words alone has 1."""

    held: Held
    score: float


def rank_sources(question: str, found: Sequence[Held]) -> list[Ranked]:
    """`found`, best first. Ties keep the order in which they were found."""
    if not found:
        return []
    called = [names(one.title, one.text) for one in found]
    asked = f" {normal(question)} "
    base = [
        score + _NAMED * any(f" {name} " in asked for name in own)
        for score, own in zip(_relevance(question, found), called, strict=True)
    ]
    links = _links(asked, found, called)
    scores = base
    for _ in range(_HOPS):
        scores = [
            own + _SHARE * max((scores[origin] for origin in links[i]), default=0.0)
            for i, own in enumerate(base)
        ]
    order = sorted(range(len(found)), key=lambda i: -scores[i])
    return [Ranked(found[i], scores[i]) for i in order]


def rarity(found: Sequence[Held]) -> dict[str, float]:
    """The inverse document frequency, within `found`, of each word in it."""
    counts = Counter(word for one in found for word in set(_text_words(one)))
    return {
        word: math.log(1 + (len(found) - count + 0.5) / (count + 0.5))
        for word, count in counts.items()
    }


def _text_words(one: Held) -> list[str]:
    return content_words(f"{one.title} {one.text}")


def _relevance(question: str, found: Sequence[Held]) -> list[float]:
    """BM25 of the question over `found` alone, scaled so that the best has 1."""
    texts = [Counter(_text_words(one)) for one in found]
    lengths = [sum(text.values()) for text in texts]
    mean = sum(lengths) / len(lengths) or 1.0
    idf = rarity(found)
    wanted = [word for word in dict.fromkeys(content_words(question)) if word in idf]
    scores = []
    for text, length in zip(texts, lengths, strict=True):
        slack = _SATURATION * (1 - _LENGTH + _LENGTH * length / mean)
        scores.append(sum(idf[w] * text[w] * (_SATURATION + 1) / (text[w] + slack) for w in wanted))
    best = max(scores) or 1.0
    return [score / best for score in scores]


def _links(asked: str, found: Sequence[Held], called: Sequence[tuple[str, ...]]) -> list[list[int]]:
    """For each passage, which others name its document. A name in the question links nothing."""
    texts = [f" {normal(f'{one.title} . {one.text}')} " for one in found]
    links: list[list[int]] = []
    for i, one in enumerate(found):
        wanted = [name for name in called[i] if f" {name} " not in asked]
        links.append(
            [
                j
                for j, other in enumerate(found)
                if other.key != one.key
                and any(f" {name} " in texts[j] and name not in called[j] for name in wanted)
            ]
        )
    return links
