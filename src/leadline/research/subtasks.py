"""A compound task as child runs: what each may spend, one list of sources, one report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leadline.question.planning import make_plan
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import Checked, Limits, Passage, Plan, Query, Rules, Source, State, Stop, Usage
from leadline.values import replace

_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")
# The reason that says most about the whole, where the children have several.
_GRAVEST = (
    Stop.ERROR,
    Stop.CANCELLED,
    Stop.MAX_COST,
    Stop.TOKEN_BUDGET,
    Stop.MAX_TIME,
    Stop.DEGRADED,
    Stop.MAX_QUERIES,
    Stop.MAX_ITERS,
    Stop.MAX_SOURCES,
    Stop.SATURATED,
    Stop.SUFFICIENT,
)


@dataclass(frozen=True)
class Share:
    """One subtask with its part of what the run may spend. Time is one pot for all."""

    task: str
    limits: Limits
    rules: Rules


@dataclass(frozen=True)
class Gathered:
    """What was found for a task: the state, and the passages a report may be written from."""

    state: State
    passages: tuple[Passage, ...]


# ── before ──────────────────────────────────────────────────────────────────────────────────


def share_budget(plan: Plan, limits: Limits, rules: Rules, spent: Usage) -> tuple[Share, ...]:
    """A share for each subtask; none where the task is one, or the limits leave no room."""
    count = len(plan.subtasks)
    if rules.subtasks == "off" or count < 2 or min(limits.max_queries, limits.max_sources) < count:
        return ()
    tokens = limits.token_budget - spent.prompt_tokens - spent.completion_tokens

    def share(at: int, task: str) -> Share:
        def part(whole: int) -> int:
            return whole // count + (at < whole % count)

        own = replace(
            limits,
            max_queries=part(limits.max_queries),
            max_sources=part(limits.max_sources),
            # Never nothing of what is left: 0 would mean that there is no ceiling.
            token_budget=max(tokens // count, 1) if limits.token_budget else 0,
            max_cost=max(limits.max_cost - spent.cost, limits.max_cost * 1e-6) / count,
        )
        pages = max(part(rules.url_enrich_count), min(rules.url_enrich_count, 1))
        chars = rules.context_chars // count
        return Share(task, own, replace(rules, url_enrich_count=pages, context_chars=chars))

    return tuple(share(at, task) for at, task in enumerate(plan.subtasks))


async def plan_subtask(share: Share, task: str, whole: Plan) -> Plan:
    """The plan of a subtask: the queries of the whole plan that are about it, then its own.

    Queries of the whole that were made by rule are left out: those of the subtask are the same
    rule's, for fewer words.
    """
    own = make_plan(share.task, whole.known_facts)
    by_rule = make_plan(task, whole.known_facts).search_queries
    given = [
        query
        for query in whole.search_queries
        if query not in by_rule and _is_about(query, share.task, whole.subtasks)
    ]
    queries: dict[str, Query] = {}
    for query in (*given, *own.search_queries):
        queries.setdefault(query.text.lower(), query)
    return replace(
        own,
        search_queries=tuple(queries.values())[:6],
        subtasks=(),
        language=whole.language,
        opening=max(len(given), 1),
    )


def _is_about(query: Query, subtask: str, subtasks: Sequence[str]) -> bool:
    """Whether a query has more words of this subtask to itself than of any other."""
    words = set(content_words(query.text))
    shared = set.intersection(*(set(content_words(task)) for task in subtasks))
    counts = {task: len(words & set(content_words(task)) - shared) for task in subtasks}
    return all(counts[subtask] > counts[task] for task in subtasks if task != subtask)


# ── after ───────────────────────────────────────────────────────────────────────────────────


def number_sources(parts: Sequence[Gathered]) -> tuple[Gathered, ...]:
    """The parts with one numbering of sources: what two of them found is one source."""
    ids: dict[str, int] = {}
    for part in parts:
        for source in part.state.sources:
            ids.setdefault(canonical(source.url), len(ids) + 1)
    return tuple(_renumbered(part, ids) for part in parts)


def _renumbered(part: Gathered, ids: dict[str, int]) -> Gathered:
    state = part.state
    new = {source.id: ids[canonical(source.url)] for source in state.sources}
    state = replace(
        state,
        sources=tuple(replace(source, id=new[source.id]) for source in state.sources),
        kept=tuple(new[number] for number in state.kept),
        variants=tuple(
            replace(one, source=new[one.source], like=new[one.like]) for one in state.variants
        ),
    )
    return Gathered(state, tuple(replace(one, source=new[one.source]) for one in part.passages))


_LISTS = (
    "asked",
    "search_results",
    "verdicts",
    "skipped",
    "failed_queries",
    "calls",
    "variants",
    "from_memory",
    "gaps",
    "error_log",
    "injections",
)


def merge_states(whole: State, states: Sequence[State], elapsed: float) -> State:
    """The state of the whole run: all that its children found and spent."""
    sources: dict[int, Source] = {}
    usage = whole.usage
    for state in states:
        usage = _sum(usage, state.usage)
        for source in state.sources:
            known = sources.get(source.id)
            sources[source.id] = known if known and known.accessed else source
    lists: dict[str, Any] = {
        name: tuple(value for state in states for value in getattr(state, name)) for name in _LISTS
    }
    lists |= {
        name: tuple(dict.fromkeys(lists[name])) for name in ("variants", "from_memory", "gaps")
    }
    lists |= {
        name: getattr(whole, name) + lists[name] for name in ("error_log", "injections", "calls")
    }
    stops = {state.stop_reason for state in states}
    return replace(
        whole,
        **lists,
        sources=tuple(sources[number] for number in sorted(sources)),
        usage=usage,
        iteration=max(state.iteration for state in states),
        confidence=min(state.confidence for state in states),
        sufficient=all(state.sufficient for state in states),
        degraded=any(state.degraded for state in states),
        stop_reason=next(stop for stop in _GRAVEST if stop in stops),
        elapsed=elapsed,
    )


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        searches=one.searches + other.searches,
        pages=one.pages + other.pages,
        calls=one.calls + other.calls,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cost=one.cost + other.cost,
    )


# ── the report ──────────────────────────────────────────────────────────────────────────────


def assemble_sections(
    labels: Sequence[str], sections: Sequence[Checked], beside: Checked
) -> Checked:
    """One report: a section a subtask, then what sets them side by side."""
    parts = [
        f"## {_heading(label)}\n\n{_deeper(section.answer)}"
        for label, section in zip(labels, sections, strict=True)
    ]
    every = [*sections, beside]
    return Checked(
        answer="\n\n".join([*parts, *([beside.answer] if beside.answer else [])]),
        claims=tuple(claim for one in every for claim in one.claims),
        dropped=tuple(claim for one in every for claim in one.dropped),
        found=any(one.found for one in sections) or bool(beside.claims),
        disputes=tuple(dict.fromkeys(dispute for one in every for dispute in one.disputes)),
        grounds=tuple(dict.fromkeys(ground for one in every for ground in one.grounds)),
        notes=tuple(note for one in every for note in one.notes),
        doubts=tuple(claim for one in every for claim in one.doubts),
        lacking=sum(one.lacking for one in sections),
    )


def _heading(label: str) -> str:
    words = " ".join(label.split())
    return words[:1].upper() + words[1:]


def _deeper(answer: str) -> str:
    """The answer with its headings one level further down; code stays as it is."""
    lines: list[str] = []
    fenced = False
    for line in answer.splitlines():
        fenced ^= bool(_FENCE.match(line))
        lines.append(f"#{line}" if not fenced and re.match(r"#{1,5}\s", line) else line)
    return "\n".join(lines)


def claims_elsewhere(
    sections: Sequence[Checked], beside: Checked
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What a section need not say again, and what of it when that would leave it empty."""
    before = tuple(claim.text for section in sections for claim in section.claims)
    return before + tuple(claim.text for claim in beside.claims), before, ()
