"""Documents and the web behind one fetcher: a hit says which of them it came from."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.ports import Fetcher
from leadline.types import Hit, Page


@dataclass(frozen=True, slots=True)
class Library:
    """Satisfies `ports.Fetcher`."""

    documents: Fetcher
    web: Fetcher

    async def fetch(self, hit: Hit) -> Page:
        source = self.documents if hit.kind == "document" else self.web
        return await source.fetch(hit)
