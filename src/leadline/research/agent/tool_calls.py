"""Carries out what a model calls, one call after another, and tells it what came of each.

A call that was made before is answered from the record; one that cannot be understood or may not
be made is told so. What was retrieved enters the state, so that it can be cited and proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leadline.errors import BudgetSpent, SourceLost
from leadline.guard.prompt_fence import without_ids
from leadline.guard.removed_spans import clean, masked
from leadline.ports import Embedder, Fetcher, Find, Run
from leadline.research.agent.tools import (
    Calculate,
    FetchPage,
    ReadDoc,
    SearchDocs,
    WebSearch,
    hit_named,
    key_of,
    query_for,
    understood,
    work_out,
)
from leadline.research.novelty_gate import admit, judge
from leadline.research.read import aspects, note_pages, pieces_of
from leadline.research.search import choose_sources, searching, within_quota
from leadline.text.chunk import best_pieces
from leadline.text.lines import numbered, window
from leadline.text.urls import canonical
from leadline.types import Hit, Loss, Move, Page, Rules, State, Told, Tool, ToolCall
from leadline.values import replace

MOST_MADE = 4  # calls of one move that are made
MOST_TOLD = 8  # and that are answered at all
NOTE_CHARS = 800  # of a source among what was found earlier
BEST_NOTE_CHARS = 2400  # the same, of the best of them
BEST_NOTES = 3
MOST_NOTES = 12


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
class Bench:
    """What calls are carried out with."""

    run: Run
    rules: Rules
    tools: tuple[Tool, ...]
    fetcher: Fetcher
    embedder: Embedder
    docs: Find | None = None
    web: Find | None = None


async def carry_out(work: Work, move: Move, bench: Bench) -> Work:
    """The work after the calls of one move."""
    before = len(work.told)
    work = replace(work, shown=())
    for number, call in enumerate(move.calls[:MOST_TOLD]):
        if number < MOST_MADE:
            work = await _called(work, call, bench)
        else:
            why = f"only {MOST_MADE} calls can be made at once; this one was not made"
            work = _refused(work, call, why)
    new = work.told[before:]
    return replace(
        work,
        state=replace(choose_sources(work.state), elapsed=bench.run.elapsed),
        latest=len(new),
        fruitless=0 if any(told.useful for told in new) else work.fruitless + 1,
    )


async def _called(work: Work, call: ToolCall, bench: Bench) -> Work:
    wish = understood(call, bench.tools)
    if isinstance(wish, str):
        return _refused(work, call, wish)
    if before := work.made.get(key_of(wish)):
        line = f"you asked this before; the answer was {before.handle}"
        return _told(work, call, line, (f"{line}, here it is again:", *before.parts), useful=False)
    try:
        match wish:
            case Calculate(expression):
                after = await _calculated(work, call, expression, bench)
            case SearchDocs() | WebSearch():
                after = await _searched(work, call, wish, bench)
            case ReadDoc() | FetchPage():
                after = await _read(work, call, wish, bench)
    except BudgetSpent as spent:
        return _refused(work, call, f"it could not be had: {spent}")
    told = after.told[-1]
    return replace(after, made={**work.made, key_of(wish): told}) if told.useful else after


# ── telling ─────────────────────────────────────────────────────────────────────────────────


def _told(
    work: Work, call: ToolCall, line: str, parts: Sequence[str], *, useful: bool = True
) -> Work:
    """With a result: its parts while it is new, one line ever after."""
    handle = f"r{len(work.told) + 1}"
    named = (f"{handle}, {call.name}:\n{parts[0]}", *parts[1:])
    told = Told(handle, call, f"{handle}: {line}", work.moves, named, useful)
    return replace(work, told=(*work.told, told))


def _refused(work: Work, call: ToolCall, why: str) -> Work:
    """With a call that brought nothing, and why."""
    return _told(work, call, why, (f"{why}\n{_cost('result', 0, 0)}",), useful=False)


def _cost(noun: str, count: int, chars: int) -> str:
    """`[5 hits, ~12500 chars (~3125 tokens)]`"""
    named = f"{count} {noun}" if count == 1 else f"{count} {noun}s"
    return f"[{named}, ~{chars} chars (~{chars // 4} tokens)]"


# ── the tools ───────────────────────────────────────────────────────────────────────────────


async def _calculated(work: Work, call: ToolCall, expression: str, bench: Bench) -> Work:
    figure = await bench.run.step("calculate", work_out, expression)
    if figure.wrong:
        return _refused(work, call, figure.wrong)
    text = f"{' '.join(figure.expression.split())} = {figure.value}"
    cost = _cost("figure", 1, len(text))
    return _told(work, call, f"{text} {cost}", (text, cost))


async def _searched(work: Work, call: ToolCall, wish: SearchDocs | WebSearch, bench: Bench) -> Work:
    """With what was found. The model judges, so nothing is turned away; how much of it was seen
    before is measured all the same."""
    run, state = bench.run, work.state
    find = bench.docs if isinstance(wish, SearchDocs) else bench.web
    assert find is not None, "a tool is offered only with what it searches"
    if len(state.asked) >= state.limits.max_queries:
        why = f"all {state.limits.max_queries} searches of this run are made; read or answer"
        return _refused(work, call, why)
    query = query_for(wish, state)
    if query is None:
        why = "a search for the same words was made before; use others"
        return _refused(work, call, why)
    batch = await run.step("search", searching(find, wish.k), query)
    batches = within_quota(state, (batch,), bench.rules)
    lenient = replace(bench.rules, novelty_threshold=0.0)
    verdicts = await run.last_step("gate", judge, state, batches, lenient, bench.embedder, run.dice)
    state = choose_sources(admit(state, batches, verdicts, run.elapsed))
    hits = batches[0].hits
    work = replace(work, state=state, shown=(*work.shown, *(hit.url for hit in hits)))
    if batch.error:
        why = f"the search failed: {batch.error}; try another tool or other words"
        return _refused(work, call, why)
    other = [f'searched for "{query.text}"'] if query.text != " ".join(wish.query.split()) else []
    numbers = {canonical(source.url): source.id for source in state.sources}
    known = [(numbers[canonical(hit.url)], hit) for hit in hits if canonical(hit.url) in numbers]
    if not known:
        return _refused(work, call, "; ".join([*other, "(no results)"]))
    listed = [_listed(number, hit) for number, hit in known]
    cost = _cost("hit", len(known), sum(map(len, listed)))
    numbers_found = ", ".join(dict.fromkeys(f"[{number}]" for number, _ in known))
    return _told(work, call, f"{cost} {numbers_found}", (*other, *listed, cost))


async def _read(work: Work, call: ToolCall, wish: ReadDoc | FetchPage, bench: Bench) -> Work:
    """With the page of a source that a search has listed; what may be quoted of it are hits."""
    document = isinstance(wish, ReadDoc)
    name = wish.doc if isinstance(wish, ReadDoc) else wish.page
    hit = hit_named(name, work.state, "document" if document else "web")
    if hit is None:
        what = "document" if document else "page"
        why = f"no search has listed the {what} {name.strip()[:120]!r}; name one by its number"
        return _refused(work, call, why)
    key = canonical(hit.url)
    page = work.pages.get(key)
    if page is None:
        try:
            page = await bench.run.step("read", bench.fetcher.fetch, hit)
        except SourceLost as lost:
            work = replace(work, state=note_pages(work.state, [Loss("read", hit.url, str(lost))]))
            return _refused(work, call, f"it could not be had: {lost}")
        work = replace(work, state=note_pages(work.state, [page]), pages={**work.pages, key: page})
    if isinstance(wish, ReadDoc):
        return _opened(work, call, wish, page, hit)
    return _fetched(work, call, wish.about, page, hit, bench)


def _opened(work: Work, call: ToolCall, wish: ReadDoc, page: Page, hit: Hit) -> Work:
    """With the lines around a chunk."""
    view = window(page.text, hit.start, hit.end, wish.before, wish.after)
    number = _number(hit, work.state)
    where = f"lines {view.first}–{view.last} of {view.count}"
    body = without_ids(numbered(masked(page.text, page.barred), view))
    cost = _cost("window", 1, len(body))
    spans = clean(page.text, view.start, view.end, page.barred)
    work = _with_spans(work, hit, page, [(start, end, hit.section) for start, end in spans])
    parts = (f"[{number}] {page.url}, {where}", body, cost)
    return _told(work, call, f"{cost} [{number}] {where}", parts)


def _fetched(work: Work, call: ToolCall, about: str, page: Page, hit: Hit, bench: Bench) -> Work:
    """With what of a page serves the question."""
    state, number = work.state, _number(hit, work.state)
    budget = min(bench.rules.page_max_chars, bench.rules.chunk_budget)
    wanted = [text for text in (about, *aspects(state)) if text]
    pieces = pieces_of(page, state.task, budget, bench.embedder, wanted)
    shown = [without_ids(piece.text) for piece in pieces]
    size = sum(map(len, shown))
    if not size:
        return _refused(work, call, f"the page of [{number}] holds no text that can be read")
    cost = _cost("page", 1, size)
    spans = [(piece.start, piece.end, piece.section) for piece in pieces]
    work = _with_spans(work, hit, page, spans)
    line = f"{cost} [{number}], {size} of its {len(page.text)} characters"
    return _told(work, call, line, (f"{_titled(page.title)}\n[{number}]", *shown, cost))


def _with_spans(work: Work, hit: Hit, page: Page, spans: Sequence[tuple[int, int, str]]) -> Work:
    """With the spans that were read: only what was retrieved can be quoted."""
    state = work.state
    known = {(one.url, one.page, one.start, one.end) for one in state.search_results}
    hits = tuple(
        replace(hit, text=page.text[start:end], page=page.hash, start=start, end=end, section=name)
        for start, end, name in spans
        if (hit.url, page.hash, start, end) not in known
    )
    state = replace(state, search_results=state.search_results + hits)
    return replace(work, state=state, shown=(*work.shown, hit.url))


def _number(hit: Hit, state: State) -> int:
    key = canonical(hit.url)
    return next(source.id for source in state.sources if canonical(source.url) == key)


# ── how sources are shown ───────────────────────────────────────────────────────────────────


def _listed(number: int, hit: Hit) -> str:
    where = f"{hit.ref}  {hit.score:.3f}" if hit.ref else hit.url
    return f"{_titled(hit.title)}\n[{number}] {where}\n\n{without_ids(hit.text.strip())}"


def _titled(title: str) -> str:
    return f"**{' '.join(title.split()).replace('*', '') or 'Untitled'}**"


def notes_of(state: State, new: Sequence[str], embedder: Embedder) -> tuple[str, ...]:
    """The best words of each source found earlier, best source first; `new` are shown anyway."""
    shown = {canonical(url) for url in new}
    sources = {source.id: source for source in state.sources}
    order = [n for n in state.kept if canonical(sources[n].url) not in shown]
    notes = []
    for at, number in enumerate(order[:MOST_NOTES]):
        key = canonical(sources[number].url)
        texts = [hit.text for hit in state.search_results if canonical(hit.url) == key]
        size = BEST_NOTE_CHARS if at < BEST_NOTES else NOTE_CHARS
        gist = without_ids(_best_words(texts, state, size, embedder))
        notes.append(f"{_titled(sources[number].title)}\n[{number}]\n\n{gist}")
    return tuple(notes)


def _best_words(texts: Sequence[str], state: State, chars: int, embedder: Embedder) -> str:
    text = "\n\n".join(dict.fromkeys(texts))
    if len(text) <= chars:
        return text
    pieces = best_pieces(text, state.task, chars, embedder, state.plan.knowledge_gaps)
    return "\n\n".join(piece.text for piece in pieces) or text[:chars]
