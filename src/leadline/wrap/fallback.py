"""Ask the next provider when one fails or finds nothing."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Batch, Loss, Query
from leadline.wrap.find import note, noted


def fallback(chain: Sequence[tuple[str, Find]]) -> Find:
    """The first of `chain` that has hits. Raises `SourceLost` when every one of them failed.

    An empty answer counts as none while there is another to ask: free engines that turn a
    machine away often do it by finding nothing.
    """

    async def first_that_answers(query: Query, k: int) -> Batch:
        notes: list[Loss] = []
        lost: list[SourceLost] = []
        empty: Batch | None = None
        for at, (name, find) in enumerate(chain):
            then = f"{chain[at + 1][0]} asked instead" if at + 1 < len(chain) else "no other to ask"
            try:
                batch = await find(query, k)
            except SourceLost as error:
                lost.append(error)
                notes.append(note(query, f"{error}; {then}", "fallback"))
                continue
            if batch.hits or at + 1 == len(chain):
                return noted(batch, *notes)
            empty = empty or batch
            notes.append(note(query, f"{name}: no results; {then}", "fallback"))
        if empty is not None:
            return noted(empty, after=tuple(notes))
        raise _all_lost(lost)

    return first_that_answers


def _all_lost(lost: Sequence[SourceLost]) -> SourceLost:
    if not lost:
        return SourceLost("no search provider is set")
    return SourceLost("; ".join(map(str, lost)), retryable=any(one.retryable for one in lost))
