"""Pages are read while the search goes on, each of them once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from leadline.errors import SourceLost
from leadline.fakes.run import MemoryRun
from leadline.research.prefetch import Reading
from leadline.research.state import begin
from leadline.types import Hit, Limits, Page, Plan, Rules, State, Stop
from leadline.values import replace

HITS = tuple(Hit(f"https://a.example/{n}", f"page {n}", "text", kind="web") for n in range(5))
STATE = begin("task", Plan(()), Limits(), datetime(2026, 1, 1, tzinfo=UTC))


class Desk:
    """Hands out pages and remembers which; the ranking may change between rounds."""

    def __init__(self, *rankings: tuple[Hit, ...]) -> None:
        self.rankings, self.read = list(rankings), list[str]()

    async def page(self, hit: Hit) -> Page:
        self.read.append(hit.url)
        return Page(hit.url, hit.title, "text")

    def promising(
        self, state: State, rules: Rules, lost: frozenset[str] = frozenset(), /
    ) -> tuple[Hit, ...]:
        return self.rankings.pop(0) if len(self.rankings) > 1 else self.rankings[0]


def urls(desk: Desk, rounds: int, rules: Rules) -> list[str]:
    async def scene() -> list[str]:
        reading = Reading(MemoryRun(), desk.page, desk.promising, rules)
        for _ in range(rounds):
            reading.ahead(STATE)
        return [page.url for page in await reading.finish(STATE) if isinstance(page, Page)]

    return asyncio.run(scene())


@pytest.mark.contract("E1")
def test_the_best_half_is_begun_early_and_nothing_is_read_twice() -> None:
    desk = Desk(HITS[:4])
    assert urls(desk, 3, Rules(url_enrich_count=4)) == [hit.url for hit in HITS[:4]]
    assert sorted(desk.read) == sorted({hit.url for hit in HITS[:4]})


@pytest.mark.contract("E1")
def test_what_the_ranking_drops_later_costs_at_most_half_of_the_pages_again() -> None:
    desk = Desk(HITS[:2], HITS[1:])
    found = urls(desk, 1, Rules(url_enrich_count=2))
    assert found[0] == HITS[0].url
    assert len(found) == 5
    assert len(desk.read) == len(set(desk.read))


@pytest.mark.contract("E1")
def test_only_half_of_the_pages_that_the_report_is_to_have_are_read_ahead() -> None:
    async def scene() -> list[str]:
        desk = Desk(HITS[:4], (*HITS[:2], HITS[3], HITS[4]), HITS[:4])
        reading = Reading(MemoryRun(), desk.page, desk.promising, Rules(url_enrich_count=4))
        reading.ahead(STATE)
        reading.ahead(STATE)
        await asyncio.gather(*(begun() for begun in reading._begun))
        return desk.read

    assert asyncio.run(scene()) == [HITS[0].url, HITS[1].url]


def test_documents_are_not_read_ahead() -> None:
    local = tuple(Hit(f"doc{n}", "t", "text", kind="document") for n in range(4))
    desk = Desk(local[:1], local[1:])
    assert urls(desk, 1, Rules(url_enrich_count=4)) == ["doc1", "doc2", "doc3"]


class Broken(Desk):
    """Cannot hand out some of its pages."""

    def __init__(self, ranking: tuple[Hit, ...], lost: set[str]) -> None:
        super().__init__(ranking)
        self.lost = lost

    async def page(self, hit: Hit) -> Page:
        page = await super().page(hit)
        if hit.url in self.lost:
            raise SourceLost("HTTP 403")
        return page

    def promising(
        self, state: State, rules: Rules, lost: frozenset[str] = frozenset(), /
    ) -> tuple[Hit, ...]:
        hits = (hit for hit in self.rankings[0] if hit.url not in lost)
        return tuple(hits)[: rules.url_enrich_count]


@pytest.mark.contract("E1", "S6")
def test_the_next_best_takes_the_place_of_a_page_that_cannot_be_read() -> None:
    desk = Broken(HITS, {HITS[0].url, HITS[2].url})
    assert urls(desk, 1, Rules(url_enrich_count=2)) == [HITS[1].url, HITS[3].url]
    assert desk.read == [hit.url for hit in HITS[:4]]


@pytest.mark.contract("E1", "R7")
@pytest.mark.parametrize(
    ("wanted", "tried"), [(0, 0), (1, 2), (2, 4), (4, 5)], ids=["none", "one", "two", "four"]
)
def test_where_nothing_can_be_read_no_more_than_twice_as_much_is_tried(
    wanted: int, tried: int
) -> None:
    desk = Broken(HITS, {hit.url for hit in HITS})
    assert urls(desk, 0, Rules(url_enrich_count=wanted)) == []
    assert len(desk.read) == tried


@pytest.mark.contract("R7")
@pytest.mark.parametrize("stop", [Stop.MAX_TIME, Stop.CANCELLED])
def test_where_the_report_is_due_nothing_takes_the_place_of_a_lost_page(stop: Stop) -> None:
    async def scene() -> None:
        reading = Reading(MemoryRun(), desk.page, desk.promising, Rules(url_enrich_count=2))
        await reading.finish(replace(STATE, stop_reason=stop))

    desk = Broken(HITS, {HITS[0].url})
    asyncio.run(scene())
    assert desk.read == [HITS[0].url, HITS[1].url]
