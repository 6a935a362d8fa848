"""Leave a provider alone for a while when it keeps failing."""

from __future__ import annotations

import time
from collections.abc import Callable

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Batch, Query


def breaker(
    find: Find,
    *,
    failures: int = 3,
    reset_s: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> Find:
    """`find`, refused at once for `reset_s` after `failures` failures in a row.

    Then one search is let through: if it works all are, if not the wait begins anew.
    """
    in_a_row, closed_until, last = 0, 0.0, ""

    async def guarded(query: Query, k: int) -> Batch:
        nonlocal in_a_row, closed_until, last
        if in_a_row >= failures:
            if clock() < closed_until:
                raise SourceLost(f"not asked, after {in_a_row} failures in a row ({last})")
            closed_until = clock() + reset_s  # this search is the trial; the others wait for it
        try:
            batch = await find(query, k)
        except SourceLost as lost:
            in_a_row, last = in_a_row + 1, str(lost)
            closed_until = clock() + reset_s
            raise
        in_a_row = 0
        return batch

    return guarded
