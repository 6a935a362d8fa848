"""The shapes of a model's structured answers, and what is made of them.

A model is never taken at its word: a query that repeats the question is changed, lists are cut to
what the contract allows, and what is missing comes from the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from leadline.ports import Embedder
from leadline.question.analyse import keywords
from leadline.question.planning import other_than
from leadline.text.words import content_words, words
from leadline.types import Plan, Query, Reflection, State, TaskType, Tier
from leadline.values import replace
from leadline.write.reflecting import unasked

FEWEST, MOST = 3, 6
NEW_QUERIES = 3
LONGEST_QUERY = 24  # words
SAME = 0.9  # share of their words that two texts must have in common to be one
_QUOTES = str.maketrans("", "", "\"'`“”„«»‘’")
_LABEL = re.compile(r"^\s*(?:[-*•]|\d+[.)]|query\s*\d*\s*:|search\s*\d*\s*:)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class QueryAnswer:
    query: Annotated[str, Meta(description="a few keywords", min_length=1)]
    intent: Annotated[str, Meta(description="what it is to find")] = ""


@dataclass(frozen=True)
class PlanAnswer:
    """What the planner is asked for."""

    search_queries: Annotated[tuple[QueryAnswer, ...], Meta(min_length=1, max_length=12)]
    tier: Literal["standard", "simple", "deep"] = "standard"
    task_type: Literal["research", "enumerated", "best_practices", "factual", "comparison"] = (
        "research"
    )


@dataclass(frozen=True)
class ReflectionAnswer:
    """What reflection is asked for."""

    sufficient: bool
    confidence: Annotated[float, Meta(ge=0, le=1)] = 0.0
    gaps: tuple[str, ...] = ()
    new_queries: tuple[QueryAnswer, ...] = ()


def as_plan(answer: PlanAnswer, task: str, rules: Plan) -> Plan:
    """`rules`, the plan made without a model, with what the model adds to it: its queries after
    those that open the search, kept to three to six in all."""
    first, later = rules.search_queries[: rules.opening], rules.search_queries[rules.opening :]
    own = [Query(one.query, one.intent) for one in answer.search_queries]
    opening = min(len(distinct([*first, *own], task)), MOST)
    by_rule = rules.task_type is not TaskType.RESEARCH  # the rules know a fact when they see one
    return replace(
        rules,
        search_queries=distinct([*first, *own, *later], task)[: max(opening, FEWEST)],
        tier=Tier(answer.tier),
        task_type=rules.task_type if by_rule else TaskType(answer.task_type),
        opening=opening,
    )


def as_reflection(
    answer: ReflectionAnswer, state: State, rules: Reflection, embedder: Embedder
) -> Reflection:
    """The model's verdict; its "sufficient" is believed where no new query stands beside it.

    `rules` is the reflection made without it: it has another form of every failed query, and leads
    that the evidence itself gives where the model offers nothing.
    """
    asked = [query.text for query in state.asked]
    offered = [
        Query(clean(one.query, state.task), one.intent, "reflect") for one in answer.new_queries
    ]
    own = unasked(offered, asked, state.task, embedder)[:NEW_QUERIES]
    confidence = round(min(max(answer.confidence, 0.0), 1.0), 3)
    if answer.sufficient and not own and state.sources:
        return Reflection(sufficient=True, confidence=confidence)
    lines = dict.fromkeys(" ".join(gap.split())[:300] for gap in answer.gaps)
    gaps = [gap for gap in lines if gap and not _repeats(gap, (state.task, *asked))][:MOST]
    instead = [one for one in rules.new_queries if one.intent.startswith("instead of: ")]
    wanted = [*own, *instead] if own else [*instead, *rules.new_queries[:NEW_QUERIES]]
    return Reflection(
        confidence=confidence,
        gaps=tuple(gaps) or rules.gaps,
        new_queries=unasked(wanted, asked, state.task, embedder),
        brought=len(own),
    )


def _repeats(gap: str, texts: Iterable[str]) -> bool:
    """Whether a gap is nothing but one of these texts again: the question, a query asked."""
    own = set(content_words(gap))
    bags = [set(content_words(text)) for text in texts]
    return any(len(own & bag) >= SAME * max(len(own), len(bag)) for bag in bags)


# ── queries ─────────────────────────────────────────────────────────────────────────────────


def clean(text: str, task: str) -> str:
    """A query fit to be sent: one line, no quotation marks, short, and never the task (P2)."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    line = "".join(mark if mark.isprintable() else " " for mark in line.translate(_QUOTES))
    line = " ".join(_LABEL.sub("", line).split())
    asked = " ".join(words(task))
    echoes = bool(asked) and f" {asked} " in f" {' '.join(words(line))} "
    if echoes or len(line.split()) > LONGEST_QUERY:
        line = " ".join((keywords(line) or line.split())[:LONGEST_QUERY])
    return other_than(task, line)


def distinct(wanted: Iterable[Query], task: str) -> tuple[Query, ...]:
    """Cleaned queries, no two of the same words."""
    seen: dict[frozenset[str], Query] = {}
    for query in wanted:
        text = clean(query.text, task)
        key = frozenset(content_words(text) or words(text))
        if key and key not in seen:
            seen[key] = replace(query, text=text, intent=" ".join(query.intent.split())[:200])
    return tuple(seen.values())


def first_query(text: str, state: State, embedder: Embedder) -> Query | None:
    """The one query of a free answer, unless it was asked already (P4, F3)."""
    query = Query(clean(text, state.task), "what is still missing", "gap")
    asked = [one.text for one in state.asked]
    return next(iter(unasked([query], asked, state.task, embedder)), None)
