"""A compound task as child runs: what each may spend, one list of sources, one report."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.check.prover import in_context
from leadline.ports import Fetcher, Find, Run
from leadline.question.planning import make_plan
from leadline.research.loop import Kit, drafted, finished, look, proven
from leadline.research.memory import leading, recalled
from leadline.research.read import fetching
from leadline.research.search import searching
from leadline.research.state import Gathered, begin
from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import (
    AgentResponse,
    Batch,
    Checked,
    Claim,
    Ground,
    Hit,
    Limits,
    Page,
    Plan,
    Query,
    Quote,
    Rules,
    Source,
    State,
    Stop,
    TaskType,
    Usage,
    Verdict,
)
from leadline.values import field_names, replace
from leadline.write.wordings import phrases

LONGEST_CELL = 300  # characters of a sentence that may stand in a comparison
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
    """Answer each subtask in a child run, at the same time, over one cache; then one report."""
    kit = sharing(kit, run)

    async def explore(child: Run, share: Share) -> Gathered:
        child.limit(share.limits)
        plan = await child.last_step("plan", plan_subtask, share, state.task, state.plan)
        own = begin(share.task, plan, share.limits, run.started)
        recall = await recalled(share.task, kit.memory, child)
        return await look(leading(own, recall, share.rules), share.rules, kit, child)

    parts = number_sources(await run.split(explore, shares))
    drafts = await run.split(lambda child, part: drafted(part, kit, child), parts)
    table = await run.last_step("compare", compare_sides, state.plan, parts)
    states: list[State] = []
    sections: list[Checked] = []
    for number, (part, draft) in enumerate(zip(parts, drafts, strict=True), 1):
        elsewhere = tuple(claim.text for one in (*sections, table) for claim in one.claims)
        own, checked = await proven(part, draft, kit, run.child(str(number)), elsewhere)
        states.append(own)
        sections.append(checked)
    merged = merge_states(state, states, run.elapsed)
    passages = tuple(passage for part in parts for passage in part.passages)
    report = assemble_sections(state.plan.subtasks, sections, table)
    return await finished(merged, report, passages, kit, run)


# ── one cache for all ───────────────────────────────────────────────────────────────────────


def sharing(kit: Kit, run: Run) -> Kit:
    """The kit with a search and a fetcher that ask for each thing once, whichever child wants it;
    what earlier lives of the run have on record is not asked for again either."""
    batches = run.recalled("search", searching(kit.find, 0))
    pages = run.recalled("read", fetching(kit.fetcher))
    fetcher = SharedPages(kit.fetcher, pages)
    return replace(kit, find=shared_search(kit.find, batches), fetcher=fetcher)


def shared_search(
    find: Find, known: Iterable[Batch] = ()
) -> Callable[[Query, int], Coroutine[Any, Any, Batch]]:
    """A search that asks each thing once; one that failed may be asked again."""
    done = {_key(batch.query): batch for batch in known if not batch.error}
    turns = defaultdict[str, asyncio.Lock](asyncio.Lock)

    async def search(query: Query, k: int) -> Batch:
        key = _key(query)
        async with turns[key]:
            if key in done:
                # What came of asking is told by the part that asked.
                batch = replace(done[key], notes=(), injections=(), asked=())
                return replace(batch, query=query, cached=True)
            batch = await find(query, k)
            if not batch.error:
                done[key] = batch
            return batch

    return search


class SharedPages:
    """A `ports.Fetcher` that fetches each page once."""

    def __init__(self, fetcher: Fetcher, known: Iterable[Page] = ()) -> None:
        self._fetcher = fetcher
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._known = {canonical(page.url): page for page in known}

    async def fetch(self, hit: Hit) -> Page:
        key = canonical(hit.url)
        async with self._turns[key]:
            if key not in self._known:
                self._known[key] = await self._fetcher.fetch(hit)
            return replace(self._known[key], url=hit.url)


def _key(query: Query) -> str:
    return " ".join(query.text.casefold().split())


# ── before ──────────────────────────────────────────────────────────────────────────────────


def share_budget(plan: Plan, limits: Limits, rules: Rules, spent: Usage) -> tuple[Share, ...]:
    """A share for each subtask; none where the task is one, or the limits leave no room."""
    count = len(plan.subtasks)
    if rules.subtasks == "off" or count < 2 or min(limits.max_queries, limits.max_sources) < count:
        return ()
    tokens = limits.token_budget - spent.prompt_tokens - spent.completion_tokens

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
        chars = rules.context_chars // count
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
        search_queries=tuple(queries.values())[:6],
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
    return tuple(_renumbered(part, ids) for part in parts)


def _renumbered(part: Gathered, ids: dict[str, int]) -> Gathered:
    state = part.state
    new = {source.id: ids[canonical(source.url)] for source in state.sources}
    variants = (
        replace(variant, source=new[variant.source], like=new[variant.like])
        for variant in state.variants
    )
    state = replace(
        state,
        sources=tuple(replace(source, id=new[source.id]) for source in state.sources),
        kept=tuple(new[number] for number in state.kept),
        variants=tuple(variants),
    )
    passages = (replace(passage, source=new[passage.source]) for passage in part.passages)
    return Gathered(state, tuple(passages))


_OF_CHILDREN = ("asked", "search_results", "verdicts", "skipped", "failed_queries")
_EACH_ONCE = ("variants", "from_memory", "gaps")
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


# ── the report ──────────────────────────────────────────────────────────────────────────────


def assemble_sections(
    labels: Sequence[str], sections: Sequence[Checked], table: Checked
) -> Checked:
    """One report: a section a subtask, then what sets them side by side."""
    parts = [
        f"## {_heading(label)}\n\n{_deeper(section.answer)}"
        for label, section in zip(labels, sections, strict=True)
    ]
    every = [*sections, table]
    return Checked(
        answer="\n\n".join([*parts, *([table.answer] if table.answer else [])]),
        claims=tuple(claim for one in every for claim in one.claims),
        dropped=tuple(claim for one in every for claim in one.dropped),
        found=any(one.found for one in sections) or bool(table.claims),
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


async def compare_sides(plan: Plan, parts: tuple[Gathered, ...]) -> Checked:
    """A table with one quotation a side; nothing where the task is no comparison, or a side has
    nothing to say."""
    labels = plan.subtasks
    if plan.task_type is not TaskType.COMPARISON:
        return Checked("", found=False)
    found = [_most_telling(at, parts, labels) for at in range(len(parts))]
    quotes = [quote for quote in found if quote is not None]
    if len(quotes) < len(parts):
        return Checked("", found=False)
    passages = tuple(passage for part in parts for passage in part.passages)
    claims = [
        Claim(plain(quote.text), (quote.source,), Verdict.QUOTED, 1.0, quote) for quote in quotes
    ]
    head = [label.replace("|", "/") for label in labels]
    cells = [f"{plain(quote.text)} [{quote.source}]" for quote in quotes]
    lines = [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), cells)]
    cited = {quote.source for quote in quotes}
    return Checked(
        answer="\n".join([f"## {phrases(plan.language).beside}", "", *lines]),
        claims=in_context(claims, passages),
        grounds=tuple(
            Ground(passage.source, passage.page, passage.start, passage.end)
            for passage in passages
            if passage.source in cited
        ),
    )


def _most_telling(at: int, parts: Sequence[Gathered], labels: Sequence[str]) -> Quote | None:
    """The sentence with most of a side's words, none of which another side has to itself."""
    own = set(content_words(labels[at]))
    other = {word for n, label in enumerate(labels) if n != at for word in content_words(label)}
    titles = {source.id: source.title for source in parts[at].state.sources}
    best: tuple[int, Quote | None] = (0, None)
    for passage in parts[at].passages:
        named = len((own - other) & set(content_words(titles.get(passage.source, ""))))
        for span in sentences(passage.text):
            words = set(content_words(span.text))
            weight = named + len((own - other or own) & words)
            fits = span.kind == "prose" and len(span.text) <= LONGEST_CELL and "|" not in span.text
            if fits and not words & (other - own) and weight > best[0]:
                start = passage.start + span.start
                end = start + len(span.text)
                best = weight, Quote(passage.source, span.text, passage.page, start, end)
    return best[1]
