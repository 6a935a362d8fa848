"""From sources to passages: choose what to read in full, and which spans reach the writer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
_CUT_SHORT = (Stop.CANCELLED, Stop.MAX_TIME)


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
    pages = tuple((had or {}).values())
    results: list[Page | Loss] = []
    tried = set(had or ())
    room = 0
    while True:
        lost = {canonical(one.what) for one in results if isinstance(one, Loss)}
        chosen, known = promising(state, rules, lost)
        hits = [hit for hit in chosen if canonical(hit.url) not in tried]
        room = room or max(2 * rules.url_enrich_count, len(hits))
        hits = hits[: room - len(results)]
        over = state.stop_reason in _CUT_SHORT or run.elapsed >= state.limits.gather_s
        if not hits or (results and over):
            break
        tried |= {canonical(hit.url) for hit in hits}
        results += await run.begin_each("read", fetcher.fetch, hits)()
    state = note_pages(state, results)
    pages += tuple(result for result in results if isinstance(result, Page))
    read = {canonical(page.url) for page in pages}
    left = tuple(skip for skip in known if canonical(skip.what) not in read)
    return replace(state, skipped=state.skipped + left), pages


def promising(
    state: State, rules: Rules, lost: Collection[str] = ()
) -> tuple[tuple[Hit, ...], tuple[Skip, ...]]:
    """One hit for each kept source that is worth reading in full, best first, and the sources whose
    snippets only say what is known. What is `lost`, by canonical address, leaves its place.

    A snippet proves nothing: what stands in those of sources that are not read is not known.
    """
    by_source = hits_by_source(state)
    texts = {source: " ".join(hit.text for hit in hits) for source, hits in by_source.items()}
    statements = [span.text.lstrip("- ") for span in sentences(state.knowledge.text)]
    remembered = {text for text in statements if not any(text in one for one in texts.values())}
    read: list[str] = []  # the snippets of those that are chosen
    led = rules.url_enrich_count > 0 and not state.asked  # memory is all there is
    chosen: list[Hit] = []
    skips: list[Skip] = []
    for source in state.kept:
        hit = by_source[source][0]
        if canonical(hit.url) in lost:
            continue
        proven = [
            text
            for text in statements
            if text in remembered or any(text in snippet for snippet in read)
        ]
        elsewhere = " ".join(text for text in proven if text not in texts[source])
        words, known = set(content_words(hit.text)), set(content_words(elsewhere))
        if led and hit.provider == MEMORY:
            chosen.append(hit)
        elif hit.kind == "web" and len(words & known) > OVERLAP_SKIP * len(words):
            why = f"over {OVERLAP_SKIP:.0%} of its snippet's words stand in what is known"
            skips.append(Skip("said", hit.url, why))
        elif len(read) < rules.url_enrich_count:
            chosen.append(hit)
            read.append(texts[source])
    return tuple(chosen), tuple(skips)


def hits_by_source(state: State) -> dict[int, list[Hit]]:
    """The accepted hits of each source, in the order they came."""
    numbers = {canonical(source.url): source.id for source in state.sources}
    hits: dict[int, list[Hit]] = {source.id: [] for source in state.sources}
    for hit in state.search_results:
        hits[numbers[canonical(hit.url)]].append(hit)
    return hits


def note_pages(state: State, results: Sequence[Page | Loss]) -> State:
    """The state after reading: pages counted, losses logged, what the pages say of themselves."""
    lost = tuple(result for result in results if isinstance(result, Loss))
    pages = {canonical(page.url): page for page in results if isinstance(page, Page)}
    mended = tuple(Loss("retry", page.url, note) for page in pages.values() for note in page.notes)

    def described(source: Source) -> Source:
        page = pages.get(canonical(source.url))
        if page is None:
            return source
        return replace(source, author=page.author, published=page.date, accessed=page.fetched_at)

    return replace(
        state,
        usage=replace(state.usage, pages=state.usage.pages + len(results) - len(lost)),
        error_log=state.error_log + mended + lost,
        injections=state.injections + tuple(i for p in pages.values() for i in p.injections),
        sources=tuple(described(source) for source in state.sources),
    )


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
    at_hand = all(source.kind == "document" for source in state.sources)
    if at_hand and not (question.hops or question.compared):
        found = _at_hand(state, by_source, rules.context_chars)
        if found:
            return found
    addresses = {source.id: canonical(source.url) for source in state.sources}
    chosen: list[Passage] = []
    room = rules.context_chars
    budget = min(rules.page_max_chars, rules.chunk_budget)
    for number in state.kept:
        page = by_url.get(addresses[number])
        spans = [_span(number, hit) for hit in by_source[number] if hit.page]
        if page is not None:
            spans += (
                Passage(number, piece.text, page.hash, piece.start, piece.end, piece.section)
                for piece in pieces_of(page, state.task, budget, embedder, aspects(state))
            )
        for passage in union(spans, page):
            if len(passage.text) <= room:
                chosen.append(passage)
                room -= len(passage.text)
    return tuple(chosen)


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


def pieces_of(
    page: Page, task: str, budget: int, embedder: Embedder | None, wanted: Sequence[str] = ()
) -> list[Piece]:
    """The parts of a page that serve a task, cut round what is barred in it."""
    from leadline.text.chunk import best_pieces  # not before the first search

    pieces = best_pieces(masked(page.text, page.barred), task, budget, embedder, tuple(wanted))
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
