"""Look in the cache before asking."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.ports import Cache, Find
from leadline.types import Batch, Hit, Query


def cached(
    find: Find, cache: Cache, name: str, params: Mapping[str, str | int] | None = None
) -> Find:
    """`find` behind `cache`. `params` are what else its answers depend on; no secrets."""

    async def looked_up(query: Query, k: int) -> Batch:
        made: list[Batch] = []

        async def make() -> tuple[Hit, ...]:
            made.append(await find(query, k))
            return made[0].hits

        hits, kept = await cache.once(name, query.text, {**(params or {}), "k": k}, make)
        if made and not kept:
            return made[0]
        return Batch(query, hits, provider=name, cached=True)

    return looked_up
