"""A compound task as child runs: what each may spend, one list of sources, one report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from leadline.frozen import frozen
from leadline.question.planning import make_plan
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import (
    Checked,
    Limits,
    Passage,
    Plan,
    Query,
    Rules,
    Source,
    State,
    Stop,
    Usage,
)

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


@frozen
class Share:
    """One subtask with its part of what the run may spend. Time is one pot for all."""

    task: str
    limits: Limits
    rules: Rules


@frozen
class Gathered:
    """What was found for a task: the state, and the passages a report may be written from."""

    state: State
    passages: tuple[Passage, ...]


# ── before ──────────────────────────────────────────────────────────────────────────────────


def shared_out(plan: Plan, limits: Limits, rules: Rules, spent: Usage) -> tuple[Share, ...]:
    """A share for each subtask; none where the task is one, or the limits leave no room."""
    count = len(plan.subtasks)
    if rules.subtasks == "off" or count < 2 or min(limits.max_queries, limits.max_sources) < count:
        return ()
    tokens = spent.prompt_tokens + spent.completion_tokens
    return tuple(
        Share(
            task,
            replace(
                limits,
                max_queries=_part(limits.max_queries, count, at),
                max_sources=_part(limits.max_sources, count, at),
                token_budget=_tokens(limits.token_budget, tokens, count),
                max_cost=max(limits.max_cost - spent.cost, limits.max_cost * 1e-6) / count,
            ),
            replace(
                rules,
                url_enrich_count=max(_part(rules.url_enrich_count, count, at), 1)
                if rules.url_enrich_count
                else 0,
                context_chars=rules.context_chars // count,
            ),
        )
        for at, task in enumerate(plan.subtasks)
    )


def _part(whole: int, count: int, at: int) -> int:
    """The part of `whole` that number `at` of `count` gets; all of them make the whole."""
    return whole // count + (at < whole % count)


def _tokens(budget: int, spent: int, count: int) -> int:
    """A part of what is left of a budget, never nothing: 0 would mean that there is no ceiling."""
    return max((budget - spent) // count, 1) if budget else 0


async def plan_of(share: Share, task: str, whole: Plan) -> Plan:
    """The plan of a subtask: the queries of the whole plan that are about it, then its own.

    Queries of the whole that were made by rule are left out: those of the subtask are the same
    rule's, for fewer words.
    """
    own = make_plan(share.task, whole.known_facts)
    by_rule = make_plan(task, whole.known_facts).search_queries
    wanted = [query for query in whole.search_queries if query not in by_rule]
    given = tuple(query for query in wanted if _of(query, whole.subtasks, share))
    seen = {query.text.lower() for query in given}
    rest = tuple(query for query in own.search_queries if query.text.lower() not in seen)
    return replace(
        own,
        search_queries=(given + rest)[:6],
        subtasks=(),
        language=whole.language,
        opening=max(len(given), 1),
    )


def _of(query: Query, subtasks: Sequence[str], share: Share) -> bool:
    """Whether a query has more words of this subtask to itself than of any other."""
    said = set(content_words(query.text))
    shared = set.intersection(*(set(content_words(task)) for task in subtasks))
    counts = {task: len(said & set(content_words(task)) - shared) for task in subtasks}
    best = max(counts.values())
    return best > 0 and counts[share.task] == best and list(counts.values()).count(best) == 1


# ── after ───────────────────────────────────────────────────────────────────────────────────


def numbered(parts: Sequence[Gathered]) -> tuple[Gathered, ...]:
    """The parts with one numbering of sources: what two of them found is one source.

    It is quoted in the section that it says most about, in both where that is the same.
    """
    ids: dict[str, int] = {}
    for part in parts:
        for source in part.state.sources:
            ids.setdefault(canonical(source.url), len(ids) + 1)
    found = [_renumbered(part, ids) for part in parts]
    return tuple(_own(at, found) for at in range(len(found)))


def _own(at: int, parts: Sequence[Gathered]) -> Gathered:
    """A part without passages of sources that say more about the task of another."""
    mine = parts[at]
    others = [one for number, one in enumerate(parts) if number != at]
    shared = {one.source for other in others for one in other.passages}
    kept = tuple(
        one
        for one in mine.passages
        if one.source not in shared
        or _aboutness(one.source, mine) >= max(_aboutness(one.source, other) for other in others)
    )
    return replace(mine, passages=kept or mine.passages)


def _aboutness(source: int, part: Gathered) -> float:
    """Which share of the words of a task its passages of a source have; its title counts too."""
    asked = set(content_words(part.state.task))
    texts = [one.text for one in part.passages if one.source == source]
    title = next((one.title for one in part.state.sources if one.id == source), "")
    if not asked or not texts:
        return 0.0
    said = set(content_words(" ".join(texts)))
    return (len(asked & said) + len(asked & set(content_words(title)))) / len(asked)


def _renumbered(part: Gathered, ids: dict[str, int]) -> Gathered:
    state = part.state
    new = {source.id: ids[canonical(source.url)] for source in state.sources}
    return Gathered(
        replace(
            state,
            sources=tuple(replace(source, id=new[source.id]) for source in state.sources),
            kept=tuple(new[number] for number in state.kept),
            variants=tuple(
                replace(one, source=new[one.source], like=new[one.like]) for one in state.variants
            ),
        ),
        tuple(replace(one, source=new[one.source]) for one in part.passages),
    )


def together(whole: State, states: Sequence[State], elapsed: float) -> State:
    """The state of the whole run: all that its children found and spent."""
    sources: dict[int, Source] = {}
    for state in states:
        for source in state.sources:
            known = sources.get(source.id)
            sources[source.id] = source if known is None or not known.accessed else known
    stops = {state.stop_reason for state in states}
    usage = whole.usage
    for state in states:
        usage = _sum(usage, state.usage)
    return replace(
        whole,
        sources=tuple(sources[number] for number in sorted(sources)),
        asked=_all(states, "asked"),
        search_results=_all(states, "search_results"),
        verdicts=_all(states, "verdicts"),
        error_log=whole.error_log + _all(states, "error_log"),
        skipped=_all(states, "skipped"),
        variants=tuple(dict.fromkeys(_all(states, "variants"))),
        from_memory=tuple(dict.fromkeys(_all(states, "from_memory"))),
        failed_queries=_all(states, "failed_queries"),
        injections=whole.injections + _all(states, "injections"),
        gaps=tuple(dict.fromkeys(_all(states, "gaps"))),
        calls=whole.calls + _all(states, "calls"),
        usage=usage,
        iteration=max(state.iteration for state in states),
        confidence=min(state.confidence for state in states),
        sufficient=all(state.sufficient for state in states),
        degraded=any(state.degraded for state in states),
        stop_reason=next(one for one in _GRAVEST if one in stops),
        elapsed=elapsed,
    )


def _all(states: Sequence[State], name: str) -> tuple:  # type: ignore[type-arg]
    return tuple(one for state in states for one in getattr(state, name))


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


def assembled(labels: Sequence[str], sections: Sequence[Checked], beside: Checked) -> Checked:
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
    said = " ".join(label.split())
    return said[:1].upper() + said[1:]


def _deeper(answer: str) -> str:
    """The answer with its headings one level further down; code stays as it is."""
    lines: list[str] = []
    fenced = False
    for line in answer.splitlines():
        fenced ^= bool(_FENCE.match(line))
        lines.append(f"#{line}" if not fenced and re.match(r"#{1,5}\s", line) else line)
    return "\n".join(lines)


def told_elsewhere(
    sections: Sequence[Checked], beside: Checked
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What a section need not say again, and what of it when that would leave it empty."""
    before = tuple(claim.text for one in sections for claim in one.claims)
    return before + tuple(claim.text for claim in beside.claims), before, ()
