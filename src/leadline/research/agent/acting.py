"""Carries out what a model calls: each call once ever, told back in the order of the calls.

A call that was made before is answered from the record; one that cannot be understood or may not
be made is told so. What was retrieved enters the state, so that it can be cited and proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leadline.errors import BudgetSpent, SourceLost
from leadline.frozen import frozen
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
    key_of,
    meant,
    query_for,
    understood,
    work_out,
)
from leadline.research.choose_sources import keep
from leadline.research.novelty_gate import admit, judge
from leadline.research.read import aspects, fetching, note_pages
from leadline.research.search import searching
from leadline.research.site_limit import within_quota
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

MOST_AT_ONCE = 4  # calls of one move that are made
MOST_TOLD = 8  # and that are answered at all


@frozen
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


@frozen
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
    """One call on its way: refused at once, or begun, or waiting for the page of another."""

    slip: Slip
    told: Told | None = None
    wish: Wish | None = None
    key: tuple[object, ...] = ()
    query: Query | None = None
    hit: Hit | None = None
    begun: Begun[Any] | None = None
    outcome: Batch | Page | Figure | Loss | None = None


async def carry_out(work: Work, move: Move, deck: Deck) -> Work:
    """The work after the calls of one move, all begun at the same time."""
    jobs = _begin(work, move.calls[:MOST_TOLD], deck)
    pages = dict(work.pages)
    read: list[Page | Loss] = []
    for job in jobs:
        await _finish(job, pages, read)
    state = note_pages(work.state, read)
    batches = [job.outcome for job in jobs if isinstance(job.outcome, Batch)]
    if batches:
        state, kept = await _taken_in(state, batches, deck)
        for job in jobs:
            if isinstance(job.outcome, Batch):
                job.outcome = kept.pop(0)
    new: list[Told] = []
    shown: list[str] = []
    made = dict(work.made)
    for job in jobs:
        told, hits = _told(job, state, deck)
        state = _with_hits(state, hits)
        new.append(told)
        shown += [hit.url for hit in hits]
        if isinstance(job.outcome, Batch):
            shown += [hit.url for hit in job.outcome.hits]
        if job.key and job.key not in made and not isinstance(job.outcome, Loss):
            made[job.key] = told
    return replace(
        work,
        state=replace(keep(state), elapsed=deck.run.elapsed),
        told=work.told + tuple(new),
        latest=len(new),
        shown=tuple(shown),
        fruitless=0 if any(one.useful for one in new) else work.fruitless + 1,
        pages=pages,
        made=made,
    )


# ── beginning ───────────────────────────────────────────────────────────────────────────────


def _begin(work: Work, calls: Sequence[ToolCall], deck: Deck) -> list[_Job]:
    jobs: list[_Job] = []
    for place, call in enumerate(calls):
        slip = Slip(f"r{len(work.told) + place + 1}", call, work.moves)
        if place >= MOST_AT_ONCE:
            why = f"only {MOST_AT_ONCE} calls can be made at once; this one was not made"
            jobs.append(_Job(slip, refused(slip, why)))
        else:
            jobs.append(_begun(slip, work, jobs, deck))
    return jobs


def _begun(slip: Slip, work: Work, jobs: Sequence[_Job], deck: Deck) -> _Job:
    wish = understood(slip.call, deck.tools)
    if isinstance(wish, str):
        return _Job(slip, refused(slip, wish))
    key = key_of(wish)
    if key in work.made:
        return _Job(slip, repeated(slip, work.made[key]))
    if any(job.key == key for job in jobs):
        return _Job(slip, refused(slip, "the same call twice at once; it was made once"))
    job = _Job(slip, wish=wish, key=key)
    if isinstance(wish, SearchDocs | WebSearch):
        _begin_search(job, wish, work, jobs, deck)
    elif isinstance(wish, Calculate):
        job.begun = deck.run.begin_step("calculate", work_out, wish.expression)
    else:
        _begin_read(job, wish, work, jobs, deck)
    return job


def _begin_search(
    job: _Job, wish: SearchDocs | WebSearch, work: Work, jobs: Sequence[_Job], deck: Deck
) -> None:
    under_way = tuple(one.query for one in jobs if one.query)
    state = replace(work.state, asked=work.state.asked + under_way)
    find = deck.docs if isinstance(wish, SearchDocs) else deck.web
    assert find is not None, "a tool is offered only with what it searches"
    if len(state.asked) >= state.limits.max_queries:
        most = state.limits.max_queries
        job.told = refused(job.slip, f"all {most} searches of this run are made; read or answer")
        return
    job.query = query_for(wish, state)
    if job.query is None:
        job.told = refused(job.slip, "a search for the same words was made before; use others")
        return
    job.begun = deck.run.begin_step("search", searching(find, wish.k), job.query)


def _begin_read(
    job: _Job, wish: ReadDoc | FetchPage, work: Work, jobs: Sequence[_Job], deck: Deck
) -> None:
    name, kind = (wish.doc, "document") if isinstance(wish, ReadDoc) else (wish.page, "web")
    job.hit = meant(name, work.state, "document" if kind == "document" else "web")
    if job.hit is None:
        what = "document" if kind == "document" else "page"
        why = f"no search has listed the {what} {name.strip()[:120]!r}; name one by its number"
        job.told = refused(job.slip, why)
        return
    place = canonical(job.hit.url)
    under_way = {canonical(one.hit.url) for one in jobs if one.hit and one.begun}
    if place not in work.pages and place not in under_way:
        job.begun = deck.run.begin_step("read", fetching(deck.fetcher), job.hit)


# ── finishing ───────────────────────────────────────────────────────────────────────────────


async def _finish(job: _Job, pages: dict[str, Page], read: list[Page | Loss]) -> None:
    """Wait for a call; a page that is read serves every call that wants it."""
    if job.begun is not None:
        try:
            job.outcome = await job.begun()
        except (SourceLost, BudgetSpent) as error:
            job.outcome = Loss("read", job.hit.url if job.hit else job.slip.call.name, str(error))
        if job.hit is not None and isinstance(job.outcome, Page | Loss):
            read.append(job.outcome)
        if job.hit is not None and isinstance(job.outcome, Page):
            pages[canonical(job.hit.url)] = job.outcome
    elif job.hit is not None and job.told is None:
        job.outcome = pages.get(canonical(job.hit.url))


async def _taken_in(state: State, found: list[Batch], deck: Deck) -> tuple[State, list[Batch]]:
    """The state with what was found. The model judges, so nothing is turned away; how much of it
    was seen before is measured all the same."""
    batches = within_quota(state, found, deck.rules)
    lenient = replace(deck.rules, novelty_threshold=0.0)
    verdicts = await deck.run.last_step(
        "gate", judge, state, batches, lenient, deck.embedder, deck.run.dice
    )
    return keep(admit(state, batches, verdicts, deck.run.elapsed)), list(batches)


def _told(job: _Job, state: State, deck: Deck) -> tuple[Told, tuple[Hit, ...]]:
    if job.told is not None:
        return job.told, ()
    match job.outcome, job.wish, job.hit:
        case Batch() as batch, (SearchDocs() | WebSearch()) as wish, _:
            return searched(job.slip, batch, state, " ".join(wish.query.split())), ()
        case Figure() as figure, _, _:
            return worked_out(job.slip, figure), ()
        case Page() as page, ReadDoc() as wish, Hit() as hit:
            lines = (wish.before, wish.after)
            return opened(job.slip, page, _number(hit, state), hit, lines)
        case Page() as page, FetchPage() as wish, Hit() as hit:
            wanted = (state.task, wish.about, *aspects(state))
            budget = min(deck.rules.page_max_chars, deck.rules.chunk_budget)
            number = _number(hit, state)
            return fetched(job.slip, page, number, hit, wanted, budget, deck.embedder)
    why = f": {job.outcome.why}" if isinstance(job.outcome, Loss) else ""
    return refused(job.slip, f"it could not be had{why}"), ()


def _number(hit: Hit, state: State) -> int:
    place = canonical(hit.url)
    return next(one.id for one in state.sources if canonical(one.url) == place)


def _with_hits(state: State, hits: Sequence[Hit]) -> State:
    """With the spans that were read: only what was retrieved can be quoted."""
    held = {(hit.url, hit.page, hit.start, hit.end) for hit in state.search_results}
    new = tuple(hit for hit in hits if (hit.url, hit.page, hit.start, hit.end) not in held)
    return replace(state, search_results=state.search_results + new)
