"""What is left out before it is judged, which pages are read, and what replaces a lost one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.fakes.run import MemoryRun
from leadline.research.read import note_pages, promising, read_pages
from leadline.research.search import within_quota
from leadline.research.state import begin
from leadline.text.urls import canonical
from leadline.types import (
    Batch,
    Hit,
    Knowledge,
    Limits,
    Loss,
    Page,
    Plan,
    Query,
    Rules,
    Source,
    State,
    Stop,
)
from leadline.values import replace

QUERY = Query("tides in the bay")


def state_with(*hits: Hit) -> State:
    start = State("task", Plan((QUERY,)), Limits(), datetime(2026, 1, 1, tzinfo=UTC))
    sources = tuple(Source(n, hit.url, hit.title, hit.kind) for n, hit in enumerate(hits, 1))
    kept = tuple(source.id for source in sources)
    return replace(start, search_results=hits, sources=sources, kept=kept)


def web(host: str, number: int, text: str = "x") -> Hit:
    return Hit(f"https://{host}/{number}", f"{host} {number}", text)


@pytest.mark.contract("S8")
def test_a_site_gives_no_more_sources_to_a_run_than_its_quota() -> None:
    state = state_with(web("a.example", 1))
    batches = (
        Batch(QUERY, (web("a.example", 2), web("a.example", 3), web("b.example", 1))),
        Batch(QUERY, (web("www.a.example", 4), web("a.example", 1), web("b.example", 2))),
    )
    first, second = within_quota(state, batches, Rules(domain_quota=2))
    assert [hit.url for hit in first.hits] == ["https://a.example/2", "https://b.example/1"]
    assert [hit.url for hit in second.hits] == ["https://a.example/1", "https://b.example/2"]
    assert [note.why for note in second.notes] == [
        "1 left out: more than 2 of a.example in the run"
    ]
    assert {note.stage for note in (*first.notes, *second.notes)} == {"quota"}


@pytest.mark.contract("S8")
def test_without_a_quota_and_for_documents_nothing_is_left_out() -> None:
    own = tuple(replace(web("", n), kind="document", url=f"notes/{n}.md") for n in range(9))
    batch = Batch(QUERY, own)
    assert within_quota(state_with(), [batch], Rules(domain_quota=1)) == (batch,)
    many = Batch(QUERY, tuple(web("a.example", n) for n in range(9)))
    assert within_quota(state_with(), [many], Rules()) == (many,)


@pytest.mark.contract("S8")
@given(
    st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=8)),
    st.integers(1, 4),
)
def test_no_order_of_results_passes_the_quota(
    found: list[list[tuple[str, int]]], most: int
) -> None:
    batches = [Batch(QUERY, tuple(web(f"{h}.example", n) for h, n in some)) for some in found]
    chosen = within_quota(state_with(), batches, Rules(domain_quota=most))
    urls = {hit.url for batch in chosen for hit in batch.hits}
    for host in "abc":
        assert sum(f"//{host}." in url for url in urls) <= most


SAID = "The spring tide rises highest after the new moon in the narrow bay of the island"


@pytest.mark.contract("E1")
def test_a_source_whose_snippet_is_known_is_not_read_and_says_so() -> None:
    hits = (
        web("a.example", 1, "Fishermen leave at dawn."),
        web("b.example", 1, SAID),
        web("c.example", 1, "Lighthouse keepers log storms."),
    )
    state = replace(state_with(*hits), knowledge=Knowledge(f"- {SAID}, they say."))
    chosen, left = promising(state, Rules(url_enrich_count=2))
    assert chosen == (hits[0], hits[2])
    assert [(skip.kind, skip.what) for skip in left] == [("said", hits[1].url)]
    assert "60%" in left[0].why


@pytest.mark.contract("E1", "S6")
def test_of_sources_that_say_the_same_one_is_read_and_the_next_where_it_is_lost() -> None:
    hits = tuple(web(f"{host}.example", 1, f"{SAID} {host}") for host in "abc")
    known = Knowledge("".join(f"- {hit.text}\n" for hit in hits))
    state, rules = replace(state_with(*hits), knowledge=known), Rules(url_enrich_count=2)
    assert promising(state, rules)[0] == hits[:1]
    assert promising(state, rules, {canonical(hits[0].url)})[0] == hits[1:2]


@pytest.mark.contract("M5", "E1")
def test_where_memory_takes_the_place_of_every_search_all_its_pages_are_read() -> None:
    said = "The spring tide rises highest after the new moon in the narrow bay"
    led = tuple(replace(web("m.example", n, said), provider="memory") for n in range(3))
    state = replace(state_with(*led), knowledge=Knowledge(f"- {said}, they say."))
    assert promising(state, Rules(url_enrich_count=2))[0] == led
    assert promising(state, Rules(url_enrich_count=0))[0] == ()


@pytest.mark.contract("E1", "S6")
def test_a_page_that_needed_a_second_try_is_in_the_log() -> None:
    page = Page("https://a.example/1", "A", "text", notes=("HTTP 503; fetched again",))
    lost = Loss("read", "https://b.example/1", "HTTP 404")
    state = note_pages(state_with(web("a.example", 1)), [page, lost])
    assert state.error_log == (Loss("retry", page.url, "HTTP 503; fetched again"), lost)
    assert state.usage.pages == 1


URLS = [f"https://a.example/{n}" for n in range(5)]


def a_state(stop: Stop | None = None) -> State:
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


def read_all(pages: Pages, wanted: int, stop: Stop | None = None) -> tuple[State, list[str]]:
    rules = Rules(url_enrich_count=wanted)
    after, found = asyncio.run(read_pages(a_state(stop), rules, pages, MemoryRun()))
    return after, [page.url for page in found]


@pytest.mark.contract("E1")
def test_the_best_pages_are_read_and_each_once() -> None:
    pages = Pages()
    after, found = read_all(pages, 3)
    assert found == pages.asked == URLS[:3]
    assert after.usage.pages == 3


@pytest.mark.contract("E1", "S6")
def test_the_next_best_takes_the_place_of_a_page_that_cannot_be_read() -> None:
    pages = Pages({URLS[0], URLS[2]})
    _, found = read_all(pages, 2)
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
    _, found = read_all(pages, wanted)
    assert not found
    assert len(pages.asked) == tried


@pytest.mark.contract("R7")
@pytest.mark.parametrize("stop", [Stop.MAX_TIME, Stop.CANCELLED])
def test_where_the_report_is_due_nothing_takes_the_place_of_a_lost_page(stop: Stop) -> None:
    pages = Pages({URLS[0]})
    read_all(pages, 2, stop)
    assert pages.asked == URLS[:2]
