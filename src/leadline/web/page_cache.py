"""Pages are fetched once and kept: what was fetched lately is read back from its snapshot."""

from __future__ import annotations

import asyncio
from typing import Protocol

from leadline.errors import SourceLost, StoreBroken
from leadline.keep.pages import Snapshot
from leadline.keep.sqlite import notice
from leadline.text.urls import canonical
from leadline.types import Hit, Page
from leadline.values import replace
from leadline.web.fetch import Download, PageSource


class KeepsPages(Protocol):
    """Where pages are kept: `keep.pages.Snapshots`, or the same in PostgreSQL."""

    def latest(self, url: str, max_age_s: float) -> Snapshot | None: ...

    def keep(self, page: Page, final_url: str = "", content_type: str = "") -> str: ...


class CachedPages:
    """Fetches what is not kept, or is older than `max_age_s`, and keeps it; nowhere without
    `snapshots`. `refresh` fetches anew all the same; `frozen` never goes to the network."""

    def __init__(
        self,
        web: PageSource,
        snapshots: KeepsPages | None,
        *,
        max_age_s: float = 86_400.0,
        refresh: bool = False,
        frozen: bool = False,
    ) -> None:
        self._web, self._snapshots = web, snapshots
        self._max_age_s = float("inf") if frozen else 0.0 if refresh else max_age_s
        self._frozen = frozen
        self._turns: dict[str, asyncio.Lock] = {}
        self._noticed = False

    async def fetch(self, hit: Hit) -> Page:
        """The page, from its snapshot or from the web; one fetch for many who ask at once."""
        key = canonical(hit.url)
        async with self._turns.setdefault(key, asyncio.Lock()):
            snapshot = await self._latest(hit)
            if snapshot is not None:
                return replace(snapshot.page, url=hit.url, notes=())
            if self._frozen:
                raise SourceLost(f"{hit.url} is not among the kept pages, and none are fetched")
            download = await self._web.download(hit)
            await self._keep(download)
            return download.page

    async def _latest(self, hit: Hit) -> Snapshot | None:
        if self._snapshots is None:
            return None
        try:
            return await asyncio.to_thread(self._snapshots.latest, hit.url, self._max_age_s)
        except StoreBroken as broken:
            self._notice(broken)
            return None

    async def _keep(self, download: Download) -> None:
        """The answer matters more than its proof later on: a full disk loses no page."""
        if self._snapshots is None:
            return
        page = replace(download.page, notes=())
        try:
            await asyncio.to_thread(
                self._snapshots.keep, page, download.final_url, download.content_type
            )
        except StoreBroken as broken:
            self._notice(broken)

    def _notice(self, broken: StoreBroken) -> None:
        if not self._noticed:
            self._noticed = True
            notice(f"{broken}; going on without")
