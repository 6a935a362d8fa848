"""A compound task as child runs that search at the same time, and one report on what they found."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from leadline.ports import Fetcher, Find, Run
from leadline.question.planning import make_plan
from leadline.research.loop import Kit, drafted, finished, look, proven
from leadline.research.memory import leading, recalled
from leadline.research.read import fetching
from leadline.research.search import searching
from leadline.research.state import Gathered, begin
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import (
    AgentResponse,
    Batch,
    Draft,
    Hit,
    Limits,
    Page,
    Plan,
    Query,
    Rules,
    Source,
    State,
    Stop,
    Usage,
)
from leadline.values import field_names, replace

T = TypeVar("T")

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


async def answer_each(state: State, shares: tuple[Share, ...], kit: Kit, run: Run) -> AgentResponse:
    """Search for each subtask in a child run, at the same time; then one report from all of it.

    A model writes it in one go, so that it can compare; quotations have a section a subtask.
    """
    kit = sharing(kit, run)

    async def explore(child: Run, share: Share) -> Gathered:
        child.limit(share.limits)
        plan = await child.last_step("plan", plan_subtask, share, state.task, state.plan)
        own = begin(share.task, plan, share.limits, run.started)
        recall = await recalled(share.task, kit.memory, child)
        return await look(leading(own, recall, share.rules), share.rules, kit, child)

    parts = number_sources(await run.split(explore, shares))
    merged = merge_states(state, [part.state for part in parts], run.elapsed)
    found = Gathered(merged, tuple(passage for part in parts for passage in part.passages))
    if kit.model_writes:
        draft = await drafted(found, kit, run)
    else:
        drafts = await run.split(lambda child, part: drafted(part, kit, child), parts)
        draft = join_sections(state.plan.subtasks, drafts)
    merged, checked = await proven(found, draft, kit, run)
    return await finished(merged, checked, found.passages, kit, run)


# ── one cache for all ───────────────────────────────────────────────────────────────────────


class OnceEach(Generic[T]):
    """Results by key; each is made once, however many want it at the same time."""

    def __init__(self, known: Iterable[tuple[str, T]]) -> None:
        self._known = dict(known)
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def get(
        self, key: str, make: Callable[[], Awaitable[T]], keeps: Callable[[T], bool]
    ) -> tuple[T, bool]:
        """The result, and whether it was there already; one that `keeps` refuses is made again."""
        async with self._turns[key]:
            if key in self._known:
                return self._known[key], True
            result = await make()
            if keeps(result):
                self._known[key] = result
            return result, False


def sharing(kit: Kit, run: Run) -> Kit:
    """The kit with a search and a fetcher that ask for each thing once, whichever child wants it;
    what earlier lives of the run have on record is not asked for again either."""
    batches = run.recalled("search", searching(kit.find, 0))
    pages = run.recalled("read", fetching(kit.fetcher))
    return replace(
        kit, find=shared_search(kit.find, batches), fetcher=SharedPages(kit.fetcher, pages)
    )


def shared_search(
    find: Find, known: Iterable[Batch] = ()
) -> Callable[[Query, int], Coroutine[Any, Any, Batch]]:
    """A search that asks each thing once; one that failed may be asked again."""
    done = OnceEach((_key(batch.query), batch) for batch in known if not batch.error)

    async def search(query: Query, k: int) -> Batch:
        batch, shared = await done.get(
            _key(query), lambda: find(query, k), lambda batch: not batch.error
        )
        if not shared:
            return batch
        # What came of asking is told by the part that asked.
        return replace(batch, query=query, cached=True, notes=(), injections=(), asked=())

    return search


class SharedPages:
    """A `ports.Fetcher` that fetches each page once."""

    def __init__(self, fetcher: Fetcher, known: Iterable[Page] = ()) -> None:
        self._fetcher = fetcher
        self._pages = OnceEach((canonical(page.url), page) for page in known)

    async def fetch(self, hit: Hit) -> Page:
        key = canonical(hit.url)
        page, _ = await self._pages.get(key, lambda: self._fetcher.fetch(hit), lambda _: True)
        return replace(page, url=hit.url)


def _key(query: Query) -> str:
    return " ".join(query.text.casefold().split())


# ── before ──────────────────────────────────────────────────────────────────────────────────


def share_budget(plan: Plan, limits: Limits, rules: Rules, spent: Usage) -> tuple[Share, ...]:
    """A share for each subtask; none where the task is one, or the limits leave no room."""
    count = len(plan.subtasks)
    if rules.subtasks == "off" or count < 2 or min(limits.max_queries, limits.max_sources) < count:
        return ()
    tokens = limits.token_budget - spent.prompt_tokens - spent.completion_tokens
    chars = rules.context_chars // count

    def share(at: int, task: str) -> Share:
        def part(total: int) -> int:
            return total // count + (at < total % count)

        own = replace(
            limits,
            max_queries=part(limits.max_queries),
            max_sources=part(limits.max_sources),
            # Never nothing of what is left: 0 would mean that there is no ceiling.
            token_budget=max(tokens // count, 1) if limits.token_budget else 0,
            max_cost=max(limits.max_cost - spent.cost, limits.max_cost * 1e-6) / count,
        )
        pages = max(part(rules.url_enrich_count), min(rules.url_enrich_count, 1))
        return Share(task, own, replace(rules, url_enrich_count=pages, context_chars=chars))

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


def number_sources(parts: Sequence[Gathered]) -> tuple[Gathered, ...]:
    """The parts with one numbering of sources: what two of them found is one source."""
    ids: dict[str, int] = {}
    for part in parts:
        for source in part.state.sources:
            ids.setdefault(canonical(source.url), len(ids) + 1)

    def renumbered(part: Gathered) -> Gathered:
        state = part.state
        new = {source.id: ids[canonical(source.url)] for source in state.sources}
        passages = (replace(passage, source=new[passage.source]) for passage in part.passages)
        state = replace(
            state,
            sources=tuple(replace(source, id=new[source.id]) for source in state.sources),
            kept=tuple(new[number] for number in state.kept),
            variants=tuple(
                replace(variant, source=new[variant.source], like=new[variant.like])
                for variant in state.variants
            ),
        )
        return Gathered(state, tuple(passages))

    return tuple(renumbered(part) for part in parts)


_OF_CHILDREN = ("asked", "search_results", "verdicts", "skipped", "failed_queries")
_EACH_ONCE = ("variants", "from_memory", "gaps", "kept", "compacted")
_BESIDE_THE_PARENTS = ("error_log", "injections", "calls")


def merge_states(parent: State, states: Sequence[State], elapsed: float) -> State:
    """The state of the run: all that its children found and spent."""

    def of_children(name: str) -> tuple[Any, ...]:
        return tuple(value for state in states for value in getattr(state, name))

    lists: dict[str, Any] = {name: of_children(name) for name in _OF_CHILDREN}
    lists |= {name: tuple(dict.fromkeys(of_children(name))) for name in _EACH_ONCE}
    lists |= {name: getattr(parent, name) + of_children(name) for name in _BESIDE_THE_PARENTS}
    sources: dict[int, Source] = {}
    for source in of_children("sources"):
        known = sources.get(source.id)
        sources[source.id] = known if known and known.accessed else source
    spent = [parent.usage, *(state.usage for state in states)]
    usage = {name: sum(getattr(one, name) for one in spent) for name in field_names(Usage)}
    stops = {state.stop_reason for state in states}
    return replace(
        parent,
        **lists,
        sources=tuple(sources[number] for number in sorted(sources)),
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
