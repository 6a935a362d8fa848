"""Several folders as one provider: their hits in turn, each under its folder's name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, zip_longest

from leadline.errors import SourceLost
from leadline.search.documents import DocumentSearcher
from leadline.types import Hit, Page, Query


class Folders:
    """Satisfies `ports.Searcher` and `ports.Fetcher` over a searcher for each folder."""

    name = "documents"

    def __init__(self, folders: Mapping[str, DocumentSearcher]) -> None:
        self._folders = dict(folders)

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        """The best of each folder in turn: scores of different indexes do not compare."""
        found = await asyncio.gather(*(one.search(query, k) for one in self._folders.values()))
        named = [
            [replace(hit, url=f"{name}/{hit.url}", ref=f"{name}/{hit.ref}") for hit in hits]
            for name, hits in zip(self._folders, found, strict=True)
        ]
        return tuple(hit for hit in chain(*zip_longest(*named)) if hit is not None)[:k]

    async def fetch(self, hit: Hit) -> Page:
        name, folder = self._holding(hit.url)
        page = await folder.fetch(replace(hit, url=hit.url.removeprefix(f"{name}/")))
        return replace(page, url=hit.url)

    async def locate(self, ref: str) -> tuple[Page, int, int]:
        """The document of `folder/doc#chunk`, and where the chunk stands in it."""
        name, folder = self._holding(ref)
        page, start, end = await folder.locate(ref.removeprefix(f"{name}/"))
        return replace(page, url=f"{name}/{page.url}"), start, end

    def _holding(self, url: str) -> tuple[str, DocumentSearcher]:
        for name, folder in self._folders.items():
            if url.startswith(f"{name}/"):
                return name, folder
        raise SourceLost(f"{url} is in none of the folders {', '.join(self._folders)}")


def names_for(paths: list[str]) -> list[str]:
    """A short name for each folder, as much of the end of its path as tells them apart."""
    parts = [path.strip("/").split("/") for path in paths]
    for depth in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{i}/{'/'.join(part)}" for i, part in enumerate(parts, 1)]
