"""The user's own documents as a provider, and the two plain functions an agent is given.

No socket is opened here or below: the index is files on this machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from leadline.documents import DocIndex, Mode
from leadline.text.lines import AFTER, BEFORE, numbered, window
from leadline.types import Hit, Page, Query

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
    found = window(page.text, start, end, before, after)
    head = f"{page.url}, lines {found.first}–{found.last} of {found.count}"
    return f"{head}\n{numbered(page.text, found)}"
