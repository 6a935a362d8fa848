"""A compound task as child runs that search at the same time, and one report on what they found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from leadline.ports import Run
from leadline.question.planning import make_plan
from leadline.research.compact import compacted
from leadline.research.loop import Kit, drafted, finished, gather, proven
from leadline.research.memory import leading, recalled
from leadline.research.read import passages_of, read_pages
from leadline.research.state import Gathered, begin, with_pages
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import (
    AgentResponse,
    Draft,
    Knowledge,
    Limits,
    Page,
    Plan,
    Query,
    Rules,
    State,
    Stop,
    Usage,
)
from leadline.values import field_names, replace

MOST_QUERIES = 6  # of the plan of a subtask
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")
# The reason that says most about the run, where its children have several.
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


async def answer_each(
    state: State, shares: tuple[Share, ...], rules: Rules, kit: Kit, run: Run
) -> AgentResponse:
    """Search for each subtask in a child run, at the same time; then read, and write one report.

    A model writes it in one go, so that it can compare; quotations have a section a subtask.
    """

    async def explore(child: Run, share: Share) -> State:
        child.limit(share.limits)
        plan = await child.last_step("plan", plan_subtask, share, state.task, state.plan)
        own = begin(share.task, plan, share.limits, run.started)
        recall = await recalled(share.task, kit.memory, child)
        return await gather(leading(own, recall, share.rules), share.rules, kit, child)

    states = number_sources(await run.split(explore, shares))
    merged = merge_states(state, states, run.elapsed)
    wanted = max(rules.url_enrich_count, len(shares)) if rules.url_enrich_count else 0
    reading = replace(rules, url_enrich_count=wanted)
    merged, pages = await read_pages(merged, reading, kit.fetcher, run)
    parts = tuple(
        _read(own, share.rules, merged, pages, kit)
        for own, share in zip(states, shares, strict=True)
    )
    gaps = dict.fromkeys(gap for part in parts for gap in part.state.gaps)
    merged = await compacted(replace(merged, gaps=tuple(gaps)), rules, run)
    found = Gathered(merged, tuple(passage for part in parts for passage in part.passages))
    if kit.model_writes:
        draft = await drafted(found, kit, run)
    else:
        drafts = await run.split(lambda child, part: drafted(part, kit, child), parts)
        draft = join_sections(state.plan.subtasks, drafts)
    merged, checked = await proven(found, draft, kit, run)
    return await finished(merged, checked, found.passages, kit, run)


def _read(state: State, rules: Rules, merged: State, pages: tuple[Page, ...], kit: Kit) -> Gathered:
    """What was found for one subtask, with what the pages say of it and of themselves."""
    known = {source.id: source for source in merged.sources}
    state = replace(state, sources=tuple(known[source.id] for source in state.sources))
    passages = passages_of(state, pages, rules, kit.embedder)
    return Gathered(with_pages(state, passages), passages)


# ── before ──────────────────────────────────────────────────────────────────────────────────


def share_budget(plan: Plan, limits: Limits, rules: Rules) -> tuple[Share, ...]:
    """A share for each subtask; none where the task is one, or the limits leave no room.

    Tokens and money are one pot as well: every call is paid from it.
    """
    count = len(plan.subtasks)
    if rules.subtasks == "off" or count < 2 or min(limits.max_queries, limits.max_sources) < count:
        return ()

    def part(total: int, at: int) -> int:
        return total // count + (at < total % count)

    def share(at: int, task: str) -> Share:
        queries, sources = part(limits.max_queries, at), part(limits.max_sources, at)
        own = replace(limits, max_queries=queries, max_sources=sources)
        return Share(task, own, replace(rules, context_chars=rules.context_chars // count))

    return tuple(share(at, task) for at, task in enumerate(plan.subtasks))


async def plan_subtask(share: Share, task: str, parent: Plan) -> Plan:
    """The plan of a subtask: the queries of the parent's plan that are about it, then its own.

    Queries of the parent that were made by rule are left out: those of the subtask are the same
    rule's, for fewer words.
    """
    own = make_plan(share.task, parent.known_facts)
    by_rule = make_plan(task, parent.known_facts).search_queries
    given = [
        query
        for query in parent.search_queries
        if query not in by_rule and _is_about(query, share.task, parent.subtasks)
    ]
    queries: dict[str, Query] = {}
    for query in (*given, *own.search_queries):
        queries.setdefault(query.text.lower(), query)
    return replace(
        own,
        search_queries=tuple(queries.values())[:MOST_QUERIES],
        subtasks=(),
        language=parent.language,
        opening=max(len(given), 1),
    )


def _is_about(query: Query, subtask: str, subtasks: Sequence[str]) -> bool:
    """Whether a query has more words of this subtask to itself than of any other."""
    words = set(content_words(query.text))
    shared = set.intersection(*(set(content_words(task)) for task in subtasks))
    counts = {task: len(words & set(content_words(task)) - shared) for task in subtasks}
    return all(counts[subtask] > counts[task] for task in subtasks if task != subtask)


# ── after ───────────────────────────────────────────────────────────────────────────────────


def number_sources(states: Sequence[State]) -> tuple[State, ...]:
    """The states with one numbering of sources: what two of them found is one source."""
    ids: dict[str, int] = {}
    for source in (source for state in states for source in state.sources):
        ids.setdefault(canonical(source.url), len(ids) + 1)

    def renumbered(state: State) -> State:
        new = {source.id: ids[canonical(source.url)] for source in state.sources}
        return replace(
            state,
            sources=tuple(replace(source, id=new[source.id]) for source in state.sources),
            kept=tuple(new[number] for number in state.kept),
            variants=tuple(
                replace(variant, source=new[variant.source], like=new[variant.like])
                for variant in state.variants
            ),
        )

    return tuple(renumbered(state) for state in states)


_OF_CHILDREN = ("asked", "search_results", "verdicts", "skipped", "failed_queries")
_EACH_ONCE = ("variants", "from_memory", "gaps", "compacted")
_BESIDE_THE_PARENTS = ("error_log", "injections", "calls")


def merge_states(parent: State, states: Sequence[State], elapsed: float) -> State:
    """The state of the run: all that its children found and spent."""

    def of_children(name: str) -> tuple[Any, ...]:
        return tuple(value for state in states for value in getattr(state, name))

    lists: dict[str, Any] = {name: of_children(name) for name in _OF_CHILDREN}
    lists |= {name: tuple(dict.fromkeys(of_children(name))) for name in _EACH_ONCE}
    lists |= {name: getattr(parent, name) + of_children(name) for name in _BESIDE_THE_PARENTS}
    sources = {source.id: source for source in of_children("sources")}
    turns = zip_longest(*(state.kept for state in states))  # the best of each, the second …
    kept = dict.fromkeys(number for turn in turns for number in turn if number)
    spent = [parent.usage, *(state.usage for state in states)]
    usage = {name: sum(getattr(one, name) for one in spent) for name in field_names(Usage)}
    stops = {state.stop_reason for state in states}
    return replace(
        parent,
        **lists,
        sources=tuple(sources[number] for number in sorted(sources)),
        kept=tuple(kept),
        knowledge=Knowledge("\n".join(state.knowledge.text for state in states)),
        usage=Usage(**usage),
        iteration=max(state.iteration for state in states),
        confidence=min(state.confidence for state in states),
        sufficient=all(state.sufficient for state in states),
        degraded=any(state.degraded for state in states),
        stop_reason=next(stop for stop in _GRAVEST if stop in stops),
        elapsed=elapsed,
    )


def join_sections(labels: Sequence[str], drafts: Sequence[Draft]) -> Draft:
    """One draft of several: a section a subtask."""

    def joined(texts: Iterable[str]) -> str:
        pairs = zip(labels, texts, strict=True)
        return "\n\n".join(_section(label, text) for label, text in pairs if text)

    return Draft(
        answer=joined(draft.answer for draft in drafts),
        model=drafts[0].model,
        found=any(draft.found for draft in drafts),
        details=joined(draft.details for draft in drafts),
    )


def _section(label: str, answer: str) -> str:
    """The answer under its heading, its own headings one level further down; code stays."""
    title = " ".join(label.split())
    lines = [f"## {title[:1].upper()}{title[1:]}", ""]
    fenced = False
    for line in answer.splitlines():
        fenced ^= bool(_FENCE.match(line))
        lines.append(f"#{line}" if not fenced and re.match(r"#{1,5}\s", line) else line)
    return "\n".join(lines)
