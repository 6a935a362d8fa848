"""Let only wanted results through."""

from __future__ import annotations

from leadline.ports import Find
from leadline.rank.domains import Wanted, choose
from leadline.types import Batch, Query
from leadline.values import replace
from leadline.wrap.find import note, noted

_MOST = 50


def filtered(find: Find, wanted: Wanted) -> Find:
    """`find`, its hits chosen by `wanted`; what was left out, and why, is noted.

    Twice as many results are asked for, so that enough are left.
    """
    if wanted == Wanted():
        return find

    async def chosen(query: Query, k: int) -> Batch:
        batch = await find(query, min(_MOST, 2 * k))
        kept, left_out = choose(batch.hits, wanted)
        notes = tuple(note(query, f"{count} left out: {why}", "filter") for why, count in left_out)
        return noted(replace(batch, hits=kept[:k]), after=notes)

    return chosen
