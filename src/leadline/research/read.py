"""From sources to passages: choose what to read in full, and which spans reach the writer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from leadline.guard.removed_spans import clean, masked
from leadline.ports import Embedder, Fetcher, Run
from leadline.question.analyse import analyse
from leadline.research.search import MEMORY
from leadline.text.sentences import sentences
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import Hit, Loss, Page, Passage, Rules, Skip, Source, State, Stop
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.text.chunk import Piece

OVERLAP_SKIP = 0.6


async def read_pages(
    state: State,
    rules: Rules,
    fetcher: Fetcher,
    run: Run,
    had: Mapping[str, Page] | None = None,
) -> tuple[State, tuple[Page, ...]]:
    """The pages that are worth reading in full beside those that are `had`, by canonical address,
    and the state that knows of them.

    In place of one that is lost the next best is read; in all no more than twice as many as are
    wanted are tried, since where most cannot be read the rest hardly can.
    """
    results: list[Page | Loss] = []
    tried = set(had or ())
    hits = tuple(hit for hit in promising(state, rules) if canonical(hit.url) not in tried)
    most = len(tried) + max(2 * rules.url_enrich_count, len(hits))
    while hits:
        tried |= {canonical(hit.url) for hit in hits}
        results += await run.begin_each("read", fetching(fetcher), hits)()
        over = run.elapsed >= state.limits.gather_s
        if over or state.stop_reason in (Stop.CANCELLED, Stop.MAX_TIME):
            break
        left = promising(state, rules, lost_of(results))
        hits = tuple(hit for hit in left if canonical(hit.url) not in tried)[: most - len(tried)]
    pages = (*(had or {}).values(), *pages_in(results))
    return note_pages(state, results, unread(state, rules, results)), pages


def promising(state: State, rules: Rules, lost: frozenset[str] = frozenset()) -> tuple[Hit, ...]:
    """One hit for each kept source that is worth reading in full, best first.

    What is `lost`, by canonical address, leaves its place to the next.
    """
    return _chosen(state, rules, lost)[0]


def unread(state: State, rules: Rules, results: Sequence[Page | Loss] = ()) -> tuple[Skip, ...]:
    """The kept sources of the web that are not read, each with its reason."""
    lost = lost_of(results)
    chosen, left = _chosen(state, rules, lost)
    tried = lost | {canonical(page.url) for page in pages_in(results)}
    if not lost:
        return left
    why = f"{len(lost)} others could not be read, so no more were tried"
    given_up = (hit.url for hit in chosen if canonical(hit.url) not in tried)
    return left + tuple(Skip("tried", url, why) for url in given_up)


def lost_of(results: Sequence[Page | Loss]) -> frozenset[str]:
    """The canonical addresses of what could not be read."""
    return frozenset(canonical(loss.what) for loss in results if isinstance(loss, Loss))


def _chosen(
    state: State, rules: Rules, lost: frozenset[str]
) -> tuple[tuple[Hit, ...], tuple[Skip, ...]]:
    by_source = hits_by_source(state)
    texts = {source: " ".join(hit.text for hit in hits) for source, hits in by_source.items()}
    knowledge = [span.text.lstrip("- ") for span in sentences(state.knowledge.text)]
    chosen: list[Hit] = []
    read: list[str] = []  # the snippets of those that are chosen
    left: list[Skip] = []
    led = rules.url_enrich_count > 0 and not state.asked  # memory is all there is
    for source in state.kept:
        hit = by_source[source][0]
        if canonical(hit.url) in lost:
            continue
        others = [text for number, text in texts.items() if number != source]
        if led and hit.provider == MEMORY:
            chosen.append(hit)
        elif hit.kind == "web" and _is_known(hit, texts[source], knowledge, others, read):
            why = f"over {OVERLAP_SKIP:.0%} of its snippet's words stand in what is known"
            left.append(Skip("said", hit.url, why))
        elif len(read) < rules.url_enrich_count:
            chosen.append(hit)
            read.append(texts[source])
        elif hit.kind == "web":
            left.append(Skip("full", hit.url, f"{len(chosen)} better ones were chosen"))
    return tuple(chosen), tuple(left)


def _is_known(
    hit: Hit, own: str, knowledge: Sequence[str], others: Sequence[str], read: Sequence[str]
) -> bool:
    """Whether most words of a snippet stand in what is known from elsewhere. A snippet proves
    nothing: what only stands in those of sources that are not read is not known yet."""
    words = set(content_words(hit.text))
    known: set[str] = set()
    for said in knowledge:
        remembered = said not in own and not any(said in text for text in others)
        if remembered or (said not in own and any(said in text for text in read)):
            known.update(content_words(said))
    return bool(words) and len(words & known) > OVERLAP_SKIP * len(words)


def hits_by_source(state: State) -> dict[int, list[Hit]]:
    """The accepted hits of each source, in the order they came."""
    numbers = {canonical(source.url): source.id for source in state.sources}
    hits: dict[int, list[Hit]] = {source.id: [] for source in state.sources}
    for hit in state.search_results:
        hits[numbers[canonical(hit.url)]].append(hit)
    return hits


def fetching(fetcher: Fetcher) -> Callable[[Hit], Awaitable[Page]]:
    """The read step for one hit, ready to be run for many at the same time."""

    async def read(hit: Hit) -> Page:
        return await fetcher.fetch(hit)

    return read


def note_pages(state: State, results: Sequence[Page | Loss], left: tuple[Skip, ...] = ()) -> State:
    """The state after reading: pages counted, losses logged, what the pages say of themselves.

    What was `left` and yet read, before the ranking changed, was not left.
    """
    lost = tuple(result for result in results if isinstance(result, Loss))
    pages = {canonical(page.url): page for page in pages_in(results)}
    read = len(results) - len(lost)
    mended = tuple(Loss("retry", page.url, note) for page in pages.values() for note in page.notes)
    orders = tuple(order for page in pages.values() for order in page.injections)
    return replace(
        state,
        usage=replace(state.usage, pages=state.usage.pages + read),
        error_log=state.error_log + mended + lost,
        skipped=state.skipped + tuple(skip for skip in left if canonical(skip.what) not in pages),
        injections=state.injections + orders,
        sources=tuple(_described(one, pages.get(canonical(one.url))) for one in state.sources),
    )


def _described(source: Source, page: Page | None) -> Source:
    if page is None:
        return source
    return replace(source, author=page.author, published=page.date, accessed=page.fetched_at)


def pages_in(results: Sequence[Page | Loss]) -> tuple[Page, ...]:
    """The pages that could be read."""
    return tuple(result for result in results if isinstance(result, Page))


# ── passages ────────────────────────────────────────────────────────────────────────────────


def passages_of(
    state: State, pages: tuple[Page, ...], rules: Rules, embedder: Embedder
) -> tuple[Passage, ...]:
    """The spans the writer may quote: best source first, no text twice, within the budget.

    A snippet is only a lead: a source of the web is quoted from its page, or not at all. What was
    found in documents is at hand: the first search asked the whole question, so its passages come
    first, also those of sources that are not kept. Where something must be found first, or two
    things are compared, the sources that links have kept come first instead.
    """
    by_url = {canonical(page.url): page for page in pages}
    by_source = hits_by_source(state)
    question = analyse(state.task)
    if not (question.hops or question.compared) and _of_documents(state):
        found = _at_hand(state, by_source, rules.context_chars)
        if found:
            return found
    addresses = {source.id: canonical(source.url) for source in state.sources}
    chosen: list[Passage] = []
    room = rules.context_chars
    for number in state.kept:
        page = by_url.get(addresses[number])
        spans = [_span(number, hit) for hit in by_source[number] if hit.page]
        if page is not None:
            spans += _read_spans(number, page, state, rules, embedder)
        for passage in union(spans, page):
            if len(passage.text) <= room:
                chosen.append(passage)
                room -= len(passage.text)
    return tuple(chosen)


def _of_documents(state: State) -> bool:
    return bool(state.sources) and all(source.kind == "document" for source in state.sources)


def _at_hand(
    state: State, by_source: Mapping[int, Sequence[Hit]], room: int
) -> tuple[Passage, ...]:
    """The passages of documents in the order in which searches found them."""
    number_of = {id(hit): number for number, hits in by_source.items() for hit in hits}
    chosen: dict[int, list[Passage]] = {}
    found = state.search_results
    if len(state.plan.knowledge_gaps) > 1:  # each part has had searches of its own
        found = tuple(sorted(found, key=lambda hit: -hit.score))
    for hit in found:
        if hit.page and len(hit.text) <= room:
            room -= len(hit.text)
            number = number_of[id(hit)]
            chosen.setdefault(number, []).append(_span(number, hit))
    return tuple(passage for spans in chosen.values() for passage in union(spans))


def _span(source: int, hit: Hit) -> Passage:
    return Passage(source, hit.text, hit.page, hit.start, hit.end, hit.section, hit.score)


def _read_spans(
    source: int, page: Page, state: State, rules: Rules, embedder: Embedder
) -> list[Passage]:
    """The parts of a page as the chunker's mode has it: by headings, by pieces, or from the top."""
    budget = min(rules.page_max_chars, rules.chunk_budget)
    by = None if rules.chunker == "first" else embedder
    flat = rules.chunker != "auto"
    return [
        Passage(source, piece.text, page.hash, piece.start, piece.end, piece.section)
        for piece in pieces_of(page, state.task, budget, by, aspects(state), flat=flat)
    ]


