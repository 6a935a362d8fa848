"""What is written: drafts, claims and their proof, the response."""

from __future__ import annotations

from msgspec.structs import force_setattr

from leadline.types.asking import BY_RULE, Call, Made, Plan
from leadline.types.finding import Injection, Loss, Skip, Variant
from leadline.types.judging import GateVerdict, Revision
from leadline.types.kinds import SourceKind, Stop, Verdict
from leadline.types.limits import Usage
from leadline.values import Value


class Citation(Value):
    """A source as the report lists it."""

    id: int
    title: str
    type: SourceKind
    location: str
    author: str = ""
    published: str = ""  # as the source says it, mostly an ISO date
    accessed: str = ""  # when it was read, ISO


class Draft(Value):
    """What the writer hands in (`SynthesisResponse`): Markdown with `[n]`, and whom it cites."""

    answer: str
    citations: tuple[Citation, ...] = ()
    model: str = ""
    tokens: int = 0
    found: bool = True
    made: Made = BY_RULE
    details: str = ""  # further passages, for whoever wants more than the answer
    lead: str = ""  # the answer as a model wrote it, which stands or falls as a whole


class Quote(Value):
    """The words of a page that prove a claim; `before` and `after` stand round them there."""

    source: int
    text: str
    page: str = ""
    start: int = 0
    end: int = 0
    before: str = ""
    after: str = ""


class Claim(Value):
    """A sentence of the report, the sources it cites, and what they say of it.

    A score of 1 is said of quotations alone.
    """

    text: str
    sources: tuple[int, ...]
    verdict: Verdict
    score: float = 0.0
    quote: Quote | None = None
    why: str = ""  # what speaks against it, or why it was dropped
    judge: str = ""  # the model that decided; "" when the verdict was computed

    def __post_init__(self) -> None:
        # Earlier run files and journals have one word for what is quoted and what is sourced.
        if self.verdict is Verdict.SOURCED and self.score == 1.0 and self.quote:
            force_setattr(self, "verdict", Verdict.QUOTED)


class Dispute(Value):
    """Two sources that contradict each other, in their own words. `newer` is the number of the
    later one, 0 where no date tells."""

    one: Quote
    other: Quote
    why: str
    newer: int = 0


class Ground(Value):
    """A span of a page that claims were checked against, so that anyone can check them again."""

    source: int
    page: str
    start: int
    end: int


class Opinion(Value):
    """What a model says of a claim, or in its place; `text` is a claim written anew."""

    claim: str
    verdict: Verdict | None = None  # `judged` for yes; None when it could not tell
    text: str = ""
    judge: str = ""
    error: str = ""
    made: Made = BY_RULE


class Details(Value):
    """Further passages below a short answer, checked as it is."""

    answer: str
    claims: tuple[Claim, ...] = ()
    sources: tuple[Citation, ...] = ()


class Checked(Value):
    """A draft after verification: what may ship, each claim with its verdict, what was dropped.

    `doubts` are the claims that are only sourced and `lacking` how many of the items asked for
    are missing: what a model may be asked about.
    """

    answer: str
    claims: tuple[Claim, ...] = ()
    dropped: tuple[Claim, ...] = ()
    found: bool = True
    disputes: tuple[Dispute, ...] = ()
    grounds: tuple[Ground, ...] = ()
    notes: tuple[Loss, ...] = ()
    doubts: tuple[Claim, ...] = ()
    lacking: int = 0
    made: Made = BY_RULE
    revision: Revision | None = None
    details: Details | None = None


class AgentResponse(Value):
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
    skipped: tuple[Skip, ...] = ()
    variants: tuple[Variant, ...] = ()
    calls: tuple[Call, ...] = ()
    plan: Plan | None = None
    started: str = ""  # when the run began, ISO
    disputes: tuple[Dispute, ...] = ()
    grounds: tuple[Ground, ...] = ()
    revision: Revision | None = None  # how good the report is, and how it was revised
    from_memory: tuple[str, ...] = ()  # what earlier runs led to, to be said at the top
    follows: str = ""  # the run whose sources it builds on
    injections: tuple[Injection, ...] = ()  # text from outside that gave orders, what was done
    details: Details | None = None
