"""How a new finding stands to one that is remembered: said already, newer, or at odds with it."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from leadline.rank.near_duplicates import differing, same_text
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import Passage
from leadline.types.remembering import Finding

Relation = Literal["apart", "same", "replaces", "replaced", "disputes"]

_SHARED = 0.6  # of the words of the shorter: with less two findings are about different things
_FIRST_DAY = len("2026-01-01")


def question_key(task: str) -> str:
    """One key for the same question in other order, case or filler words."""
    return " ".join(sorted(set(content_words(task)))) or task.strip().lower()


def relation(new: Finding, old: Finding) -> Relation:
    """What `new` is to `old`. Newer by the date of the source, or of the reading of one source."""
    ours, theirs = _says(new.text), _says(old.text)
    small = min(len(ours), len(theirs))
    if not small or len(ours & theirs) < _SHARED * small:
        return "apart"
    likeness = same_text(new.text, old.text)
    if likeness == "same" or (ours == theirs and differing(new.text, old.text) == ((), ())):
        return "same"
    if likeness == "different" and not _at_odds(new.text, old.text):
        return "apart"
    return _by_date(new, old)


@lru_cache(maxsize=1024)  # each finding is held against every other
def _says(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def _at_odds(one: str, other: str) -> bool:
    from leadline.check.source_conflicts import (
        disputes,  # its tables are large: not before the first search
    )

    return bool(disputes([Passage(1, one, "1"), Passage(2, other, "2")]))


def _by_date(new: Finding, old: Finding) -> Relation:
    first, second = new.published[:_FIRST_DAY], old.published[:_FIRST_DAY]
    if canonical(new.url) == canonical(old.url):
        if (first and second and first < second) or last_seen(new) < last_seen(old):
            return "replaced"
        return "replaces"
    if not first or not second or first == second:
        return "disputes"
    return "replaces" if first > second else "replaced"


def last_seen(finding: Finding) -> str:
    """When the finding was last read in its source, ISO."""
    return max(finding.found, finding.confirmed)
