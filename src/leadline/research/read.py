"""From sources to passages: choose what to read in full, and which spans reach the writer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from leadline.guard.removed_spans import clean, masked
from leadline.ports import Embedder, Fetcher
from leadline.question.analyse import analyse
from leadline.research.novelty_gate import MEMORY
from leadline.text.sentences import sentences
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import Hit, Loss, Page, Passage, Rules, Skip, Source, State

if TYPE_CHECKING:
    from leadline.text.chunk import Piece

OVERLAP_SKIP = 0.6


def promising(state: State, rules: Rules, lost: frozenset[str] = frozenset()) -> tuple[Hit, ...]:
    """One hit for each kept source that is worth reading in full, best first.

    What is `lost`, by canonical address, leaves its place to the next.
    """
    return _chosen(state, rules, lost)[0]


def unread(state: State, rules: Rules, results: Sequence[Page | Loss] = ()) -> tuple[Skip, ...]:
    """The kept sources of the web that are not read, each with its reason."""
    lost = lost_of(results)
    chosen, left = _chosen(state, rules, lost)
    if not lost:
        return left
    tried = lost | {canonical(page.url) for page in pages_in(results)}
    why = f"{len(lost)} others could not be read, so no more were tried"
    given_up = (hit.url for hit in chosen if canonical(hit.url) not in tried)
    return left + tuple(Skip("tried", url, why) for url in given_up)


def lost_of(results: Sequence[Page | Loss]) -> frozenset[str]:
    """The canonical addresses of what could not be read."""
    return frozenset(canonical(one.what) for one in results if isinstance(one, Loss))


@lru_cache(maxsize=4)  # which are read and which are not is asked of one state
def _chosen(
    state: State, rules: Rules, lost: frozenset[str]
) -> tuple[tuple[Hit, ...], tuple[Skip, ...]]:
    by_source = hits_by_source(state)
    known = _Known(state, by_source)
    chosen: list[Hit] = []
    left: list[Skip] = []
    room = rules.url_enrich_count
    led = room > 0 and not state.asked  # memory is all there is: each of its pages is at hand
    for source in state.kept:
        hit = by_source[source][0]
        if canonical(hit.url) in lost:
            continue
        if led and hit.provider == MEMORY:
            chosen.append(hit)
        elif known.says(source):
            why = f"over {OVERLAP_SKIP:.0%} of its snippet's words stand in what is known"
            left.append(Skip("said", hit.url, why))
        elif room > 0:
            chosen.append(hit)
            known.read.add(source)
            room -= 1
        elif hit.kind == "web":
            left.append(Skip("full", hit.url, f"{len(chosen)} better ones were chosen"))
    return tuple(chosen), tuple(left)


class _Known:
    """What the knowledge says, and of which sources. It is made of snippets, and a snippet proves
    nothing: what only stands in those of sources that are not read is not known yet."""

    def __init__(self, state: State, by_source: Mapping[int, Sequence[Hit]]) -> None:
        self.read: set[int] = set()  # or will be
        self._hits = by_source
        said = [span.text.lstrip("- ") for span in sentences(state.knowledge.text)]
        texts = {source: " ".join(hit.text for hit in hits) for source, hits in by_source.items()}
        self._said = [
            (content_words(text), {source for source, own in texts.items() if text in own})
            for text in said
        ]

    def says(self, source: int) -> bool:
        """Whether most words of a web snippet stand in what is known from elsewhere."""
        if self._hits[source][0].kind != "web":
            return False
        words = set(content_words(self._hits[source][0].text))
        known = {
            word
            for said, whose in self._said
            if not whose or (source not in whose and whose & self.read)
            for word in said
        }
        return bool(words) and len(words & known) > OVERLAP_SKIP * len(words)


def hits_by_source(state: State) -> dict[int, list[Hit]]:
    """The accepted hits of each source, in the order they came."""
    numbers = {canonical(source.url): source.id for source in state.sources}
    found: dict[int, list[Hit]] = {source.id: [] for source in state.sources}
    for hit in state.search_results:
        found[numbers[canonical(hit.url)]].append(hit)
    return found


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
    pages = len(results) - len(lost)
    usage = replace(state.usage, pages=state.usage.pages + pages)
    by_url = {canonical(page.url): page for page in pages_in(results)}
    sources = tuple(_described(source, by_url) for source in state.sources)
    mended = tuple(Loss("retry", page.url, note) for page in by_url.values() for note in page.notes)
    return replace(
        state,
        usage=usage,
        error_log=state.error_log + mended + lost,
        skipped=state.skipped + tuple(one for one in left if canonical(one.what) not in by_url),
        injections=state.injections
        + tuple(one for page in by_url.values() for one in page.injections),
        sources=sources,
    )


def _described(source: Source, pages: Mapping[str, Page]) -> Source:
    page = pages.get(canonical(source.url))
    if page is None:
        return source
    return replace(source, author=page.author, published=page.date, accessed=page.fetched_at)


def pages_in(results: Sequence[Page | Loss]) -> tuple[Page, ...]:
    """The pages that could be read."""
    return tuple(result for result in results if isinstance(result, Page))


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
    sources = {source.id: source for source in state.sources}
    chosen: list[Passage] = []
    room = rules.context_chars
    for number in state.kept:
        source = sources[number]
        page = by_url.get(canonical(source.url))
        for passage in _of_source(source, by_source[number], page, state, rules, embedder):
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
    for hit in state.search_results:
        if hit.page and len(hit.text) <= room:
            room -= len(hit.text)
            number = number_of[id(hit)]
            chosen.setdefault(number, []).append(_span(number, hit))
    return tuple(passage for spans in chosen.values() for passage in union(spans))


def _of_source(
    source: Source,
    hits: Sequence[Hit],
    page: Page | None,
    state: State,
    rules: Rules,
    embedder: Embedder,
) -> list[Passage]:
    spans = [_span(source.id, hit) for hit in hits if hit.page]
    if page is not None:
        budget = min(rules.page_max_chars, rules.chunk_budget)
        spans += [
            Passage(source.id, piece.text, page.hash, piece.start, piece.end, piece.section)
            for piece in _as_cut(page, state, rules, budget, embedder)
        ]
    return union(spans, page)


def _as_cut(page: Page, state: State, rules: Rules, budget: int, embedder: Embedder) -> list[Piece]:
    """The parts of a page as the chunker's mode has it: by headings, by pieces, or from the top."""
    by = None if rules.chunker == "first" else embedder
    flat = rules.chunker != "auto"
    return pieces_of(page, state.task, budget, by, aspects(state), flat=flat)


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
    cut = _kept if isinstance(embedder, Hashable) else _cut
    with _CUTTING:  # who comes second takes what the first is at
        pieces = cut(masked(page.text, page.barred), task, budget, embedder, tuple(wanted), flat)
    return [
        replace(piece, text=page.text[start:end], start=start, end=end)
        for piece in pieces
        for start, end in clean(page.text, piece.start, piece.end, page.barred)
    ]


def _cut(
    text: str,
    task: str,
    budget: int,
    embedder: Embedder | None,
    wanted: tuple[str, ...],
    flat: bool,
) -> tuple[Piece, ...]:
    from leadline.text.chunk import read  # not before the first search

    return read(text, task, budget, embedder, wanted, flat=flat)


# A page may be looked at, in a thread, before the last one has come, and again then.
_CUTTING = Lock()
_kept: Callable[..., tuple[Piece, ...]] = lru_cache(maxsize=32)(_cut)


def aspects(state: State) -> tuple[str, ...]:
    """What a page is read for beside the task: its parts, and what a model found to be missing."""
    if not state.calls:
        return state.plan.knowledge_gaps
    missed = tuple(query.text for query in state.asked if query.origin == "reflect")
    return (*state.plan.knowledge_gaps, *missed)


def _span(source: int, hit: Hit) -> Passage:
    return Passage(source, hit.text, hit.page, hit.start, hit.end, hit.section, hit.score)


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
