"""Pages are fetched once and kept: what was fetched lately is read back from its snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from leadline.errors import SourceLost, StoreBroken
from leadline.fetch.fetched import Brings, Fetched
from leadline.keep.pages import Snapshot
from leadline.keep.sqlite import notice
from leadline.ports import Fetcher
from leadline.text.urls import canonical
from leadline.types import Hit, Page, SourceKind
from leadline.values import replace


class KeepsPages(Protocol):
    """Where pages are kept: `keep.pages.Snapshots`, or the same in PostgreSQL."""

    def latest(self, url: str, max_age_s: float) -> Snapshot | None: ...

    def keep(self, page: Page, final_url: str = "", content_type: str = "") -> str: ...


class KeptFetcher:
    """Fetches what is not kept, or is older than `max_age_s`, and keeps it.

    `refresh` fetches anew all the same; `frozen` never goes to the network. `on_kept` is told of
    every page that is safe now.
    """

    def __init__(
        self,
        web: Brings,
        snapshots: KeepsPages,
        *,
        max_age_s: float = 86_400.0,
        refresh: bool = False,
        frozen: bool = False,
        on_kept: Callable[[Hit], None] = lambda _: None,
    ) -> None:
        self._on_kept = on_kept
        self._web, self._snapshots = web, snapshots
        self._max_age_s = float("inf") if frozen else 0.0 if refresh else max_age_s
        self._frozen = frozen
        self._turns: dict[str, asyncio.Lock] = {}
        self._told = False

    async def fetch(self, hit: Hit) -> Page:
        """The page, from its snapshot or from the web; one fetch for many who ask at once."""
        key = canonical(hit.url)
        async with self._turns.setdefault(key, asyncio.Lock()):
            kept = await self._kept(hit)
            if kept is not None:
                return replace(kept.page, url=hit.url, notes=())
            if self._frozen:
                raise SourceLost(f"{hit.url} is not among the kept pages, and none are fetched")
            found = await self._web.bring(hit)
            await self._keep(found)
            self._on_kept(hit)
            return found.page

    async def _kept(self, hit: Hit) -> Snapshot | None:
        try:
            return await asyncio.to_thread(self._snapshots.latest, hit.url, self._max_age_s)
        except StoreBroken as broken:
            self._tell(broken)
            return None

    async def _keep(self, found: Fetched) -> None:
        """The answer matters more than its proof later on: a full disk loses no page."""
        page = replace(found.page, notes=())
        try:
            await asyncio.to_thread(self._snapshots.keep, page, found.final_url, found.content_type)
        except StoreBroken as broken:
            self._tell(broken)

    def _tell(self, broken: StoreBroken) -> None:
        if not self._told:
            self._told = True
            notice(f"{broken}; going on without")


class Unkept:
    """Satisfies `KeepsPages` and keeps nothing."""

    def latest(self, url: str, max_age_s: float) -> Snapshot | None:
        return None

    def keep(self, page: Page, final_url: str = "", content_type: str = "") -> str:
        return page.hash


class FetchByKind:
    """Sends a hit to the fetcher of its kind."""

    def __init__(self, fetchers: Mapping[SourceKind, Fetcher]) -> None:
        self._fetchers = dict(fetchers)

    async def fetch(self, hit: Hit) -> Page:
        """The page of a hit. Raises `SourceLost` when nothing here fetches its kind."""
        fetcher = self._fetchers.get(hit.kind)
        if fetcher is None:
            raise SourceLost(f"no {hit.kind} is fetched in this run: {hit.url}")
        return await fetcher.fetch(hit)
