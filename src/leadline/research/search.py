"""Ask one query; a search that fails becomes a batch that says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Batch, Query


def searching(find: Find, k: int) -> Callable[[Query], Awaitable[Batch]]:
    """The search step for one query, ready to be run for many at the same time."""

    async def search(query: Query) -> Batch:
        try:
            return await find(query, k)
        except SourceLost as lost:
            return Batch(query, error=str(lost), asked=lost.asked)

    return search
