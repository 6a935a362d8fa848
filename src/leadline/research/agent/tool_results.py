"""How what a tool brought is told to the model: its parts while new, one line ever after.

Every result ends with what it costs to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.guard.prompt_fence import without_ids
from leadline.guard.removed_spans import clean, masked
from leadline.ports import Embedder
from leadline.research.read import pieces_of
from leadline.text.chunk import read as choose
from leadline.text.lines import numbered, window
from leadline.text.urls import canonical
from leadline.types import Batch, Figure, Hit, Page, State, Told, ToolCall
from leadline.values import replace

NOTE_CHARS = 800  # of a source among what was found earlier
LAST_NOTE_CHARS = 2400  # the same, when the answer is written from it
BEST_NOTES = 3  # the best sources keep so many at any time: a model may answer when it likes
MOST_NOTES = 12
REF_CHARS = 120
REFS_CHARS = 400  # of all names on the line of one search


@dataclass(frozen=True)
class Slip:
    """The call that a result belongs to: its handle, and the move it was made in."""

    handle: str
    call: ToolCall
    move: int

    def result(self, line: str, parts: Sequence[str]) -> Told:
        """A result that brought something."""
        first = f"{self.handle}, {self.call.name}:\n{parts[0]}"
        return Told(
            self.handle, self.call, f"{self.handle}: {line}", self.move, (first, *parts[1:])
        )


def refused(slip: Slip, why: str) -> Told:
    """A call that brought nothing, and why."""
    line = f"{slip.handle}: {why}"
    return Told(
        slip.handle, slip.call, line, slip.move, (f"{line}\n{_cost('result', 0, 0)}",), False
    )


def repeated(slip: Slip, before: Told) -> Told:
    """The answer from the record, for a call that was made before."""
    line = f"{slip.handle}: you asked this before; the answer was {before.handle}"
    parts = (f"{line}, here it is again:", *before.parts)
    return Told(slip.handle, slip.call, line, slip.move, parts, False)


def searched(slip: Slip, batch: Batch, state: State, asked: str) -> Told:
    """The hits of a search, as the state has numbered them."""
    if batch.error:
        return refused(slip, f"the search failed: {batch.error}; try another tool or other words")
    other = [f'searched for "{batch.query.text}"'] if batch.query.text != asked else []
    numbers = {canonical(source.url): source.id for source in state.sources}
    known = [
        (numbers[canonical(hit.url)], hit) for hit in batch.hits if canonical(hit.url) in numbers
    ]
    if not known:
        return refused(slip, "; ".join([*other, "(no results)"]))
    shown = [_listed(number, hit) for number, hit in known]
    cost = _cost("hit", len(known), sum(map(len, shown)))
    return slip.result(f"{cost} {_refs(known)}", (*other, *shown, cost))


def _listed(number: int, hit: Hit) -> str:
    where = f"{hit.ref}  {hit.score:.3f}" if hit.ref else hit.url
    return f"{_titled(hit.title)}\n[{number}] {where}\n\n{without_ids(hit.text.strip())}"


def _titled(title: str) -> str:
    return f"**{' '.join(title.split()).replace('*', '') or 'Untitled'}**"


def _refs(known: Sequence[tuple[int, Hit]]) -> str:
    """What was found, on one line: with the name to open it by while there is room for it, and
    where that is a plain word; never free text."""
    refs: list[str] = []
    room = REFS_CHARS
    for number, hit in known:
        name = hit.ref or hit.url
        plain = len(name) <= REF_CHARS and name.isprintable() and not set(name) & set(" \t<>[]")
        named = f"[{number}] {name}"
        refs.append(named if plain and len(named) <= room else f"[{number}]")
        room -= len(refs[-1]) + 2
    return ", ".join(refs)


def opened(
    slip: Slip, page: Page, number: int, hit: Hit, lines: tuple[int, int]
) -> tuple[Told, tuple[Hit, ...]]:
    """The lines around a chunk, and what may be quoted of them as hits."""
    view = window(page.text, hit.start, hit.end, *lines)
    where = f"lines {view.first}–{view.last} of {view.count}"
    body = without_ids(numbered(masked(page.text, page.barred), view))
    cost = _cost("window", 1, len(body))
    told = slip.result(
        f"{cost} [{number}] {where}", (f"[{number}] {page.url}, {where}", body, cost)
    )
    hits = tuple(
        replace(hit, text=page.text[start:end], page=page.hash, start=start, end=end)
        for start, end in clean(page.text, view.start, view.end, page.barred)
    )
    return told, hits


def fetched(
    slip: Slip,
    page: Page,
    number: int,
    hit: Hit,
    wanted: Sequence[str],
    budget: int,
    embedder: Embedder,
) -> tuple[Told, tuple[Hit, ...]]:
    """What of a page serves the question, and those pieces as hits that can be quoted from."""
    pieces = pieces_of(page, wanted[0], budget, embedder, tuple(filter(None, wanted[1:])))
    shown = [without_ids(piece.text) for piece in pieces]
    size = sum(map(len, shown))
    if not size:
        return refused(slip, f"the page of [{number}] holds no text that can be read"), ()
    cost = _cost("page", 1, size)
    told = slip.result(
        f"{cost} [{number}], {size} of its {len(page.text)} characters",
        (f"{_titled(page.title)}\n[{number}]", *shown, cost),
    )
    hits = tuple(
        replace(
            hit,
            text=piece.text,
            page=page.hash,
            start=piece.start,
            end=piece.end,
            section=piece.section,
        )
        for piece in pieces
    )
    return told, hits


def worked_out(slip: Slip, figure: Figure) -> Told:
    """A figure, or what is wrong with its expression."""
    if figure.wrong:
        return refused(slip, figure.wrong)
    text = f"{' '.join(figure.expression.split())} = {figure.value}"
    cost = _cost("figure", 1, len(text))
    return slip.result(f"{text} {cost}", (text, cost))


def _cost(noun: str, count: int, chars: int) -> str:
    """`[5 hits, ~12500 chars (~3125 tokens)]`"""
    named = f"{count} {noun}" if count == 1 else f"{count} {noun}s"
    return f"[{named}, ~{chars} chars (~{chars // 4} tokens)]"


def notes_of(
    state: State, new: Sequence[str], embedder: Embedder, chars: int = NOTE_CHARS
) -> tuple[str, ...]:
    """The best words of each source found earlier, best source first; `new` are shown anyway."""
    shown = {canonical(url) for url in new}
    sources = {source.id: source for source in state.sources}
    order = [n for n in state.kept if canonical(sources[n].url) not in shown]
    notes = []
    for at, number in enumerate(order[:MOST_NOTES]):
        key = canonical(sources[number].url)
        texts = [hit.text for hit in state.search_results if canonical(hit.url) == key]
        size = max(chars, LAST_NOTE_CHARS) if at < BEST_NOTES else chars
        gist = without_ids(_gist(texts, state, size, embedder))
        notes.append(f"{_titled(sources[number].title)}\n[{number}]\n\n{gist}")
    return tuple(notes)


def _gist(texts: Sequence[str], state: State, chars: int, embedder: Embedder) -> str:
    whole = "\n\n".join(dict.fromkeys(texts))
    if len(whole) <= chars:
        return whole
    pieces = choose(whole, state.task, chars, embedder, state.plan.knowledge_gaps)
    return "\n\n".join(piece.text for piece in pieces) or whole[:chars]
