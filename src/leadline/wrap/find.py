"""Where a chain of wrappers begins: a searcher seen as a `Find`."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from leadline.errors import UNREADABLE, SourceLost
from leadline.ports import Find, Searcher
from leadline.types import Asked, Batch, Loss, Query

_TEXTS = ("url", "title", "text", "published")
NoteStage = Literal["search", "retry", "fallback", "simpler", "filter"]


def of(searcher: Searcher) -> Find:
    """The searches of `searcher`, each hit marked with its name. It may be a user's own, so what
    it gives is looked at: a date that is none of ours could not be kept."""

    async def find(query: Query, k: int) -> Batch:
        try:
            hits = await searcher.search(query, k)
        except UNREADABLE as error:
            raise SourceLost(
                f"{searcher.name}: it broke over the search ({error!r:.200})"
            ) from error
        for hit in hits[:k]:
            for field in _TEXTS:
                if not isinstance(value := getattr(hit, field, None), str):
                    got = f"{type(value).__name__} as the {field} of a result"
                    raise SourceLost(f"{searcher.name}: it gave a {got}; text was wanted")
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
