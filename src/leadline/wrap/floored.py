"""Ask a simpler question when the first one brought too little to read."""

from __future__ import annotations

from collections.abc import Callable

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.question.shorten_query import simpler
from leadline.text.urls import canonical
from leadline.types import Batch, Hit, Query
from leadline.values import replace
from leadline.wrap.find import note, noted


def planned(query: Query) -> bool:
    """Whether a query is the planner's own; what reflection asks for is narrow on purpose."""
    return query.origin == "plan"


def floored(find: Find, floor: int = 1800, applies: Callable[[Query], bool] = planned) -> Find:
    """`find`; results of under `floor` characters are joined by those of one simpler query."""

    async def enough(query: Query, k: int) -> Batch:
        batch = await find(query, k)
        short = simpler(query.text)
        total = sum(len(hit.text) for hit in batch.hits)
        if total >= floor or not short or not applies(query):
            return batch
        said = f"only {total} characters found; the simpler query {short!r}"
        try:
            more = await find(replace(query, text=short, origin="fallback"), k)
        except SourceLost as lost:
            batch = replace(batch, asked=batch.asked + lost.asked)
            return noted(batch, after=(note(query, f"{said} failed: {lost}", "simpler"),))
        hits = _joined(batch.hits, more.hits)[:k]
        after = (note(query, f"{said} was asked too", "simpler"), *more.notes)
        kept, asked = batch.cached and more.cached, batch.asked + more.asked
        return noted(replace(batch, hits=hits, cached=kept, asked=asked), after=after)

    return enough


def _joined(first: tuple[Hit, ...], second: tuple[Hit, ...]) -> tuple[Hit, ...]:
    seen = {canonical(hit.url) for hit in first}
    return (*first, *(hit for hit in second if canonical(hit.url) not in seen))