def pieces_of(
    page: Page,
    task: str,
    budget: int,
    embedder: Embedder | None,
    wanted: Sequence[str] = (),
    *,
    flat: bool = False,
) -> list[Piece]:
    """The parts of a page that serve a task, cut round what is barred in it."""
    from leadline.text.chunk import best_pieces  # not before the first search

    text = masked(page.text, page.barred)
    pieces = best_pieces(text, task, budget, embedder, tuple(wanted), flat=flat)
    return [
        replace(piece, text=page.text[start:end], start=start, end=end)
        for piece in pieces
        for start, end in clean(page.text, piece.start, piece.end, page.barred)
    ]


def aspects(state: State) -> tuple[str, ...]:
    """What a page is read for beside the task: its parts, and what a model found to be missing."""
    if not state.calls:
        return state.plan.knowledge_gaps
    missed = tuple(query.text for query in state.asked if query.origin == "reflect")
    return (*state.plan.knowledge_gaps, *missed)


def union(spans: Sequence[Passage], page: Page | None = None) -> list[Passage]:
    """Spans of one page merged where they overlap, in reading order, so that no text is twice."""
    merged: list[Passage] = []
    for span in sorted(spans, key=lambda span: (span.page, span.start, -span.end)):
        last = merged[-1] if merged else None
        if last is None or last.page != span.page or span.start >= last.end:
            merged.append(span)
        elif span.end > last.end:
            merged[-1] = _joined(last, span, page)
    return merged


def _joined(first: Passage, second: Passage, page: Page | None) -> Passage:
    if page is not None and page.hash == first.page:
        text = page.text[first.start : second.end]
    else:
        text = first.text + second.text[first.end - second.start :]
    return replace(first, text=text, end=second.end, score=max(first.score, second.score))
