"""Look in the cache before asking."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.errors import SourceLost
from leadline.ports import Cache, Find
from leadline.types import Batch, Hit, Query


def cached(
    find: Find, cache: Cache, name: str, params: Mapping[str, str | int] | None = None
) -> Find:
    """`find` behind `cache`. `params` are what else its answers depend on; no secrets."""

    async def looked_up(query: Query, k: int) -> Batch:
        made: list[Batch] = []
        ours = False

        async def make() -> tuple[Hit, ...]:
            nonlocal ours
            ours = True
            made.append(await find(query, k))
            return made[0].hits

        try:
            hits, kept = await cache.once(name, query.text, {**(params or {}), "k": k}, make)
        except SourceLost as lost:
            if ours:
                raise
            # Who was joined tells the requests; were it cancelled meanwhile, nobody does.
            raise lost.having_asked(()) from lost
        if made and not kept:
            return made[0]
        return Batch(query, hits, provider=name, cached=True)

    return looked_up
