"""How good a report is: scores, what fails, what is patched, and the rounds of its revision."""

from __future__ import annotations

from typing import Literal

from leadline.types.calling import BY_RULE, Made
from leadline.values import Value

IssueKind = Literal["missing", "count", "repeated", "stub", "structure", "opinion"]
Outcome = Literal["first", "better", "no better", "less verified"]


class Sentence(Value):
    """A sentence of the report by its number; `block` is the paragraph or item it stands in."""

    number: int
    text: str
    ids: tuple[int, ...] = ()
    kind: Literal["claim", "note", "heading"] = "claim"
    block: int = 0


class Issue(Value):
    """One failed item. `sentence` is its number, 0 where something is missing; `text` is the
    sentence, or what is missing."""

    kind: IssueKind
    what: str
    sentence: int = 0
    text: str = ""


class Scores(Value):
    """Each from 0 to 10. Groundedness is measured, whoever gives the others."""

    depth: float
    relevance: float
    completeness: float
    groundedness: float
    specificity: float
    structure: float


class Grade(Value):
    """What an evaluator says of a report: five opinions, and what it would have changed."""

    depth: float
    relevance: float
    completeness: float
    specificity: float
    structure: float
    issues: tuple[Issue, ...] = ()
    judge: str = ""
    made: Made = BY_RULE


class Patch(Value):
    """A sentence as it should be: "" takes it out, and number 0 adds one."""

    sentence: int
    text: str = ""


class Patches(Value):
    """What the producer makes of the failed items."""

    patches: tuple[Patch, ...] = ()
    made: Made = BY_RULE


class Quality(Value):
    """A report's scores, their weighted sum, and what fails. `judge` is the model that gave the
    opinions; "" when all was computed. `verified` counts claims that are not repeated."""

    total: float
    scores: Scores
    issues: tuple[Issue, ...] = ()
    verified: int = 0
    judge: str = ""


class Round(Value):
    """One version of the report: how good it was, and what became of it.

    `refused` are patches that no source bears out; the sentences they were for stayed.
    """

    quality: Quality
    outcome: Outcome = "first"
    patched: int = 0
    refused: tuple[str, ...] = ()


class Revision(Value):
    """The first version apart, the rounds that followed, which one shipped and why no more came.

    `best` is the number of the round that shipped, 0 for the first version.
    """

    first: Round
    rounds: tuple[Round, ...] = ()
    best: int = 0
    ended: str = ""
    made: Made = BY_RULE
