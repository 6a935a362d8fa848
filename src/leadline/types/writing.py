"""What is written: drafts, claims and their proof, the response."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.types.asking import Plan
from leadline.types.finding import Loss
from leadline.types.judging import GateVerdict
from leadline.types.kinds import SourceKind, Stop, Verdict
from leadline.types.spending import Usage


@dataclass(frozen=True, slots=True)
class Citation:
    """A source as the report lists it."""

    id: int
    title: str
    type: SourceKind
    location: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the writer hands in (`SynthesisResponse`): Markdown with `[n]`, and whom it cites."""

    answer: str
    citations: tuple[Citation, ...] = ()
    model: str = ""
    tokens: int = 0
    found: bool = True


@dataclass(frozen=True, slots=True)
class Quote:
    """The words of a page that prove a claim."""

    source: int
    text: str
    page: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the report, the sources it cites, and what they say of it."""

    text: str
    sources: tuple[int, ...]
    verdict: Verdict
    score: float = 0.0
    quote: Quote | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft after verification: what may ship, each claim with its verdict, what was dropped."""

    answer: str
    claims: tuple[Claim, ...] = ()
    dropped: tuple[Claim, ...] = ()
    found: bool = True


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """What every face returns. `summary` repeats `final_answer` for old clients."""

    run_id: str
    task: str
    summary: str
    final_answer: str
    sources: tuple[Citation, ...]
    claims: tuple[Claim, ...]
    confidence: float
    gaps: tuple[str, ...]
    stop_reason: Stop
    degraded: bool
    usage: Usage
    found: bool = True
    reached: bool = True  # False when no source at all could be had
    dropped: tuple[Claim, ...] = ()
    verdicts: tuple[GateVerdict, ...] = ()
    diagnosis: str = ""
    error_log: tuple[Loss, ...] = ()
    plan: Plan | None = None
