"""Ask one query of the searcher; a search that fails becomes a batch that says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from leadline.errors import SourceLost
from leadline.ports import Searcher
from leadline.types import Batch, Query


def searching(searcher: Searcher, k: int) -> Callable[[Query], Awaitable[Batch]]:
    """The search step for one query, ready to be run for many at the same time."""

    async def search(query: Query) -> Batch:
        try:
            hits = await searcher.search(query, k)
        except SourceLost as lost:
            return Batch(query, provider=searcher.name, error=str(lost))
        return Batch(query, hits, provider=hits[0].provider if hits else searcher.name)

    return search
