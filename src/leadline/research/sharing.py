"""One cache of searches and pages for the children of a run: each is asked and fetched once.

What earlier lives of the run have on record is not asked again either.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable

from leadline.ports import Fetcher, Find
from leadline.text.urls import canonical
from leadline.types import Batch, Hit, Page, Query
from leadline.values import replace


class SharedSearch:
    """A `ports.Find` that asks each thing once; one that failed may be asked again."""

    def __init__(self, find: Find, known: Iterable[Batch] = ()) -> None:
        self._find = find
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._known = {_key(batch.query): batch for batch in known if not batch.error}

    async def __call__(self, query: Query, k: int) -> Batch:
        key = _key(query)
        async with self._turns[key]:
            if (known := self._known.get(key)) is not None:
                # What came of asking is told by the part that asked.
                known = replace(known, notes=(), injections=(), asked=())
                return replace(known, query=query, cached=True)
            batch = await self._find(query, k)
            if not batch.error:
                self._known[key] = batch
            return batch


class SharedPages:
    """A `ports.Fetcher` that fetches each page once."""

    def __init__(self, fetcher: Fetcher, known: Iterable[Page] = ()) -> None:
        self._fetcher = fetcher
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._known = {canonical(page.url): page for page in known}

    async def fetch(self, hit: Hit) -> Page:
        key = canonical(hit.url)
        async with self._turns[key]:
            if key not in self._known:
                self._known[key] = await self._fetcher.fetch(hit)
            return replace(self._known[key], url=hit.url)


def _key(query: Query) -> str:
    return " ".join(query.text.casefold().split())
