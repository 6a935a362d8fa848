"""Settings of a run: what it searches, how far it goes, how it judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from leadline.fields.setting import Bounds, Fields, setting
from leadline.types import PolicyName, StopRuleName, Tier

Gate = Literal["none", "heuristic", "semantic", "model"]
SearchMode = Literal["hybrid", "bm25"]
Subtasks = Literal["auto", "off"]
Seconds = Annotated[float, Bounds(gt=0, le=86_400)]


class RunFields(Fields):
    """Everything that shapes a run whatever its sources are."""

    docs: tuple[Path, ...] = setting(
        default=(),
        needs_trust="outside",
        description="Folders and files to search; with these alone no socket is opened.",
    )
    tier: Tier | None = setting(
        default=None, description="How much a question may cost; unset, the planner decides."
    )
    max_iters: int | None = setting(
        default=None, ge=1, le=100, description="Iterations of search and reflection."
    )
    max_queries: int | None = setting(
        default=None, ge=1, le=1000, description="Searches a run may make."
    )
    max_sources: int | None = setting(
        default=None, ge=1, le=1000, description="Sources a run may take up."
    )
    max_execution_time_s: Seconds | None = setting(
        default=None, description="Seconds after which a run stops and writes what it has."
    )
    token_budget: int = setting(
        default=0, ge=0, description="Tokens a run may spend on models; 0 sets no ceiling."
    )
    policy: PolicyName = setting(
        default="reflective", description="How searches follow one another and when they end."
    )
    stop_rule: StopRuleName = setting(
        default="chain",
        description="What ends a `reflective` search before a limit does, beside the gate.",
    )
    gate: Gate = setting(
        default="semantic", description="How the novelty of a batch of results is scored."
    )
    novelty_threshold: float = setting(
        default=3.0,
        ge=0,
        le=10,
        description="Novelty score, of 10, below which a batch is discarded.",
    )
    novelty_epsilon: float = setting(
        default=0.15,
        ge=0,
        le=1,
        description="Probability that `saturation` lets a batch below the threshold through.",
    )
    knowledge_max_chars: int = setting(
        default=1500, ge=200, le=100_000, description="Length of the rolling summary of findings."
    )
    searches_per_task: int = setting(
        default=2,
        ge=1,
        le=50,
        description="Searches under `fixed`, and batches that pass the gate unjudged.",
    )
    max_search_rounds: int = setting(
        default=5, ge=1, le=100, description="Rounds of one search each under `saturation`."
    )
    queries_per_round: int = setting(
        default=2, ge=1, le=50, description="Searches at the same time under `reflective`."
    )
    results_per_search: int = setting(default=10, ge=1, le=50, description="Results of one search.")
    url_enrich_count: int | None = setting(
        default=None, ge=0, le=50, description="Whole pages read after the searches."
    )
    chunk_budget: int = setting(
        default=12_000,
        ge=500,
        le=1_000_000,
        description="Characters the chunker may take from one page.",
    )
    page_max_chars: int = setting(
        default=8000,
        ge=500,
        le=1_000_000,
        description="Characters of one page that may reach the writer.",
    )
    context_chars: int = setting(
        default=60_000,
        ge=1000,
        le=10_000_000,
        description="Characters of passages that may reach the writer in all.",
    )
    search_mode: SearchMode = setting(
        default="hybrid", description="Rank documents by words and embeddings, or by words alone."
    )
    reader: str = setting(
        default="on",
        needs_trust="yes",
        description="The learned reader that ranks passages: `on`, `off` (words and static vectors "
        "alone), or an ONNX encoder or cross-encoder with its tokenizer.json beside it.",
    )
    long: bool = setting(
        default=False, description="Print the further passages under a report's short answer."
    )
    min_score: float = setting(
        default=0.0, ge=0, description="Score below which a hit is left out."
    )
    revise: int = setting(
        default=0,
        ge=0,
        le=3,
        description="Rounds in which the report is scored and failing sentences are patched.",
    )
    follows: str = setting(
        default="",
        max_length=100,
        description="Finished run whose sources answer first; `leadline ask` sets it.",
    )
    update: bool = setting(
        default=False,
        description="With `follows`: write that run's report anew with what was found.",
    )
    subtasks: Subtasks = setting(
        default="auto",
        description="Whether the parts of a compound task are researched at the same time.",
    )
    review_plan: bool = setting(
        default=False, description="Show the plan to a person before anything is searched."
    )
    compact_tokens: int = setting(
        default=50_000,
        ge=1000,
        description="Tokens of results above which the older ones are shown in short.",
    )
    compact_keep: int = setting(
        default=20, ge=0, le=10_000, description="The newest results, which are always shown whole."
    )
    seed: int = setting(
        default=0, ge=0, le=2**63 - 1, description="Seed of everything random in a run."
    )
    index_max_file_mb: float = setting(
        default=20.0,
        gt=0,
        description="Size in megabytes above which a file is not indexed.",
    )
