"""The memory of the chosen project, put together: its store, its scanner, its snapshots."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import SourceLost, StoreBroken
from leadline.kit.cited import fetch_document
from leadline.kit.documents import embedder
from leadline.kit.stores import open_snapshots
from leadline.kit.web import wanted_of
from leadline.ports import Fetcher
from leadline.settings import Settings
from leadline.types import Finding, Hit, Page, SourceKind
from leadline.values import replace

if TYPE_CHECKING:
    from leadline.keep.chroma import ChromaVectors
    from leadline.keep.leads import RunMemory
    from leadline.keep.memory import MemoryStore
    from leadline.keep.pages import Snapshot

log = logging.getLogger(__name__)


def uses_memory(settings: Settings, web: bool) -> bool:
    """Whether a run remembers. Not where an experiment must not depend on the runs before it, nor
    where a run over documents alone would have to open a socket for it."""
    offline = not web and settings.memory_vectors == "chroma" and bool(settings.memory_chroma_url)
    return settings.memory and not settings.frozen and not offline


def open_memory(settings: Settings, stack: AsyncExitStack, web: bool) -> RunMemory | None:
    """The memory of a run, closed with `stack`; None where it is switched off."""
    if not uses_memory(settings, web):
        return None
    memory = run_memory(settings, web)
    stack.callback(memory.close)
    return memory


def run_memory(settings: Settings, web: bool) -> RunMemory:
    """The memory as a run over these sources sees it."""
    from leadline.keep.leads import RunMemory, Terms

    searched: dict[SourceKind, bool] = {"web": web, "document": bool(settings.docs)}
    terms = Terms(
        frozenset(kind for kind, whether in searched.items() if whether),
        replace(wanted_of(settings), per_domain=0),
        settings.memory_max_age_days,
        settings.search_cache_ttl_s,
        # Before there is a memory nothing is loaded to find that out.
        recalls=not settings.refresh and memory_file(settings).exists(),
    )

    async def page_of(finding: Finding) -> Page | None:
        if finding.kind == "document":
            page = await fetch_document(settings, finding.url)
            return page if page is not None and page.hash == finding.page else None
        kept = await _kept(settings, finding.page)
        return kept.page if kept else None

    return RunMemory(lambda: open_store(settings), page_of, terms)


async def _kept(settings: Settings, page: str) -> Snapshot | None:
    """A page as it was kept; where pages cannot be had memory leads nowhere, and no run ends."""
    try:
        return await asyncio.to_thread(lambda: open_snapshots(settings).get(page))
    except StoreBroken as error:
        log.warning("a page that memory leads to cannot be had: %s", error)
        return None


def open_store(settings: Settings) -> MemoryStore:
    """The store of the chosen project. Raises `StoreBroken`, or `BadInput` without its extra."""
    from leadline.keep.memory import MemoryStore

    path = memory_file(settings)
    return MemoryStore(
        path,
        embedder(),
        refused,
        vectors=_vectors(settings, path),
        project=settings.memory_project,
    )


def memory_file(settings: Settings) -> Path:
    """Where the memory of the chosen project lies."""
    return settings.data_dir / "memory" / f"{settings.memory_project}.db"


def _vectors(settings: Settings, path: Path) -> ChromaVectors | None:
    if settings.memory_vectors == "sqlite":
        return None
    from leadline.keep.chroma import ChromaVectors

    url = settings.memory_chroma_url
    return ChromaVectors(
        url or path.parent / "chroma",
        f"leadline-{settings.memory_project}",
        lock=path.with_suffix(".chroma"),
        token=settings.memory_chroma_token.get_secret_value(),
    )


def refused(text: str) -> str:
    """The scanner's reason not to remember a text; "" where it finds nothing in it.

    Raises `StoreBroken` where the scanner's weights cannot be read: nothing enters unscanned.
    """
    from leadline.guard.policy import scanned

    try:
        found = scanned(text)
    except (OSError, ValueError) as error:
        raise StoreBroken(f"nothing is remembered without the scanner: {error}") from error
    if found.verdict == "clean":
        return ""
    return f"{found.verdict}: {', '.join(dict.fromkeys(one.reason for one in found.spots))}"


class RememberedFetcher:
    """Reads the page that memory leads to from its snapshot, and anything else as before."""

    def __init__(self, fetcher: Fetcher, settings: Settings) -> None:
        self._fetcher, self._settings = fetcher, settings

    async def fetch(self, hit: Hit) -> Page:
        """The page of a hit; one that memory leads to is the very one that proved it."""
        from leadline.keep.leads import PROVIDER

        if hit.provider != PROVIDER or hit.kind == "document":
            return await self._fetcher.fetch(hit)
        kept = await _kept(self._settings, hit.page)
        if kept is None:
            raise SourceLost(f"the snapshot of {hit.url} that memory leads to is gone")
        return replace(kept.page, url=hit.url, notes=())


def remembering(settings: Settings, fetcher: Fetcher) -> Fetcher:
    """`fetcher`, but for the pages that memory leads to."""
    return RememberedFetcher(fetcher, settings) if settings.memory else fetcher
