"""The values that flow through a run, and the glossary of the project.

    query     words sent to a search provider, with the intent behind them
    hit       one search result
    batch     the hits of one query
    source    a document or web page that hits of this run come from; `[1]`, `[2]` … never change
    page      the whole text of a source, kept as a snapshot under the hash of its content
    passage   a span of a page, with the offsets that prove it
    claim     a sentence of the report that cites passages
    verdict   what verification says of a claim
    knowledge the rolling summary of what was accepted
    note      something remembered from an earlier run
    run       one durable execution; a step is one recorded row of it

Every value is frozen and made of tuples and plain types, so that it can be compared, hashed and
written to the journal as JSON. Behaviour lives elsewhere.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
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
    """What the cited passages say of a claim. `contradicted` needs a model that can tell."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    MISMATCH = "mismatch"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


SourceKind = Literal["web", "document"]
PolicyName = Literal["fixed", "saturation", "reflective"]
GateName = Literal["none", "heuristic", "semantic", "model"]


def content_id(*parts: str) -> str:
    """A short stable id made from content; the same content always has the same id."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


# ── asking ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Query:
    """What is sent to a provider, why, and which stage wrote it."""

    text: str
    intent: str = ""
    origin: Literal["plan", "gap", "reflect", "fallback"] = "plan"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner makes of a task. `opening` queries start at once; the rest are in reserve."""

    search_queries: tuple[Query, ...]
    known_facts: tuple[str, ...] = ()
    knowledge_gaps: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    tier: Tier = Tier.STANDARD
    task_type: TaskType = TaskType.RESEARCH
    language: str = "en"
    opening: int = 1
    wanted_items: int = 0


# ── finding ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. For a document, `start` and `end` locate `text` in the page `page`."""

    url: str
    title: str
    text: str
    provider: str = ""
    kind: SourceKind = "web"
    score: float = 0.0
    ref: str = ""  # `doc#chunk` for a document
    section: str = ""
    page: str = ""  # content hash of the page the offsets point into; "" when only a snippet
    start: int = 0
    end: int = 0
    published: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """The hits of one query, in the provider's order. `error` is set when the search failed.

    `notes` tell what went wrong on the way and what was done about it: retries, fallbacks.
    """

    query: Query
    hits: tuple[Hit, ...] = ()
    provider: str = ""
    cached: bool = False
    error: str = ""
    notes: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a source as it was read, kept under `hash` so that a citation can be re-checked."""

    url: str
    title: str
    text: str
    kind: SourceKind = "web"
    author: str = ""
    date: str = ""
    fetched_at: str = ""

    @property
    def hash(self) -> str:
        return content_id(self.text)


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered entry of the run's list of sources."""

    id: int
    url: str
    title: str
    kind: SourceKind = "web"


@dataclass(frozen=True, slots=True)
class Passage:
    """A span of a page. `text` is exactly what stands at `start:end` of the page `page`."""

    source: int
    text: str
    page: str = ""
    start: int = 0
    end: int = 0
    section: str = ""
    score: float = 0.0

    @property
    def id(self) -> str:
        return content_id(self.page, str(self.start), self.text)


@dataclass(frozen=True, slots=True)
class Loss:
    """One source or search that could not be had; the run goes on without it."""

    stage: str
    what: str
    why: str


# ── judging ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """How new a batch was: `accepted` enters the knowledge, anything else only the trace."""

    query: str
    score: float
    threshold: float
    accepted: bool
    reason: Literal["first", "novel", "epsilon", "discarded", "empty", "failed"]
    hits: int = 0
    repeated: float = 0.0  # share of the batch already seen


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The rolling summary: what accepted batches said, within `knowledge_max_chars`."""

    text: str = ""
    batches: int = 0


@dataclass(frozen=True, slots=True)
class Reflection:
    """What reflection found: is it enough, what is open, what to ask next (`ReflectionResponse`)."""

    sufficient: bool = False
    confidence: float = 0.0
    gaps: tuple[str, ...] = ()
    new_queries: tuple[Query, ...] = ()
    model: str = ""
    tokens: int = 0
    timestamp: str = ""


# ── writing ─────────────────────────────────────────────────────────────────────────────────


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
class Usage:
    """What a run has spent so far."""

    searches: int = 0
    pages: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard ceilings of a run; zero means no ceiling for tokens and money."""

    max_iters: int = 5
    max_queries: int = 10
    max_sources: int = 15
    max_execution_time_s: float = 120.0
    token_budget: int = 0
    max_cost: float = 0.0

    @property
    def reserve_s(self) -> float:
        """Seconds kept back so that the report can always be written."""
        return min(15.0, 0.2 * self.max_execution_time_s)

    @property
    def gather_s(self) -> float:
        """Seconds that searching and reading may take."""
        return self.max_execution_time_s - self.reserve_s


@dataclass(frozen=True, slots=True)
class Rules:
    """How a run behaves: the numbers of the settings that the steps and policies need."""

    policy: PolicyName = "reflective"
    gate: GateName = "semantic"
    novelty_threshold: float = 3.0
    novelty_epsilon: float = 0.15
    knowledge_max_chars: int = 1500
    searches_per_task: int = 2
    max_search_rounds: int = 5
    queries_per_round: int = 2
    results_per_search: int = 10
    url_enrich_count: int = 2
    chunk_budget: int = 12_000
    page_max_chars: int = 8_000
    context_chars: int = 60_000


@dataclass(frozen=True, slots=True)
class State:
    """Everything a run knows. `search_results` and `citations` only grow."""

    task: str
    plan: Plan
    limits: Limits
    started: datetime
    plan_queries: tuple[Query, ...] = ()
    pending: tuple[Query, ...] = ()  # what reflection wants asked next
    asked: tuple[Query, ...] = ()
    search_results: tuple[Hit, ...] = ()
    verdicts: tuple[GateVerdict, ...] = ()
    last_round: int = 0  # how many of the verdicts belong to the last iteration
    sources: tuple[Source, ...] = ()
    kept: tuple[int, ...] = ()  # the sources the report would be written from now, best first
    unchanged: int = 0  # iterations in a row that did not change `kept`
    citations: tuple[Citation, ...] = ()
    knowledge: Knowledge = field(default_factory=Knowledge)
    known_facts: tuple[str, ...] = ()
    iteration: int = 0
    sufficient: bool = False
    confidence: float = 0.0
    gaps: tuple[str, ...] = ()
    failed_queries: tuple[str, ...] = ()
    error_log: tuple[Loss, ...] = ()
    usage: Usage = field(default_factory=Usage)
    elapsed: float = 0.0
    failures_in_a_row: int = 0
    degraded: bool = False
    stop_reason: Stop | None = None

    @property
    def max_iters(self) -> int:
        return self.limits.max_iters

    @property
    def max_execution_time_s(self) -> float:
        return self.limits.max_execution_time_s

    @property
    def token_budget(self) -> int:
        return self.limits.token_budget


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
    dropped: tuple[Claim, ...] = ()
    verdicts: tuple[GateVerdict, ...] = ()
    diagnosis: str = ""
    error_log: tuple[Loss, ...] = ()
    plan: Plan | None = None
