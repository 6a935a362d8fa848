"""What is made of it: gate verdicts, knowledge, reflection."""

from __future__ import annotations

from typing import Literal

from leadline.frozen import frozen
from leadline.types.asking import Query
from leadline.types.calling import BY_RULE, Made


@frozen
class GateVerdict:
    """How new a batch was: `accepted` enters the knowledge, anything else only the trace."""

    query: str
    score: float
    threshold: float
    accepted: bool
    reason: Literal["first", "novel", "epsilon", "discarded", "empty", "failed"]
    hits: int = 0
    repeated: float = 0.0  # share of the batch already seen
    made: Made = BY_RULE


@frozen
class Novelty:
    """What a reasoner says of how new a batch is, from 0 to 10."""

    score: float
    made: Made = BY_RULE


@frozen
class Knowledge:
    """The rolling summary: what accepted batches said, within `knowledge_max_chars`."""

    text: str = ""
    batches: int = 0
    made: Made = BY_RULE


@frozen
class Reflection:
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
