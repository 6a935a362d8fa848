"""Which remembered observations serve a task: by meaning and by words, and of those, what fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadline.text.words import content_words

# On LoCoMo R@10 is .661 with 0.3 and .658 with 0.4, and only with 0.3 is it better than words alone
# and vectors alone for every kind of question.
KEYWORD_WEIGHT = 0.3
_SERVES = 0.5  # share of the task's words: a lead on something else only takes up room


@dataclass(frozen=True)
class Scored:
    """A candidate with what both backends say of it."""

    key: str
    score: float
    similarity: float
    keyword: float


def fused(
    similarity: Mapping[str, float], keyword: Mapping[str, float], weight: float = KEYWORD_WEIGHT
) -> list[Scored]:
    """Every candidate, best first: similarity + `weight` × its keyword score, the best being 1."""
    most = max(keyword.values(), default=0.0)
    found = []
    for key in {**similarity, **keyword}:
        near = similarity.get(key, 0.0)
        share = max(keyword.get(key, 0.0), 0.0) / most if most > 0 else 0.0
        found.append(Scored(key, near + weight * share, near, share))
    return sorted(found, key=lambda one: (-one.score, one.key))


def serves(task: str, finding: str, title: str, question: str) -> bool:
    """Whether a finding that answered `question` is about what `task` asks."""
    wanted = set(content_words(task))
    own = {*content_words(finding), *content_words(title)}
    shared = wanted & {*own, *content_words(question)}
    return bool(own & wanted) and len(shared) >= _SERVES * len(wanted)


def within(texts: Sequence[str], max_chars: int) -> tuple[str, ...]:
    """As many of the texts as fit, in order; one that does not fit is passed over, never cut."""
    chosen: list[str] = []
    room = max_chars
    for text in texts:
        if len(text) + 1 <= room:
            chosen.append(text)
            room -= len(text) + 1
    return tuple(chosen)
