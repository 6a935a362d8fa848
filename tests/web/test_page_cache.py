"""A page is fetched once and then read back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from page_server import hit

from leadline.errors import SourceLost
from leadline.fakes.fetch import FakeFetcher
from leadline.keep.pages import Snapshots
from leadline.types import Hit, Page
from leadline.web.fetch import PagesByKind
from leadline.web.page_cache import CachedPages

URL = "https://site.example/page"
PAGE = Page(URL, "A page", "Some text of the page.", fetched_at="2026-01-01T00:00:00+00:00")


@pytest.mark.contract("E1", "E3")
def test_a_page_is_fetched_once_however_many_ask(tmp_path: Path) -> None:
    async def go() -> tuple[list[Page], list[str]]:
        web = FakeFetcher([PAGE])
        kept = CachedPages(web, Snapshots(tmp_path))
        urls = [URL, URL + "#part", URL + "?utm_source=x", "http://site.example/page/"]
        return await asyncio.gather(*(kept.fetch(hit(url)) for url in urls)), web.asked

    pages, asked = asyncio.run(go())
    assert [page.text for page in pages] == [PAGE.text] * 4
    assert pages[1].url == URL + "#part"
    assert asked == [URL]


@pytest.mark.contract("R9")
def test_a_page_fetched_before_a_crash_is_not_fetched_again(tmp_path: Path) -> None:
    async def go() -> list[str]:
        await CachedPages(FakeFetcher([PAGE]), Snapshots(tmp_path)).fetch(hit(URL))
        web = FakeFetcher([PAGE])
        assert await CachedPages(web, Snapshots(tmp_path)).fetch(hit(URL)) == PAGE
        return web.asked

    assert asyncio.run(go()) == []


def test_refresh_and_age_fetch_anew(tmp_path: Path) -> None:
    async def go() -> list[str]:
        web = FakeFetcher([PAGE])
        now = 1000.0
        snapshots = Snapshots(tmp_path, now=lambda: now)
        await CachedPages(web, snapshots).fetch(hit(URL))
        await CachedPages(web, snapshots, refresh=True).fetch(hit(URL))
        now += 90_000
        await CachedPages(web, snapshots, max_age_s=86_400).fetch(hit(URL))
        return web.asked

    assert len(asyncio.run(go())) == 3


def test_frozen_never_goes_to_the_network(tmp_path: Path) -> None:
    async def go() -> list[str]:
        web = FakeFetcher([PAGE, Page("https://site.example/other", "", "x")])
        snapshots = Snapshots(tmp_path)
        await CachedPages(web, snapshots).fetch(hit(URL))
        frozen = CachedPages(web, snapshots, frozen=True)
        assert await frozen.fetch(hit(URL)) == PAGE
        with pytest.raises(SourceLost, match="not among the kept pages"):
            await frozen.fetch(hit("https://site.example/other"))
        return web.asked

    assert asyncio.run(go()) == [URL]


def test_a_lost_page_is_not_kept(tmp_path: Path) -> None:
    async def go() -> None:
        failing = FakeFetcher(failing={URL: SourceLost("down", retryable=True)})
        snapshots = Snapshots(tmp_path)
        with pytest.raises(SourceLost):
            await CachedPages(failing, snapshots).fetch(hit(URL))
        assert await CachedPages(FakeFetcher([PAGE]), snapshots).fetch(hit(URL)) == PAGE

    asyncio.run(go())


def test_a_hit_goes_to_the_fetcher_of_its_kind() -> None:
    async def go() -> None:
        document = Page("notes.md", "Notes", "words", kind="document")
        both = PagesByKind({"web": FakeFetcher([PAGE]), "document": FakeFetcher([document])})
        assert await both.fetch(hit(URL)) == PAGE
        assert await both.fetch(Hit("notes.md", "", "", kind="document")) == document
        with pytest.raises(SourceLost):
            await PagesByKind({"web": FakeFetcher()}).fetch(Hit("x", "", "", kind="document"))

    asyncio.run(go())


@pytest.mark.contract("E1", "E3")
def test_a_page_that_cannot_be_kept_is_read_all_the_same(tmp_path: Path) -> None:
    async def go() -> tuple[Page, Page]:
        snapshots = Snapshots(tmp_path)
        (tmp_path / "snapshots.db").unlink()
        (tmp_path / "snapshots.db").mkdir()
        kept = CachedPages(FakeFetcher([PAGE]), snapshots)
        nowhere = CachedPages(FakeFetcher([PAGE]), None)
        return await kept.fetch(hit(URL)), await nowhere.fetch(hit(URL))

    assert asyncio.run(go()) == (PAGE, PAGE)
