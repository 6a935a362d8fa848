"""Ask the next provider when one fails or finds nothing."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Asked, Batch, Loss, Query
from leadline.values import replace
from leadline.wrap.find import having_asked, note, noted


def fallback(chain: Sequence[tuple[str, Find]]) -> Find:
    """The first of `chain` that has hits. Raises `SourceLost` when every one of them failed.

    An empty answer counts as none while there is another to ask: free engines that turn a
    machine away often do it by finding nothing.
    """

    async def first_that_answers(query: Query, k: int) -> Batch:
        notes: list[Loss] = []
        lost: list[SourceLost] = []
        asked: tuple[Asked, ...] = ()
        empty: Batch | None = None
        for at, (name, find) in enumerate(chain):
            then = f"{chain[at + 1][0]} asked instead" if at + 1 < len(chain) else "no other to ask"
            try:
                batch = await find(query, k)
            except SourceLost as error:
                lost.append(error)
                asked += error.asked
                notes.append(note(query, f"{error}; {then}", "fallback"))
                continue
            if batch.hits or at + 1 == len(chain):
                return noted(having_asked(asked, batch), *notes)
            asked += batch.asked
            empty = empty or batch
            notes.append(note(query, f"{name}: no results; {then}", "fallback"))
        if empty is not None:
            return noted(replace(empty, asked=asked), after=tuple(notes))
        raise _all_lost(lost, asked)

    return first_that_answers


def _all_lost(lost: Sequence[SourceLost], asked: tuple[Asked, ...]) -> SourceLost:
    if not lost:
        return SourceLost("no search provider is set")
    retryable = any(one.retryable for one in lost)
    return SourceLost("; ".join(map(str, lost)), retryable=retryable, asked=asked)
