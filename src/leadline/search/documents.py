"""The user's own documents as a provider, and the two plain functions an agent is given.

No socket is opened here or below: the index is files on this machine.
"""

from __future__ import annotations

import asyncio

from leadline.store.index import DocIndex, Mode
from leadline.types import Hit, Page, Query

MOST = 10  # hits a caller of `search_docs` can have
_BEFORE = _AFTER = 20  # lines shown around a chunk
_WINDOW = 8_000  # characters `read_doc` shows at most


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


def search_docs(index: DocIndex, query: str, k: int = 5) -> str:
    """Hits as text: `doc#chunk`, score and words of each, then what the list costs a reader."""
    hits = index.search(query, max(1, min(k, MOST)))
    if not hits:
        return "(no results)"
    body = "\n\n".join(f"{hit.ref}  {hit.score:.3f}\n{hit.text}" for hit in hits)
    noun = "hit" if len(hits) == 1 else "hits"
    return f"{body}\n\n[{len(hits)} {noun}, ~{len(body)} chars (~{len(body) // 4} tokens)]"


def read_doc(index: DocIndex, ref: str, before: int = _BEFORE, after: int = _AFTER) -> str:
    """Numbered lines around the chunk `ref`, at most `_WINDOW` characters of them.

    `before` and `after` are lines above and below it; the farthest go first where there is no
    room. A line that is itself too long is shown around the chunk.
    """
    page, start, end = index.locate(ref)
    lines = page.text.split("\n")
    first = page.text.count("\n", 0, start)
    last = page.text.count("\n", 0, max(start, end - 1))
    top, bottom = max(0, first - max(0, before)), min(len(lines) - 1, last + max(0, after))
    while bottom > top and sum(map(len, lines[top : bottom + 1])) > _WINDOW:
        if bottom > last or first == top:
            bottom -= 1
        if top < first and sum(map(len, lines[top : bottom + 1])) > _WINDOW:
            top += 1
    width = len(str(bottom + 1))
    shown = [f"{n + 1:>{width}}  {lines[n]}" for n in range(top, bottom + 1)]
    if top == bottom and len(lines[top]) > _WINDOW:
        middle = page.text[start : min(end, start + _WINDOW)]
        shown = [f"{top + 1}  … {middle} …"]
    head = f"{page.url}, lines {top + 1}–{bottom + 1} of {len(lines)}"
    return "\n".join([head, *shown])
