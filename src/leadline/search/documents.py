"""The user's own documents as a provider, and the two plain functions an agent is given.

No socket is opened here or below: the index is files on this machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple

from leadline.documents import DocIndex, Mode
from leadline.errors import SourceLost
from leadline.text.lines import AFTER, BEFORE, numbered, window
from leadline.types import Hit, Page, Query
from leadline.values import replace

MOST = 10  # hits a caller of `search_docs` can have


class DocumentSearcher:
    """Satisfies `ports.Searcher` and `ports.Fetcher` over a document index."""

    name = "documents"

    def __init__(self, index: DocIndex, mode: Mode = "hybrid", min_score: float = 0.0) -> None:
        self._index = index
        self._mode: Mode = mode
        self._min_score = min_score

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        return await asyncio.to_thread(
            self._index.search, query.text, k, mode=self._mode, min_score=self._min_score
        )

    async def fetch(self, hit: Hit) -> Page:
        """The whole document, as it was indexed."""
        return await asyncio.to_thread(self._index.page, hit.url)

    async def locate(self, ref: str) -> tuple[Page, int, int]:
        """The document of `doc#chunk`, and where the chunk stands in it. Raises `SourceLost`."""
        return await asyncio.to_thread(self._index.locate, ref)


class Place(NamedTuple):
    """A folder or file among several: `prefix` stands before its documents' names there, and
    what begins with `owns` is one of them."""

    prefix: str
    owns: str
    searcher: DocumentSearcher

    def has(self, url: str) -> bool:
        rest = url[len(self.owns) :]
        is_named = self.owns.endswith("/") or not rest or rest.startswith("#")
        return url.startswith(self.owns) and is_named


class Folders:
    """Satisfies `ports.Searcher` and `ports.Fetcher` over a searcher for each folder or file."""

    name = "documents"

    def __init__(self, sources: Sequence[tuple[Path, DocumentSearcher]]) -> None:
        names = _short_names([path for path, _ in sources])
        self._places = [
            Place(name.removesuffix(path.name), name, searcher)
            if path.is_file()
            else Place(f"{name}/", f"{name}/", searcher)
            for name, (path, searcher) in zip(names, sources, strict=True)
        ]

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        """The best of each folder in turn: scores of different indexes do not compare."""
        lists = await asyncio.gather(*(one.searcher.search(query, k) for one in self._places))
        named = [
            [replace(hit, url=place.prefix + hit.url, ref=place.prefix + hit.ref) for hit in hits]
            for place, hits in zip(self._places, lists, strict=True)
        ]
        return tuple(hit for hit in chain(*zip_longest(*named)) if hit is not None)[:k]

    async def fetch(self, hit: Hit) -> Page:
        place = self._holding(hit.url)
        page = await place.searcher.fetch(replace(hit, url=hit.url.removeprefix(place.prefix)))
        return replace(page, url=hit.url)

    async def locate(self, ref: str) -> tuple[Page, int, int]:
        """The document of `folder/doc#chunk`, and where the chunk stands in it."""
        place = self._holding(ref)
        page, start, end = await place.searcher.locate(ref.removeprefix(place.prefix))
        return replace(page, url=place.prefix + page.url), start, end

    def _holding(self, url: str) -> Place:
        for place in self._places:
            if place.has(url):
                return place
        names = ", ".join(place.owns.rstrip("/") for place in self._places)
        raise SourceLost(f"{url} is in none of {names}")


def _short_names(paths: Sequence[Path]) -> list[str]:
    """A short name for each, as much of the end of its path as tells them apart."""
    parts = [path.as_posix().strip("/").split("/") for path in paths]
    for depth in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{i}/{'/'.join(part)}" for i, part in enumerate(parts, 1)]


def search_docs(index: DocIndex, query: str, k: int = 5) -> str:
    """Hits as text: `doc#chunk`, score and words of each, then what the list costs a reader."""
    return listed(index.search(query, max(1, min(k, MOST))))


def listed(hits: Sequence[Hit]) -> str:
    """Hits of documents as `search_docs` lists them."""
    if not hits:
        return "(no results)"
    body = "\n\n".join(f"{hit.ref}  {hit.score:.3f}\n{hit.text}" for hit in hits)
    noun = "hit" if len(hits) == 1 else "hits"
    return f"{body}\n\n[{len(hits)} {noun}, ~{len(body)} chars (~{len(body) // 4} tokens)]"


def read_doc(index: DocIndex, ref: str, before: int = BEFORE, after: int = AFTER) -> str:
    """Numbered lines around the chunk `ref`, at most `MOST_CHARS` of text.

    `before` and `after` are lines above and below it; the farthest go first where there is no
    room. A line that is itself too long is shown around the chunk.
    """
    page, start, end = index.locate(ref)
    lines = window(page.text, start, end, before, after)
    head = f"{page.url}, lines {lines.first}–{lines.last} of {lines.count}"
    return f"{head}\n{numbered(page.text, lines)}"
