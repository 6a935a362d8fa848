"""Measure each request to a provider."""

from __future__ import annotations

import time
from collections.abc import Callable

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Asked, Batch, Query
from leadline.values import replace


def metered(find: Find, name: str, *, clock: Callable[[], float] = time.monotonic) -> Find:
    """`find`, its batch or its failure with how long the request took.

    It stands next to the provider, so that neither waiting for a turn nor the pause before another
    try is counted as the provider's.
    """

    async def measured(query: Query, k: int) -> Batch:
        began = clock()
        try:
            batch = await find(query, k)
        except SourceLost as lost:
            raise lost.having_asked((Asked(name, _since(began, clock), str(lost)),)) from lost
        return replace(batch, asked=(Asked(name, _since(began, clock)),))

    return measured


def _since(began: float, clock: Callable[[], float]) -> float:
    return round(clock() - began, 3)
