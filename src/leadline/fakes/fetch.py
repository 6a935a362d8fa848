"""A web of a few pages in memory: what a test or an example fetches from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from leadline.errors import SourceLost
from leadline.text.urls import canonical
from leadline.types import Hit, Page
from leadline.web.fetch import Download


class FakeFetcher:
    """Brings the given pages by their address; `failing` ones raise what they are given."""

    def __init__(
        self, pages: Iterable[Page] = (), failing: Mapping[str, SourceLost] | None = None
    ) -> None:
        self._pages = {canonical(page.url): page for page in pages}
        self._failing = {canonical(url): lost for url, lost in (failing or {}).items()}
        self.asked: list[str] = []

    async def fetch(self, hit: Hit) -> Page:
        """The page of a hit."""
        return (await self.download(hit)).page

    async def download(self, hit: Hit) -> Download:
        """The page of a hit, found where it was asked for."""
        self.asked.append(hit.url)
        key = canonical(hit.url)
        if key in self._failing:
            raise self._failing[key]
        if key not in self._pages:
            raise SourceLost(f"{hit.url} answered 404 Not Found")
        return Download(self._pages[key], hit.url, "text/html")
