"""A page is fetched once and then read back; a passing failure is tried again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest
from web import hit

from leadline.errors import SourceLost
from leadline.fakes.fetch import FakeFetcher
from leadline.fetch.again import AgainFetcher
from leadline.fetch.fetched import Fetched
from leadline.fetch.kept import FetchByKind, KeptFetcher, Unkept
from leadline.keep.pages import Snapshots
from leadline.types import Hit, Page

URL = "https://site.example/page"
PAGE = Page(URL, "A page", "Some text of the page.", fetched_at="2026-01-01T00:00:00+00:00")


@pytest.mark.contract("E1", "E3")
def test_a_page_is_fetched_once_however_many_ask(tmp_path: Path) -> None:
    async def go() -> tuple[list[Page], list[str]]:
        web = FakeFetcher([PAGE])
        kept = KeptFetcher(web, Snapshots(tmp_path))
        urls = [URL, URL + "#part", URL + "?utm_source=x", "http://site.example/page/"]
        return await asyncio.gather(*(kept.fetch(hit(url)) for url in urls)), web.asked

    pages, asked = asyncio.run(go())
    assert [page.text for page in pages] == [PAGE.text] * 4
    assert pages[1].url == URL + "#part"
    assert asked == [URL]


@pytest.mark.contract("R9")
def test_a_page_fetched_before_a_crash_is_not_fetched_again(tmp_path: Path) -> None:
    async def go() -> list[str]:
        await KeptFetcher(FakeFetcher([PAGE]), Snapshots(tmp_path)).fetch(hit(URL))
        web = FakeFetcher([PAGE])
        assert await KeptFetcher(web, Snapshots(tmp_path)).fetch(hit(URL)) == PAGE
        return web.asked

    assert asyncio.run(go()) == []


def test_refresh_and_age_fetch_anew(tmp_path: Path) -> None:
    async def go() -> list[str]:
        web = FakeFetcher([PAGE])
        now = 1000.0
        snapshots = Snapshots(tmp_path, now=lambda: now)
        await KeptFetcher(web, snapshots).fetch(hit(URL))
        await KeptFetcher(web, snapshots, refresh=True).fetch(hit(URL))
        now += 90_000
        await KeptFetcher(web, snapshots, max_age_s=86_400).fetch(hit(URL))
        return web.asked

    assert len(asyncio.run(go())) == 3


def test_frozen_never_goes_to_the_network(tmp_path: Path) -> None:
    async def go() -> list[str]:
        web = FakeFetcher([PAGE, Page("https://site.example/other", "", "x")])
        snapshots = Snapshots(tmp_path)
        await KeptFetcher(web, snapshots).fetch(hit(URL))
        frozen = KeptFetcher(web, snapshots, frozen=True)
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
            await KeptFetcher(failing, snapshots).fetch(hit(URL))
        assert await KeptFetcher(FakeFetcher([PAGE]), snapshots).fetch(hit(URL)) == PAGE

    asyncio.run(go())


def test_a_hit_goes_to_the_fetcher_of_its_kind() -> None:
    async def go() -> None:
        document = Page("notes.md", "Notes", "words", kind="document")
        both = FetchByKind({"web": FakeFetcher([PAGE]), "document": FakeFetcher([document])})
        assert await both.fetch(hit(URL)) == PAGE
        assert await both.fetch(Hit("notes.md", "", "", kind="document")) == document
        with pytest.raises(SourceLost):
            await FetchByKind({"web": FakeFetcher()}).fetch(Hit("x", "", "", kind="document"))

    asyncio.run(go())


class _Failing:
    """Fails with the given losses first, then brings the page."""

    def __init__(self, *losses: SourceLost) -> None:
        self._losses = list(losses)
        self.asked = 0

    async def bring(self, wanted: Hit) -> Fetched:
        self.asked += 1
        if self._losses:
            raise self._losses.pop(0)
        return Fetched(PAGE, wanted.url, "text/html")


async def _with_retries(web: _Failing) -> list[float]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await AgainFetcher(web, Random(1), attempts=3, sleep=sleep).bring(hit(URL))
    return slept


@pytest.mark.contract("S6")
def test_a_passing_failure_is_tried_again_after_a_growing_pause() -> None:
    busy = SourceLost("busy", retryable=True)
    slept = asyncio.run(_with_retries(_Failing(busy, busy)))
    assert 0.25 <= slept[0] <= 0.5 <= slept[1] <= 1.0


def test_a_server_that_asks_for_a_pause_gets_it_and_one_that_asks_too_much_is_left() -> None:
    soon = SourceLost("busy", retryable=True, retry_after=4)
    assert asyncio.run(_with_retries(_Failing(soon))) == [4]
    web = _Failing(SourceLost("busy", retryable=True, retry_after=600))
    with pytest.raises(SourceLost):
        asyncio.run(_with_retries(web))
    assert web.asked == 1


def test_what_will_not_change_is_not_tried_again() -> None:
    web = _Failing(SourceLost("gone"))
    with pytest.raises(SourceLost, match="gone"):
        asyncio.run(_with_retries(web))
    assert web.asked == 1


@pytest.mark.contract("E1", "E3")
def test_a_page_that_cannot_be_kept_is_read_all_the_same(tmp_path: Path) -> None:
    async def go() -> tuple[Page, Page]:
        snapshots = Snapshots(tmp_path)
        (tmp_path / "snapshots.db").unlink()
        (tmp_path / "snapshots.db").mkdir()
        kept = KeptFetcher(FakeFetcher([PAGE]), snapshots)
        nowhere = KeptFetcher(FakeFetcher([PAGE]), Unkept())
        return await kept.fetch(hit(URL)), await nowhere.fetch(hit(URL))

    assert asyncio.run(go()) == (PAGE, PAGE)
