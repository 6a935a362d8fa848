"""What may enter the context (S8) and when a simpler query is tried (S3)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.fakes.search import ScriptedSearcher, hit
from leadline.ports import Find
from leadline.question.shorten_query import MAX_WORDS, simpler
from leadline.rank.domains import Wanted, choose, dated, domain_of, host_of, named
from leadline.search.policies import ensure_minimum_text, filtered, from_provider
from leadline.text.words import words
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
        assert domain_of(entry) == "alpha.org"
    assert host_of("https://Müller.example/") == host_of("https://xn--mller-kva.example")
    assert not named("", ("alpha.org",))
    assert not named("alpha.org", ("", "  "))
    assert host_of("http://[bad") == ""


HOSTS = st.from_regex(r"(?:[a-z]{1,5}\.){1,3}(?:org|com)", fullmatch=True)


@given(host=HOSTS, entry=HOSTS)
def test_a_host_is_named_only_by_whole_labels(host: str, entry: str) -> None:
    labels, wanted = host.removeprefix("www.").split("."), entry.removeprefix("www.").split(".")
    assert named(host_of(f"https://{host}/"), (entry,)) == (labels[-len(wanted) :] == wanted)


@given(
    picks=st.lists(st.sampled_from(ALL), max_size=30),
    wanted=st.builds(
        Wanted,
        allow=st.sampled_from([(), ("alpha.org",)]),
        deny=st.sampled_from([(), ("beta.com",)]),
        prefer=st.sampled_from([(), ("notalpha.org",)]),
        since=st.sampled_from(["", "2021", "2023-05"]),
        per_domain=st.integers(0, 3),
    ),
)
def test_choosing_only_leaves_out_and_says_how_many(picks: list[Hit], wanted: Wanted) -> None:
    kept, left_out = choose(picks, wanted)
    assert len(kept) + sum(count for _, count in left_out) == len(picks)
    for one in kept:
        assert kept.count(one) <= picks.count(one)
        assert not named(host_of(one.url), wanted.deny)
        if wanted.per_domain:
            same = [other for other in kept if host_of(other.url) == host_of(one.url)]
            assert len(same) <= wanted.per_domain
    assert choose(kept, wanted)[0] == kept


@given(date=st.dates(), start=st.dates(), end=st.dates())
def test_a_full_date_is_in_the_window_just_as_dates_compare(
    date: object, start: object, end: object
) -> None:
    inside = start <= date <= end  # type: ignore[operator]
    assert dated(str(date), str(start), str(end)) == inside


@given(text=st.text(max_size=20))
def test_a_date_nobody_can_read_counts_as_unknown(text: str) -> None:
    assert dated(text.replace("0", "x").replace("1", "x").replace("2", "x"), "2020", "2021")


@pytest.mark.contract("S8")
def test_filters_act_on_a_search_and_note_what_they_left_out() -> None:
    searcher = ScriptedSearcher(ALL)
    batch = ask(filtered(from_provider(searcher), Wanted(deny=("alpha.org",))), Query("q"), k=2)
    assert urls(batch.hits) == [B.url, C.url]
    assert [note.why for note in batch.notes] == ["2 left out: domain denied"]


def test_without_a_filter_the_search_stays_as_it_is() -> None:
    find = from_provider(ScriptedSearcher(ALL))
    assert filtered(find, Wanted()) is find


# ── the floor ───────────────────────────────────────────────────────────────────────────────

LONG = Query("comprehensive analysis of Mariana Trench depth measurement methodology (2020-2024)")
SHORT = "Mariana Trench depth measurement"


def test_the_simpler_query_keeps_the_core() -> None:
    assert simpler(LONG.text) == SHORT


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


@pytest.mark.parametrize(
    ("query", "short"),
    [
        ("transformer attention mechanism computational complexity", "transformer attention"),
        ('site:arxiv.org "graph neural networks" AND scalability -survey', "graph neural networks"),
        ("best practices for PostgreSQL connection pooling in production", "PostgreSQL connection"),
        ("impact of the Treaty of Westphalia on state sovereignty", "Treaty Westphalia"),
        ("latest research on CRISPR-Cas9 off-target effects in human embryos", "CRISPR-Cas9"),
    ],
)
def test_jargon_goes_and_the_core_concept_stays(query: str, short: str) -> None:
    made = simpler(query)
    assert all(word in made for word in short.split())
    assert len(made.split()) <= MAX_WORDS
    for gone in ("mechanism", "site:", "AND", "survey", "practices", "impact", "latest"):
        assert gone not in made.split()


@pytest.mark.contract("S3")
@given(query=st.text(max_size=300))
def test_a_simpler_query_is_shorter_and_made_of_the_querys_own_words(query: str) -> None:
    made = simpler(query)
    assert len(made.split()) <= MAX_WORDS
    if made:
        assert words(made) != words(query)
        assert all(token in query for token in made.split())


def test_a_query_in_another_script_is_made_simpler_too() -> None:
    assert simpler("マリアナ海溝 深さ 測定 方法 歴史 調査") == "マリアナ海溝 深さ 測定 方法"
