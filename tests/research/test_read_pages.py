"""Which pages are read, and what takes the place of one that is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime

import pytest

from leadline.errors import SourceLost
from leadline.fakes.run import MemoryRun
from leadline.research.read import read_pages
from leadline.research.state import begin
from leadline.types import Hit, Limits, Page, Plan, Query, Rules, Source, State, Stop
from leadline.values import replace

URLS = [f"https://a.example/{n}" for n in range(5)]


def state(stop: Stop | None = None) -> State:
    """Five sources, best first, each of which says something of its own."""
    begun = begin("task", Plan(()), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    return replace(
        begun,
        asked=(Query("task"),),
        search_results=tuple(Hit(url, f"page {n}", f"word{n}") for n, url in enumerate(URLS)),
        sources=tuple(Source(n, url, f"page {n}") for n, url in enumerate(URLS, 1)),
        kept=(1, 2, 3, 4, 5),
        stop_reason=stop,
    )


class Pages:
    """Hands out pages and remembers which; some are lost."""

    def __init__(self, lost: Collection[str] = ()) -> None:
        self.lost, self.asked = lost, list[str]()

    async def fetch(self, hit: Hit) -> Page:
        self.asked.append(hit.url)
        if hit.url in self.lost:
            raise SourceLost("HTTP 403")
        return Page(hit.url, hit.title, "text")


def read(pages: Pages, wanted: int, stop: Stop | None = None) -> tuple[State, list[str]]:
    rules = Rules(url_enrich_count=wanted)
    after, found = asyncio.run(read_pages(state(stop), rules, pages, MemoryRun()))
    return after, [page.url for page in found]


@pytest.mark.contract("E1")
def test_the_best_pages_are_read_and_each_once() -> None:
    pages = Pages()
    after, found = read(pages, 3)
    assert found == pages.asked == URLS[:3]
    assert after.usage.pages == 3


@pytest.mark.contract("E1", "S6")
def test_the_next_best_takes_the_place_of_a_page_that_cannot_be_read() -> None:
    pages = Pages({URLS[0], URLS[2]})
    _, found = read(pages, 2)
    assert found == [URLS[1], URLS[3]]
    assert pages.asked == URLS[:4]


@pytest.mark.contract("E1", "R7")
@pytest.mark.parametrize(
    ("wanted", "tried"), [(0, 0), (1, 2), (2, 4), (4, 5)], ids=["none", "one", "two", "four"]
)
def test_where_nothing_can_be_read_no_more_than_twice_as_much_is_tried(
    wanted: int, tried: int
) -> None:
    pages = Pages(URLS)
    _, found = read(pages, wanted)
    assert not found
    assert len(pages.asked) == tried


@pytest.mark.contract("R7")
@pytest.mark.parametrize("stop", [Stop.MAX_TIME, Stop.CANCELLED])
def test_where_the_report_is_due_nothing_takes_the_place_of_a_lost_page(stop: Stop) -> None:
    pages = Pages({URLS[0]})
    read(pages, 2, stop)
    assert pages.asked == URLS[:2]
