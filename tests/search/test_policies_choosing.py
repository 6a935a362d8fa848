"""What may enter the context (S8) and when a simpler query is tried (S3)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.fakes.search import ScriptedSearcher, hit
from leadline.ports import Find
from leadline.rank.domains import Wanted, choose, host_of, named
from leadline.search.policies import ensure_minimum_text, filtered, from_provider
from leadline.types import Batch, Hit, Query


def ask(find: Find, query: Query, k: int = 10) -> Batch:
    async def once() -> Batch:
        return await find(query, k)

    return asyncio.run(once())


def urls(hits: tuple[Hit, ...]) -> list[str]:
    return [one.url for one in hits]


A, SUB, B, C = (
    hit("https://www.alpha.org/1", published="2020-05-01"),
    hit("https://docs.alpha.org/2", published="2023"),
    hit("http://beta.com:8080/3"),
    hit("https://notalpha.org/4", published="2024-02-10"),
)
ALL = (A, SUB, B, C)

# ── domains ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("S8")
def test_allowed_domains_and_what_is_below_them_pass() -> None:
    assert choose(ALL, Wanted(allow=("alpha.org",)))[0] == (A, SUB)
    assert choose(ALL, Wanted(allow=("docs.alpha.org",)))[0] == (SUB,)


@pytest.mark.contract("S8")
def test_denied_domains_are_left_out_even_where_allowed() -> None:
    kept, why = choose(ALL, Wanted(allow=("alpha.org",), deny=("*.docs.alpha.org",)))
    assert kept == (A,)
    assert dict(why) == {"domain denied": 1, "domain not allowed": 2}


@pytest.mark.contract("S8")
def test_preferred_domains_come_first_and_the_rest_keeps_its_order() -> None:
    assert choose(ALL, Wanted(prefer=("beta.com",)))[0] == (B, A, SUB, C)


@pytest.mark.contract("S8")
def test_a_site_has_a_quota_counted_over_what_is_in_already() -> None:
    many = tuple(hit(f"https://alpha.org/{n}") for n in range(5))
    assert len(choose((*many, B), Wanted(per_domain=2))[0]) == 3
    assert choose(many, Wanted(per_domain=2), {"alpha.org": 1})[0] == many[:1]
    assert choose(many, Wanted(per_domain=2), {"alpha.org": 7})[0] == ()


@pytest.mark.contract("S8")
def test_the_window_of_dates_leaves_out_what_is_surely_outside() -> None:
    assert choose(ALL, Wanted(since="2022"))[0] == (SUB, B, C)
    assert choose(ALL, Wanted(until="2023-06"))[0] == (A, SUB, B)
    assert choose(ALL, Wanted(since="2023-06-01", until="2023-12-31"))[0] == (SUB, B)


def test_ones_own_documents_always_pass() -> None:
    own = Hit("notes/a.md", "a", "text", kind="document")
    assert choose((own,), Wanted(allow=("x.org",), since="2030", per_domain=1))[0] == (own,)


def test_a_domain_may_be_written_in_any_way() -> None:
    for entry in ("Alpha.org", "www.alpha.org", "*.alpha.org", "https://alpha.org/x", ".alpha.org"):
        assert named("alpha.org", (entry,))
    assert host_of("https://Müller.example/") == host_of("https://xn--mller-kva.example")
    assert not named("", ("alpha.org",))
    assert not named("alpha.org", ("", "  "))
    assert host_of("http://[bad") == ""


HOSTS = st.from_regex(r"(?:[a-z]{1,5}\.){1,3}(?:org|com)", fullmatch=True)


@given(host=HOSTS, entry=HOSTS)
def test_a_host_is_named_only_by_whole_labels(host: str, entry: str) -> None:
    labels, wanted = host.removeprefix("www.").split("."), entry.removeprefix("www.").split(".")
    assert named(host_of(f"https://{host}/"), (entry,)) == (labels[-len(wanted) :] == wanted)


@pytest.mark.contract("S8")
def test_filters_act_on_a_search_and_note_what_they_left_out() -> None:
    searcher = ScriptedSearcher(ALL)
    batch = ask(filtered(from_provider(searcher), Wanted(deny=("alpha.org",))), Query("q"), k=2)
    assert urls(batch.hits) == [B.url, C.url]
    assert [note.why for note in batch.notes] == ["2 left out: domain denied"]


# ── the floor ───────────────────────────────────────────────────────────────────────────────

LONG = Query("comprehensive analysis of Mariana Trench depth measurement methodology (2020-2024)")
SHORT = "Mariana Trench depth measurement"


@pytest.mark.contract("S3")
def test_too_little_to_read_brings_one_simpler_query_and_is_recorded() -> None:
    searcher = ScriptedSearcher(
        {LONG.text: [hit("https://a.org/", "x" * 100)], SHORT: [A, hit("http://a.org", "same")]}
    )
    batch = ask(ensure_minimum_text(from_provider(searcher)), LONG)
    assert searcher.asked == [LONG.text, SHORT]
    assert urls(batch.hits) == ["https://a.org/", A.url]
    assert batch.query == LONG
    assert "only 100 characters" in batch.notes[0].why
    assert SHORT in batch.notes[0].why


@pytest.mark.contract("S3")
def test_the_simpler_query_is_marked_as_a_fallback() -> None:
    asked: list[Query] = []

    async def find(query: Query, k: int) -> Batch:
        asked.append(query)
        return Batch(query)

    ask(ensure_minimum_text(find), LONG)
    assert [query.origin for query in asked] == ["plan", "fallback"]


@pytest.mark.contract("S3")
@pytest.mark.parametrize(("chars", "searches"), [(1799, 2), (1800, 1)])
def test_the_floor_is_at_1800_characters(chars: int, searches: int) -> None:
    searcher = ScriptedSearcher({LONG.text: [hit("https://a.org", "x" * chars)]})
    ask(ensure_minimum_text(from_provider(searcher)), LONG)
    assert len(searcher.asked) == searches


@pytest.mark.contract("S3")
def test_a_query_that_is_simple_or_not_the_planners_is_left_alone() -> None:
    searcher = ScriptedSearcher()
    ask(ensure_minimum_text(from_provider(searcher)), Query("Mariana Trench"))
    ask(ensure_minimum_text(from_provider(searcher)), Query(LONG.text, origin="reflect"))
    assert len(searcher.asked) == 2


def test_a_simpler_query_that_fails_costs_nothing_found_before() -> None:
    searcher = ScriptedSearcher({LONG.text: [A]}, failures=[None, SourceLost("x: down")])
    batch = ask(ensure_minimum_text(from_provider(searcher)), LONG)
    assert urls(batch.hits) == [A.url]
    assert "failed: x: down" in batch.notes[0].why
