"""How what was found and what was written is judged: novelty, knowledge, reflection, and how good
a report is."""

from __future__ import annotations

from typing import Literal

from leadline.types.asking import BY_RULE, Made, Query
from leadline.values import Value

GateReason = Literal["first", "novel", "epsilon", "discarded", "empty", "failed"]


class GateVerdict(Value):
    """How new a batch was: `accepted` enters the knowledge, anything else only the trace."""

    query: str
    score: float
    threshold: float
    accepted: bool
    reason: GateReason
    hits: int = 0
    repeated: float = 0.0  # share of the batch already seen
    made: Made = BY_RULE


class Novelty(Value):
    """What a reasoner says of how new a batch is, from 0 to 10."""

    score: float
    made: Made = BY_RULE


class Knowledge(Value):
    """The rolling summary: what accepted batches said, within `knowledge_max_chars`."""

    text: str = ""
    batches: int = 0
    made: Made = BY_RULE


class Reflection(Value):
    """`ReflectionResponse`: is it enough, what is open, what to ask next."""

    sufficient: bool = False
    confidence: float = 0.0
    gaps: tuple[str, ...] = ()
    new_queries: tuple[Query, ...] = ()
    brought: int = 0  # how many of them a model thought of
    model: str = ""
    tokens: int = 0
    timestamp: str = ""
    made: Made = BY_RULE


IssueKind = Literal["missing", "count", "repeated", "stub", "structure", "opinion"]
Outcome = Literal["first", "better", "no better", "less verified"]


class Sentence(Value):
    """A sentence of the report by its number."""

    number: int
    text: str
    ids: tuple[int, ...] = ()
    kind: Literal["claim", "note", "heading"] = "claim"


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
