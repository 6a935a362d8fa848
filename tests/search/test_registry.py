"""Which providers there are and whether they can be used, including ones of the user's own."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from provider_server import FakeServer

from leadline.errors import BadInput, WrongSetting
from leadline.fields.secret import SecretText
from leadline.kit.web import rate_limit_of
from leadline.search import registry
from leadline.search.policies import RateLimit
from leadline.settings import Settings
from leadline.types import Hit, Query

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "providers.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)
    assert found
    return found.group(1)


def client(body: str = "{}") -> FakeServer:
    return FakeServer([body.encode()])


def state(name: str, **options: object) -> registry.Ready:
    return {one.name: one for one in registry.readiness(options)}[name]


@pytest.mark.contract("S1")
def test_doctor_learns_which_providers_are_ready_and_why_the_others_are_not() -> None:
    everyone = registry.readiness({})
    assert [one.name for one in everyone] == list(registry.PROVIDERS)
    assert {one.name for one in everyone if one.ready} >= {"ddgs", "wikipedia", "arxiv"}
    assert state("brave").why == "needs brave_api_key (RESEARCH_BRAVE_API_KEY)"
    assert not state("searxng").ready
    assert state("searxng", searxng_url="http://localhost:8080").ready
    assert state("brave", brave_api_key="x").why == "brave_api_key set"
    assert state("openalex").ready


@pytest.mark.contract("X2")
def test_a_secret_of_the_settings_reaches_the_provider_and_no_message() -> None:
    options = {"brave_api_key": SecretText("tops3cret")}
    assert "tops3cret" not in repr(registry.readiness(options))
    made = registry.make("brave", options, client())
    assert "tops3cret" not in repr(vars(made))
    sent = made.provider.request("q", 1)  # type: ignore[attr-defined]
    assert sent.headers["X-Subscription-Token"] == "tops3cret"


def test_an_unknown_name_is_met_with_the_nearest_one() -> None:
    with pytest.raises(BadInput, match="did you mean tavily"):
        registry.make("tavly", {}, client())
    with pytest.raises(BadInput, match="cannot load the search provider"):
        registry.make("no.such.module:Thing", {}, client())


@pytest.mark.contract("S1")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("searxgn", "did you mean searxng?"),
        ("duck-duck-go", "there are ddgs, searxng"),
        ("Semantic Scholar", "did you mean semantic_scholar?"),
        ("my_search.Crossref", "a class of your own is named my_search:Crossref"),
    ],
)
def test_a_name_that_is_none_is_met_with_what_may_be_meant(name: str, said: str) -> None:
    assert said in registry.ready(name, {}).why


@pytest.mark.contract("S1")
def test_the_case_of_a_name_does_not_matter() -> None:
    given = ("DDGS", " SearXNG ", "my_search:Crossref", "my_search.Crossref")
    assert Settings(search_providers=given).search_providers == (
        "ddgs",
        "searxng",
        "my_search:Crossref",
        "my_search.Crossref",
    )
    with pytest.raises(WrongSetting, match="must be names of search providers"):
        Settings(search_providers=("ddgs", ""))


@pytest.mark.contract("S1")
def test_a_path_that_python_does_not_find_is_told_where_to_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "its folder must be on PYTHONPATH" in registry.ready("not_there:Thing", {}).why
    (tmp_path / "lacks_one.py").write_text("import no_such_thing\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "PYTHONPATH" not in registry.ready("lacks_one:Thing", {}).why


@pytest.mark.contract("S1")
def test_the_worked_example_of_the_docs_is_under_thirty_lines_and_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = block("python")
    assert len(code.splitlines()) < 30
    (tmp_path / "my_search.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    searcher = registry.make("my_search:Crossref", {}, client(block("json")))
    hits = asyncio.run(searcher.search(Query("sounding"), 5))
    assert hits == (
        Hit("https://doi.org/10.1000/1", "Sounding the deep", "Rope and lead.", "crossref"),
        Hit("https://doi.org/10.1000/2", "Trenches", "", "crossref"),
    )


@pytest.mark.contract("S1")
def test_doctor_can_try_a_provider_for_real() -> None:
    async def tried(name: str, body: str, **options: object) -> registry.Ready:
        return await registry.probe(name, options, client(body))

    url = "http://127.0.0.1:1"
    good = '{"results": [{"url": "https://e.org", "title": "E", "content": "x"}]}'
    fine = asyncio.run(tried("searxng", good, searxng_url=url))
    assert fine == registry.Ready("searxng", True, "answered with 1 results")
    bad = asyncio.run(tried("searxng", "<html>", searxng_url=url))
    assert (bad.ready, bad.why) == (False, "searxng: a web page came back instead of JSON")
    assert "needs searxng_url" in asyncio.run(tried("searxng", good)).why
    slow = asyncio.run(tried("wikipedia", '{"batchcomplete": true}'))
    assert slow.why == "answered with 0 results; 10 searches a minute until fetch_contact is set"


def test_the_docs_list_every_provider_with_its_settings() -> None:
    lines = {m[1]: m[0] for m in re.findall(r"^(\| `(\w+)`.*)$", DOCS, re.MULTILINE)}
    assert list(lines) == list(registry.PROVIDERS)
    for name in registry.PROVIDERS:
        cells = lines[name].split("|")
        for setting, needed in registry.settings_of(name).items():
            assert f"`{setting}`" in cells[3 if needed else 4]


@pytest.mark.contract("S7")
def test_who_gives_no_contact_is_slower_where_the_operator_wants_one() -> None:
    async def paces() -> tuple[RateLimit, ...]:
        known = Settings(fetch_contact="ann@example.org")
        own = Settings(search_per_second=4.0)
        return tuple(rate_limit_of("wikipedia", one) for one in (Settings(), known, own))

    nameless, known, own = asyncio.run(paces())
    assert len({nameless, known, own}) == 3
    assert state("wikipedia").why == "needs no key; 10 searches a minute until fetch_contact is set"
    assert state("wikipedia", fetch_contact="ann@example.org").why == "needs no key"


@pytest.mark.contract("S1")
@pytest.mark.parametrize("path", ["os:system", "json:loads", "pathlib:Path"])
def test_what_is_no_provider_is_refused_before_anything_is_sent(path: str) -> None:
    with pytest.raises(BadInput, match="is no class with request and parse"):
        registry.make(path, {}, client())
