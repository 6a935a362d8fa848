"""What every fetcher does, the real ones and the fake: a page under its own address, or a loss."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from pathlib import Path

import pytest

from hostile import Hostile, answer
from leadline.errors import SourceLost
from leadline.fakes.fetch import FakeFetcher
from leadline.keep.pages import Snapshots
from leadline.ports import Fetcher
from leadline.types import Hit, Page
from leadline.web.addresses import Guard
from leadline.web.fetch import PagesByKind, WebPages
from leadline.web.page_cache import CachedPages

TEXT = "The lead is cast and the line runs out until it touches ground."
Opened = Callable[[Hostile, Path], AbstractAsyncContextManager[Fetcher]]


def _url(server: Hostile, path: str = "/page") -> str:
    return server.url(path)


@asynccontextmanager
async def web(server: Hostile, tmp_path: Path) -> AsyncIterator[Fetcher]:
    async with aclosing(WebPages(guard=Guard([f"127.0.0.1:{server.port}"]))) as fetcher:
        yield fetcher


@asynccontextmanager
async def kept(server: Hostile, tmp_path: Path) -> AsyncIterator[Fetcher]:
    async with aclosing(WebPages(guard=Guard([f"127.0.0.1:{server.port}"]))) as fetcher:
        yield PagesByKind({"web": CachedPages(fetcher, Snapshots(tmp_path))})


@asynccontextmanager
async def fake(server: Hostile, tmp_path: Path) -> AsyncIterator[Fetcher]:
    yield FakeFetcher([Page(_url(server), "A title", TEXT, fetched_at="2026-01-01T00:00:00+00:00")])


@pytest.mark.contract("E1")
@pytest.mark.parametrize("opened", [web, kept, fake])
def test_a_fetcher_brings_the_page_or_loses_it(opened: Opened, tmp_path: Path) -> None:
    async def go() -> None:
        routes = {"/page": answer(TEXT, kind="text/plain")}
        async with Hostile(routes) as server, opened(server, tmp_path) as fetcher:
            hit = Hit(_url(server), "A title", "a snippet")
            pages = await asyncio.gather(*(fetcher.fetch(hit) for _ in range(3)))
            assert {page.text for page in pages} == {TEXT}
            told = {(page.url, page.title, page.kind) for page in pages}
            assert told == {(hit.url, "A title", "web")}
            assert all(page.fetched_at for page in pages)
            with pytest.raises(SourceLost, match="404"):
                await fetcher.fetch(Hit(_url(server, "/missing"), "", ""))

    asyncio.run(go())
