"""Carries out what a model calls: each call once ever, told back in the order of the calls.

A call that was made before is answered from the record; one that cannot be understood or may not
be made is told so. What was retrieved enters the state, so that it can be cited and proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.errors import BudgetSpent, SourceLost
from leadline.ports import Begun, Embedder, Fetcher, Find, Run
from leadline.research.agent.tool_results import (
    Slip,
    fetched,
    opened,
    refused,
    repeated,
    searched,
    worked_out,
)
from leadline.research.agent.tools import (
    Calculate,
    FetchPage,
    ReadDoc,
    SearchDocs,
    WebSearch,
    Wish,
    hit_named,
    key_of,
    query_for,
    understood,
    work_out,
)
from leadline.research.choose_sources import keep
from leadline.research.novelty_gate import admit, judge
from leadline.research.read import aspects, fetching, note_pages
from leadline.research.search import searching, within_quota
from leadline.text.urls import canonical
from leadline.types import (
    Batch,
    Figure,
    Hit,
    Loss,
    Move,
    Page,
    Query,
    Rules,
    State,
    Told,
    Tool,
    ToolCall,
)
from leadline.values import replace

MOST_AT_ONCE = 4  # calls of one move that are made
MOST_TOLD = 8  # and that are answered at all


@dataclass(frozen=True)
class Work:
    """What a steered run has done. The last `latest` results are new; `shown` are their sources."""

    state: State
    told: tuple[Told, ...] = ()
    latest: int = 0
    shown: tuple[str, ...] = ()
    moves: int = 0
    fruitless: int = 0  # moves in a row that brought nothing
    urged: bool = False
    pages: Mapping[str, Page] = field(default_factory=dict)
    made: Mapping[tuple[object, ...], Told] = field(default_factory=dict)


@dataclass(frozen=True)
class Deck:
    """What calls are carried out with."""

    run: Run
    rules: Rules
    tools: tuple[Tool, ...]
    fetcher: Fetcher
    embedder: Embedder
    docs: Find | None = None
    web: Find | None = None


@dataclass(slots=True)
class _Job:
    """One call on its way: `refusal` where it is not made; else begun, or waiting for the page
    that another call reads."""

    slip: Slip
    wish: Wish | None = None
    refusal: Told | None = None
    query: Query | None = None
    hit: Hit | None = None
    begun: Begun[Any] | None = None
    outcome: Batch | Page | Figure | Loss | None = None


async def carry_out(work: Work, move: Move, deck: Deck) -> Work:
    """The work after the calls of one move, all begun at the same time."""
    jobs: list[_Job] = []
    for call in move.calls[:MOST_TOLD]:
        jobs.append(_begun(call, work, jobs, deck))
    pages = dict(work.pages)
    read = [await _finish(job, pages) for job in jobs]
    state = note_pages(work.state, [page for page in read if page is not None])
    state = await _take_in(state, [job for job in jobs if isinstance(job.outcome, Batch)], deck)
    results: list[Told] = []
    shown: list[str] = []
    made = dict(work.made)
    for job in jobs:
        result, hits = _result(job, state, deck)
        state = _with_hits(state, hits)
        results.append(result)
        found = job.outcome.hits if isinstance(job.outcome, Batch) else hits
        shown += [hit.url for hit in found]
        if job.wish and not job.refusal and not isinstance(job.outcome, Loss):
            made.setdefault(key_of(job.wish), result)
    return replace(
        work,
        state=replace(keep(state), elapsed=deck.run.elapsed),
        told=work.told + tuple(results),
        latest=len(results),
        shown=tuple(shown),
        fruitless=0 if any(result.useful for result in results) else work.fruitless + 1,
        pages=pages,
        made=made,
    )


# ── beginning ───────────────────────────────────────────────────────────────────────────────


def _begun(call: ToolCall, work: Work, jobs: Sequence[_Job], deck: Deck) -> _Job:
    slip = Slip(f"r{len(work.told) + len(jobs) + 1}", call, work.moves)
    if len(jobs) >= MOST_AT_ONCE:
        why = f"only {MOST_AT_ONCE} calls can be made at once; this one was not made"
        return _Job(slip, refusal=refused(slip, why))
    wish = understood(call, deck.tools)
    if isinstance(wish, str):
        return _Job(slip, refusal=refused(slip, wish))
    if key_of(wish) in work.made:
        return _Job(slip, refusal=repeated(slip, work.made[key_of(wish)]))
    if any(job.wish and key_of(job.wish) == key_of(wish) for job in jobs):
        why = "the same call twice at once; it was made once"
        return _Job(slip, refusal=refused(slip, why))
    job = _Job(slip, wish)
    if isinstance(wish, Calculate):
        job.begun = deck.run.begin_step("calculate", work_out, wish.expression)
    elif isinstance(wish, SearchDocs | WebSearch):
        _begin_search(job, wish, work.state, jobs, deck)
    else:
        _begin_read(job, wish, work, jobs, deck)
    return job


def _begin_search(
    job: _Job, wish: SearchDocs | WebSearch, state: State, jobs: Sequence[_Job], deck: Deck
) -> None:
    state = replace(state, asked=state.asked + tuple(job.query for job in jobs if job.query))
    find = deck.docs if isinstance(wish, SearchDocs) else deck.web
    assert find is not None, "a tool is offered only with what it searches"
    most = state.limits.max_queries
    if len(state.asked) >= most:
        job.refusal = refused(job.slip, f"all {most} searches of this run are made; read or answer")
        return
    job.query = query_for(wish, state)
    if job.query is None:
        job.refusal = refused(job.slip, "a search for the same words was made before; use others")
        return
    job.begun = deck.run.begin_step("search", searching(find, wish.k), job.query)


def _begin_read(
    job: _Job, wish: ReadDoc | FetchPage, work: Work, jobs: Sequence[_Job], deck: Deck
) -> None:
    name = wish.doc if isinstance(wish, ReadDoc) else wish.page
    job.hit = hit_named(name, work.state, "document" if isinstance(wish, ReadDoc) else "web")
    if job.hit is None:
        what = "document" if isinstance(wish, ReadDoc) else "page"
        why = f"no search has listed the {what} {name.strip()[:120]!r}; name one by its number"
        job.refusal = refused(job.slip, why)
        return
    under_way = {canonical(other.hit.url) for other in jobs if other.hit and other.begun}
    if canonical(job.hit.url) not in {*work.pages, *under_way}:
        job.begun = deck.run.begin_step("read", fetching(deck.fetcher), job.hit)


# ── finishing ───────────────────────────────────────────────────────────────────────────────


async def _finish(job: _Job, pages: dict[str, Page]) -> Page | Loss | None:
    """Wait for a call; a page that it reads is handed out, and serves every call that wants it."""
    key = canonical(job.hit.url) if job.hit else ""
    if job.begun is None:
        job.outcome = pages.get(key)
        return None
    try:
        job.outcome = await job.begun()
    except (SourceLost, BudgetSpent) as error:
        job.outcome = Loss("read", job.hit.url if job.hit else job.slip.call.name, str(error))
    if isinstance(job.outcome, Page):
        pages[key] = job.outcome
    return job.outcome if job.hit and isinstance(job.outcome, Page | Loss) else None


async def _take_in(state: State, jobs: Sequence[_Job], deck: Deck) -> State:
    """The state with what was found. The model judges, so nothing is turned away; how much of it
    was seen before is measured all the same."""
    found = [job.outcome for job in jobs if isinstance(job.outcome, Batch)]
    if not found:
        return state
    batches = within_quota(state, found, deck.rules)
    for job, batch in zip(jobs, batches, strict=True):
        job.outcome = batch
    lenient = replace(deck.rules, novelty_threshold=0.0)
    verdicts = await deck.run.last_step(
        "gate", judge, state, batches, lenient, deck.embedder, deck.run.dice
    )
    return keep(admit(state, batches, verdicts, deck.run.elapsed))


def _result(job: _Job, state: State, deck: Deck) -> tuple[Told, tuple[Hit, ...]]:
    """What the model is told of a call, and what may be quoted of it from now on."""
    if job.refusal is not None:
        return job.refusal, ()
    match job.outcome, job.wish, job.hit:
        case Batch() as batch, (SearchDocs() | WebSearch()) as wish, _:
            return searched(job.slip, batch, state, " ".join(wish.query.split())), ()
        case Figure() as figure, _, _:
            return worked_out(job.slip, figure), ()
        case Page() as page, ReadDoc() as wish, Hit() as hit:
            return opened(job.slip, page, _number(hit, state), hit, (wish.before, wish.after))
        case Page() as page, FetchPage() as wish, Hit() as hit:
            wanted = (state.task, wish.about, *aspects(state))
            budget = min(deck.rules.page_max_chars, deck.rules.chunk_budget)
            return fetched(job.slip, page, _number(hit, state), hit, wanted, budget, deck.embedder)
    why = f": {job.outcome.why}" if isinstance(job.outcome, Loss) else ""
    return refused(job.slip, f"it could not be had{why}"), ()


def _number(hit: Hit, state: State) -> int:
    key = canonical(hit.url)
    return next(source.id for source in state.sources if canonical(source.url) == key)


def _with_hits(state: State, hits: Sequence[Hit]) -> State:
    """With the spans that were read: only what was retrieved can be quoted."""
    held = {(hit.url, hit.page, hit.start, hit.end) for hit in state.search_results}
    new = tuple(hit for hit in hits if (hit.url, hit.page, hit.start, hit.end) not in held)
    return replace(state, search_results=state.search_results + new)
