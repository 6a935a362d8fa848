"""Tells a task that is several tasks in one: things to research and compare, questions joined.

Conservative: what might be one question stays one. A question that merely names two things
("Are A and B both …?") is one question; splitting it would lose the link between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.question.entities import entities
from leadline.text.images import in_short
from leadline.text.words import content_words

MOST_PARTS = 4
_LONGEST = 600  # characters; a longer task is a brief, which only a model can take apart
_LONGEST_SIDE = 80


@dataclass(frozen=True)
class Compound:
    """The tasks in a task, none when it is one; `compared` when they are sides of a comparison."""

    parts: tuple[str, ...] = ()
    compared: bool = False


def compound(task: str) -> Compound:
    """`task` taken apart where that is safe."""
    text = " ".join(in_short(task).split())
    if len(text) > _LONGEST or text.count(".") > 2:
        return Compound()
    return _comparison(text) or Compound(_questions(text))


# ── compare A with B ────────────────────────────────────────────────────────────────────────

_PLEASE = r"^(?:please\s+)?(?:can you\s+|could you\s+)?"
_LOOK = (
    r"(?:research|investigate|study|look into|look up|find out about|read up on|learn about|"
    r"describe|explain|summari[sz]e|analy[sz]e|examine|review)"
)
_BY = (
    r"(?:\s*,?\s+(?:by|on|for|in terms of|with (?:regard|respect) to|regarding|as to|in)\s+"
    r"(?P<by>[^?]{2,120}?))?"
)
_END = r"\s*[.?!]*$"
_COMPARE = r"(?:compare and contrast|compare|contrast)\s+"
_SIDES = r"(?P<sides>.{3,200}?)"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_PLEASE}{_LOOK}\s+{_SIDES}\s*[,;.]?\s+(?:and|then|and then)\s+(?:then\s+)?{_COMPARE}"
        r"(?:them|both|the two|the three|these|their\s+(?P<their>[^?.]{2,80}?)|the results?)"
        rf"{_BY}{_END}",
        rf"{_PLEASE}{_COMPARE}(?:the\s+)?(?P<what>[a-z ]{{3,60}}?)\s+of\s+{_SIDES}{_END}",
        rf"{_PLEASE}{_COMPARE}{_SIDES}{_BY}{_END}",
    )
)
_JOINT = re.compile(
    r"\s*,\s*(?:and\s+|with\s+)?|\s+(?:and|with|to|against|versus|vs\.?)\s+", re.IGNORECASE
)
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|both|each|latter|former|"
    r"same|other|others|another|such|there|one)\b|它|他|她|其|这|那",
    re.IGNORECASE,
)


def _comparison(text: str) -> Compound | None:
    for form in _FORMS:
        if not (match := form.match(text)):
            continue
        found = match.groupdict()
        sides = _sides(found["sides"])
        if not sides:
            continue
        said = [found.get(name) or "" for name in ("what", "their", "by")]
        by = " ".join(one.strip(" ,.") for one in said if one)
        return Compound(tuple(f"{side}: {by}" if by else side for side in sides), compared=True)
    return None


def _sides(text: str) -> tuple[str, ...]:
    """The things that are joined, or nothing when they are not things of their own."""
    sides = [_bare(side) for side in _JOINT.split(text)]
    if not 2 <= len(sides) <= MOST_PARTS or not all(sides):
        return ()
    if any(len(side) > _LONGEST_SIDE or _REFERS.search(side) for side in sides):
        return ()
    return tuple(sides) if independent(sides) else ()


def _bare(side: str) -> str:
    return re.sub(r"^(?:the|a|an|both|between)\s+", "", side.strip(" ,.;:"), flags=re.IGNORECASE)


# ── two questions ───────────────────────────────────────────────────────────────────────────

_WORD = r"(?:who|what|when|where|why|how|which|whose)"
_MARK = re.compile(r"(?<=[?？])\s+")
_ALSO = re.compile(rf"\s*[,;]?\s+and\s+(?:also\s+)?(?={_WORD}\b)", re.IGNORECASE)
_ASKS = re.compile(rf"^(?:and\s+|also,?\s+)?{_WORD}\b", re.IGNORECASE)
_LEAST_WORDS = 2


def _questions(text: str) -> tuple[str, ...]:
    """Questions that stand beside each other and have nothing in common."""
    pieces = [piece.strip() for piece in _MARK.split(text) if piece.strip()]
    if len(pieces) == 1:
        pieces = [piece.strip() for piece in _ALSO.split(text) if piece.strip()]
    if not 2 <= len(pieces) <= MOST_PARTS or not all(_ASKS.match(piece) for piece in pieces):
        return ()
    whole = all(_stands_alone(piece) for piece in pieces)
    return tuple(map(_question, pieces)) if whole and _disjoint(pieces) else ()


def _question(piece: str) -> str:
    bare = re.sub(r"^(?:and\s+|also,?\s+)", "", piece, flags=re.IGNORECASE).rstrip(" ?？")
    return f"{bare[:1].upper()}{bare[1:]}?"


def _stands_alone(piece: str) -> bool:
    """Whether it names its own subject and points at nothing outside itself."""
    return (
        len(content_words(piece)) >= _LEAST_WORDS
        and any(not name.isupper() for name in entities(piece))  # "ID" is no subject
        and not _REFERS.search(piece)
    )


def _disjoint(pieces: Sequence[str]) -> bool:
    seen: set[str] = set()
    for piece in pieces:
        own = set(content_words(piece))
        if own & seen:
            return False
        seen |= own
    return True


def independent(parts: Sequence[str]) -> bool:
    """Whether each has a content word that none of the others has."""
    own = [set(content_words(part)) for part in parts]
    return all(
        words - set().union(*(other for at, other in enumerate(own) if at != here))
        for here, words in enumerate(own)
    )
