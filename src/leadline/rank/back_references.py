"""Parts that refer back: "… and how far did it sail?" is about what the first part named.

The words of the first part say nothing of the answer to the second. What tells is one sentence
with the words of its own and a thing of the kind asked for, where the text speaks of the subject.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from leadline.question.analyse import Expects, Part
from leadline.rank.evidence import evidence, measures
from leadline.rank.word_coverage import coverage

_PLAIN_TO_SEE = frozenset({Expects.TIME, Expects.NUMBER})  # a place may be a well


def told(
    part: Part,
    said: Iterable[tuple[str, Collection[str]]],
    around: Collection[str],
    rare: Mapping[str, float],
) -> float:
    """How far one of the sentences `said` answers `part`, 0-1; `around` are the words of the text
    that they stand in."""
    own = max((coverage(part.own, has, rare) for text, has in said if _fits(part, text)), default=0)
    return min(own, coverage(part.about, around, rare))


def _fits(part: Part, text: str) -> bool:
    if part.expects not in _PLAIN_TO_SEE:
        return True
    return evidence(part.expects, text, part.label) > 0 and measures(text, part.label)
