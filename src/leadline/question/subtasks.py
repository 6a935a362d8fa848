"""Tells a task that is several tasks in one: things to research and compare, questions joined.

Conservative: what might be one question stays one. A question that merely names two things
("Are A and B both …?") is one question; splitting it would lose the link between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.question.analyse import QUESTION_WORD, Question
from leadline.question.entities import entities
from leadline.text.words import content_words

MOST_PARTS = 4
_LONGEST = 600  # characters; a longer task is a brief, which only a model can take apart
_LONGEST_SIDE = 80
_LONGEST_JOINT = len(", and also ")

_COMPARE = r"(?:compare and contrast|compare|contrast)\s+"
_LOOK = (
    r"(?:research|investigate|study|look into|look up|find out about|learn about|describe|explain|"
    r"summari[sz]e|analy[sz]e|examine|review)"
)
_COMPARISON = re.compile(
    rf"(?:please\s+)?(?:{_LOOK}\s+(?P<first>.{{3,200}}?)\s*[,;.]?\s+(?:and|then|and then)\s+"
    rf"{_COMPARE}(?:them|both|the (?:two|three|results?)|these|their\s+(?P<their>[^?.]{{2,80}}?))"
    rf"|{_COMPARE}(?:(?:the\s+)?(?P<what>[a-z ]{{3,60}}?)\s+of\s+)?(?P<sides>.{{3,200}}?))"
    r"(?:\s*,?\s+(?:by|on|for|in terms of|with (?:regard|respect) to|regarding|in)\s+"
    r"(?P<by>[^?]{2,120}?))?\s*[.?!]*",
    re.IGNORECASE,
)
_JOINT = re.compile(r",\s*(?:and\s+|with\s+)?|\s+(?:and|with|to|against|versus|vs\.?)\s+", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an|both|between)\s+", re.IGNORECASE)
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|both|each|latter|former|"
    r"same|others?|another|such|there|one)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Compound:
    """The tasks in a task, none when it is one; `compared` when they are sides of a comparison."""

    parts: tuple[str, ...] = ()
    compared: bool = False


def compound(question: Question) -> Compound:
    """The question taken apart where that is safe."""
    if len(question.text) > _LONGEST or question.text.count(".") > 2:
        return Compound()
    sides = _sides(question.text)
    return Compound(sides, compared=True) if sides else Compound(_questions(question))


def _sides(text: str) -> tuple[str, ...]:
    """The things to compare, each with what they are compared by; nothing where they are not
    things of their own."""
    match = _COMPARISON.fullmatch(text)
    if not match:
        return ()
    joined = _JOINT.split(match["first"] or match["sides"])
    sides = [_ARTICLE.sub("", side.strip(" ,.;:")) for side in joined]
    whole = all(side and len(side) <= _LONGEST_SIDE and not _REFERS.search(side) for side in sides)
    if not whole or not 2 <= len(sides) <= MOST_PARTS or not independent(sides):
        return ()
    by = " ".join(match[name].strip(" ,.") for name in ("what", "their", "by") if match[name])
    return tuple(f"{side}: {by}" if by else side for side in sides)


def _questions(question: Question) -> tuple[str, ...]:
    """Questions that stand beside each other and have nothing in common."""
    parts = [part for part in question.parts if not part.inner]
    labels = [part.label for part in parts]
    shared = sum(len(part.words) for part in parts) > len({w for p in parts for w in p.words})
    if not 2 <= len(parts) <= MOST_PARTS or shared or not all(map(_stands_alone, labels)):
        return ()
    if len(question.text) - sum(map(len, labels)) > _LONGEST_JOINT * len(parts):
        return ()  # what is said beside the questions may belong to any of them
    return tuple(f"{label[:1].upper()}{label[1:]}?" for label in labels)


def _stands_alone(clause: str) -> bool:
    """Whether it asks, names its own subject and points at nothing outside itself."""
    return (
        re.match(QUESTION_WORD, clause, re.IGNORECASE) is not None
        and len(content_words(clause)) > 1
        and any(not name.isupper() for name in entities(clause))  # "ID" is no subject
        and not _REFERS.search(clause)
    )


def independent(parts: Sequence[str]) -> bool:
    """Whether each has a content word that none of the others has."""
    own = [set(content_words(part)) for part in parts]
    return all(
        words - set().union(*(other for at, other in enumerate(own) if at != here))
        for here, words in enumerate(own)
    )
