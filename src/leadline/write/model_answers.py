"""The shapes of a model's structured answers, and what is made of them.

A model is never taken at its word: a query that repeats the question is changed, lists are cut to
what the contract allows, and what is missing comes from the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from leadline.ports import Embedder
from leadline.question.analyse import keywords
from leadline.question.planning import other_than
from leadline.question.subtasks import MOST_PARTS, independent
from leadline.text.words import content_words, words
from leadline.types import Plan, Query, Reflection, State, TaskType, Tier
from leadline.values import replace
from leadline.write.reflecting import unasked

FEWEST, MOST = 3, 6
MOST_GAPS = 8
NEW_QUERIES = 3
LONGEST_QUERY = 24  # words
SAID = 0.9  # share of a text's words that a fact must have to say it
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
    knowledge_gaps: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    tier: Literal["standard", "simple", "deep"] = "standard"
    task_type: Literal["research", "enumerated", "best_practices", "factual", "comparison"] = (
        "research"
    )
    wanted_items: Annotated[int, Meta(ge=0, le=200)] = 0


@dataclass(frozen=True)
class ReflectionAnswer:
    """What reflection is asked for."""

    sufficient: bool
    confidence: Annotated[float, Meta(ge=0, le=1)] = 0.0
    gaps: tuple[str, ...] = ()
    new_queries: tuple[QueryAnswer, ...] = ()


def as_plan(answer: PlanAnswer, task: str, rules: Plan) -> Plan:
    """The model's plan, kept to three to six queries; `rules` is the plan made without it."""
    own = [Query(one.query, one.intent) for one in answer.search_queries]
    queries = distinct([*own, *rules.search_queries], task)
    count = len(distinct(own, task))
    queries = queries[: min(max(count, FEWEST), MOST)]
    return replace(
        rules,
        search_queries=queries,
        knowledge_gaps=_to_find(answer, task, rules),
        subtasks=_several(_unsaid(answer.subtasks, rules.known_facts), task) or rules.subtasks,
        tier=Tier(answer.tier),
        task_type=TaskType(answer.task_type),
        opening=len(queries),
        wanted_items=rules.wanted_items or _believable(answer.wanted_items, task),
    )


def _to_find(answer: PlanAnswer, task: str, rules: Plan) -> tuple[str, ...]:
    """What must be found out: the question's own parts, what the model names, what it looks for."""
    intents = [one.intent for one in answer.search_queries]
    named = _about([*_unsaid(answer.knowledge_gaps, rules.known_facts), *intents], task)
    return _lines([*rules.knowledge_gaps, *named], MOST_GAPS)


def as_reflection(
    answer: ReflectionAnswer, state: State, rules: Reflection, embedder: Embedder
) -> Reflection:
    """The model's verdict. Gaps that it names itself speak against its own "sufficient".

    `rules` is the reflection made without it: it has another form of every failed query, and leads
    that the evidence itself gives where the model offers nothing.
    """
    gaps = _lines(answer.gaps, MOST)
    own = [
        Query(clean(one.query, state.task), one.intent, "reflect") for one in answer.new_queries
    ][:NEW_QUERIES]
    instead = [one for one in rules.new_queries if one.intent.startswith("instead of: ")]
    wanted = [*own, *_unmet(instead, own)] or list(rules.new_queries[:NEW_QUERIES])
    asked = [query.text for query in state.asked]
    sufficient = answer.sufficient and not gaps and bool(state.sources)
    return Reflection(
        sufficient=sufficient,
        confidence=round(min(max(answer.confidence, 0.0), 1.0), 3),
        gaps=gaps,
        new_queries=() if sufficient else unasked(wanted, asked, state.task, embedder),
    )


def _unmet(instead: Sequence[Query], own: Sequence[Query]) -> list[Query]:
    """Forms of failed queries for which the model gave none of its own: it shares no word."""
    said = [set(content_words(query.text)) for query in own]

    def met(failed: str) -> bool:
        meant = set(content_words(failed))
        return any(meant & one for one in said)

    return [one for one in instead if not met(one.intent.removeprefix("instead of: "))]


# ── queries ─────────────────────────────────────────────────────────────────────────────────


def clean(text: str, task: str) -> str:
    """A query fit to be sent: one line, no quotation marks, short, and never the task (P2)."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    line = "".join(mark if mark.isprintable() else " " for mark in line.translate(_QUOTES))
    line = " ".join(_LABEL.sub("", line).split())
    if _echoes(line, task) or len(line.split()) > LONGEST_QUERY:
        line = " ".join((keywords(line) or line.split())[:LONGEST_QUERY])
    return other_than(task, line)


def _echoes(query: str, task: str) -> bool:
    """Does the whole task stand in the query, word for word?"""
    said, asked = " ".join(words(query)), " ".join(words(task))
    return bool(asked) and f" {asked} " in f" {said} "


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
    found = unasked([query], asked, state.task, embedder) if query.text else ()
    return found[0] if found else None


def _about(texts: Iterable[str], task: str) -> list[str]:
    """Those that have at least one word of the task: a model may have copied its instructions."""
    asked = set(content_words(task))
    return [text for text in texts if asked & set(content_words(text))]


def _unsaid(texts: Iterable[str], facts: Iterable[str]) -> list[str]:
    """Those that no fact says: a model may have copied what it was told is known."""
    said = [set(content_words(fact)) for fact in facts]

    def is_said(own: set[str]) -> bool:
        return any(len(own & one) >= SAID * len(own) for one in said)

    return [text for text in texts if not is_said(set(content_words(text)))]


def _several(subtasks: Iterable[str], task: str) -> tuple[str, ...]:
    """The model's subtasks, if they are of the task and each has a word of it to itself."""
    found = _lines(_about(subtasks, task), MOST_PARTS + 1)
    asked = set(content_words(task))
    own = [" ".join(word for word in content_words(text) if word in asked) for text in found]
    return found if 2 <= len(found) <= MOST_PARTS and independent(own) else ()


def _lines(texts: Iterable[str], most: int) -> tuple[str, ...]:
    cleaned = (" ".join(text.split())[:300] for text in texts)
    return tuple(dict.fromkeys(text for text in cleaned if text))[:most]


def _believable(wanted: int, task: str) -> int:
    """A number of items counts only when the task says it in digits, which the rules also read."""
    return wanted if str(wanted) in words(task) else 0
