"""The fixed vocabularies, and ids made from content."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Literal


class Tier(StrEnum):
    """How much a question may cost; the planner chooses where the user does not."""

    SIMPLE = "simple"
    STANDARD = "standard"
    DEEP = "deep"


class TaskType(StrEnum):
    ENUMERATED = "enumerated"
    BEST_PRACTICES = "best_practices"
    RESEARCH = "research"
    FACTUAL = "factual"
    COMPARISON = "comparison"


class Stop(StrEnum):
    """Why a run stopped searching. Exactly one per run."""

    SUFFICIENT = "sufficient"
    SATURATED = "saturated"
    MAX_ITERS = "max_iters"
    MAX_QUERIES = "max_queries"
    MAX_SOURCES = "max_sources"
    MAX_TIME = "max_time"
    TOKEN_BUDGET = "token_budget"  # noqa: S105 - a limit, not a secret
    MAX_COST = "max_cost"
    DEGRADED = "degraded"
    CANCELLED = "cancelled"
    ERROR = "error"


class Verdict(StrEnum):
    """What stands behind a claim.

    `quoted`: its words stand in a passage, exactly or nearly, by code. `judged`: a model that
    passed its examination says that the passages bear it out. `sourced`: its names, numbers and
    dates stand together in the passages, and nobody judged how they are related.
    """

    QUOTED = "quoted"
    JUDGED = "judged"
    SOURCED = "sourced"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"

    @property
    def is_proven(self) -> bool:
        return self in (Verdict.QUOTED, Verdict.JUDGED)

    @property
    def may_ship(self) -> bool:
        return self.is_proven or self is Verdict.SOURCED

    @classmethod
    def _missing_(cls, value: object) -> Verdict | None:
        """The words of earlier run files and journals, which knew no examined judge."""
        known = _EARLIER_WORDS.get(str(value))
        return cls(known) if known else None


_EARLIER_WORDS = {
    "supported": "sourced",
    "partly": "sourced",
    "mismatch": "not_found",
    "unsupported": "not_found",
}

SourceKind = Literal["web", "document"]
# "full" and "tried" stand in runs recorded before; nobody writes them any more.
SkipKind = Literal["filter", "quota", "copy", "said", "memory", "full", "tried"]
PolicyName = Literal["fixed", "saturation", "reflective"]
GateName = Literal["none", "heuristic", "semantic", "model"]
StopRuleName = Literal["chain", "gate"]
SubtasksName = Literal["auto", "off"]
ModelPlansName = Literal["auto", "always", "never"]


def content_id(*parts: str) -> str:
    """A short stable id made from content; the same content always has the same id."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
