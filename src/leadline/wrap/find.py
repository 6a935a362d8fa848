"""Where a chain of wrappers begins: a searcher seen as a `Find`."""

from __future__ import annotations

from typing import Literal

from leadline.ports import Find, Searcher
from leadline.types import Asked, Batch, Loss, Query
from leadline.values import replace

NoteStage = Literal["search", "retry", "fallback", "simpler", "filter"]


def of(searcher: Searcher) -> Find:
    """The searches of `searcher`, each hit marked with its name."""

    async def find(query: Query, k: int) -> Batch:
        hits = await searcher.search(query, k)
        named = tuple(
            replace(hit, provider=hit.provider or searcher.name, score=hit.score or 1 / (place + 1))
            for place, hit in enumerate(hits[:k])
        )
        return Batch(query, named, provider=searcher.name)

    return find


def noted(batch: Batch, *before: Loss, after: tuple[Loss, ...] = ()) -> Batch:
    """`batch` with more notes round its own."""
    return replace(batch, notes=(*before, *batch.notes, *after))


def having_asked(asked: tuple[Asked, ...], batch: Batch) -> Batch:
    """`batch`, with the requests that were made before its own."""
    return replace(batch, asked=(*asked, *batch.asked)) if asked else batch


def note(query: Query, why: str, stage: NoteStage = "search") -> Loss:
    """What went wrong with a search and what was done about it, for the run's error log."""
    return Loss(stage, query.text, why)
