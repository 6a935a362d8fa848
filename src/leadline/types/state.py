"""What a run may do and spend, what it knows, and what it has of an earlier one."""

from __future__ import annotations

from datetime import datetime

from leadline.types.asking import Call, Plan, Query
from leadline.types.finding import Hit, Injection, Loss, Passage, Skip, Source, Variant
from leadline.types.judging import GateVerdict, Knowledge
from leadline.types.kinds import GateName, PolicyName, Stop, StopRuleName, SubtasksName
from leadline.types.limits import Limits, Usage
from leadline.types.writing import Citation, Opinion
from leadline.values import Value, field


class Gist(Value):
    """A result in short. `handle` finds its whole text in the journal of the run."""

    handle: str
    text: str


class Compaction(Value):
    """What one compaction did: tokens of the results before and after, and the new gists."""

    before: int
    after: int
    gists: tuple[Gist, ...] = ()


class Earlier(Value):
    """A finished run as a later question sees it.

    `question` is the new one with what it refers to; `passages` are what the old pages say of it,
    and `missing` are its parts that none of them answers. `grounds` are what the old report was
    checked against, and `opinions` what a model said of its claims: both for its update alone.
    """

    run_id: str
    task: str
    answer: str
    question: str
    sources: tuple[Source, ...]
    passages: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()
    found: bool = True
    update: bool = False
    facts: tuple[str, ...] = ()
    grounds: tuple[Passage, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    injections: tuple[Injection, ...] = ()


class Rules(Value):
    """How a run behaves: the numbers of the settings that the steps and policies need."""

    policy: PolicyName = "reflective"
    gate: GateName = "semantic"
    stop_rule: StopRuleName = "chain"  # what ends the search before a limit does
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
    domain_quota: int = 0  # sources of one site in a run; 0 sets no limit
    subtasks: SubtasksName = "auto"  # whether a compound task is taken apart
    compact_tokens: int = 50_000  # of results; above this the older ones are summarised
    compact_keep: int = 20  # the newest results, which stay whole


class State(Value):
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
    from_memory: tuple[str, ...] = ()  # what earlier runs led to, in words
    iteration: int = 0
    sufficient: bool = False
    confidence: float = 0.0
    reflector: str = ""  # who reflected last: a model, or `extractive`
    model_reflects: bool = True  # until a model brings no new query
    gaps: tuple[str, ...] = ()
    failed_queries: tuple[str, ...] = ()
    error_log: tuple[Loss, ...] = ()
    skipped: tuple[Skip, ...] = ()
    variants: tuple[Variant, ...] = ()
    injections: tuple[Injection, ...] = ()  # text from outside that gave orders
    compacted: tuple[Gist, ...] = ()  # older results in short, for whoever reads them all
    usage: Usage = field(default_factory=Usage)
    calls: tuple[Call, ...] = ()
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
