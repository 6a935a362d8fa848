"""Every provider in the registry, by itself: it has a recorded reply, reads it, refuses junk."""

from __future__ import annotations

import ast
import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider_server import FakeServer

from leadline.errors import SourceLost
from leadline.question.language import region
from leadline.search import registry
from leadline.search.http import HttpSearcher
from leadline.search.provider import Provider, TwoStep
from leadline.types import Hit, Query

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "search"
KEY = "a-secret-key"
OPTIONS = {
    field: "http://127.0.0.1:1" if field.endswith(("_url", "_server")) else KEY
    for name in registry.PROVIDERS
    for field in registry.settings_of(name)
    if field not in ("wikipedia_language", "opensearch_index", "mcp_tool")
}
NAMES = sorted(registry.PROVIDERS)
OVER_HTTP = [name for name in NAMES if not hasattr(registry.load(name), "search")]
BAD = {
    "empty": b"",
    "blank": b" \n",
    "a web page": b"<!DOCTYPE html><html><body>Too many requests</body></html>",
    "cut off": b'{"results": [{"url": "https://e',
    "cut off XML": b"<?xml version='1.0'?><feed><entry>",
    "a list": b"[]",
    "nothing": b"null",
    "another shape": b'{"ok": true}',
    "wrong types": b'{"results": 3, "web": 4, "hits": {"hits": "x"}, "data": "y", "organic": {}}',
    "bytes": bytes(range(256)),
    "deep": b"[" * 100_000,
}
NOTHING = {
    "searxng": b'{"query": "x", "results": [], "unresponsive_engines": []}',
    "brave": b'{"type": "search", "query": {"original": "x"}}',
    "tavily": b'{"query": "x", "results": []}',
    "exa": b'{"results": []}',
    "serper": b'{"searchParameters": {"q": "x"}, "organic": []}',
    "wikipedia": b'{"batchcomplete": true}',
    "arxiv": b'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>',
    "semantic_scholar": b'{"total": 0, "offset": 0}',
    "openalex": b'{"meta": {"count": 0}, "results": []}',
    "pubmed": b'{"esearchresult": {"count": "0", "idlist": []}}',
    "opensearch": b'{"hits": {"total": {"value": 0}, "hits": []}}',
}


def provider(name: str) -> Any:
    kind = registry.load(name)
    given = {field: OPTIONS[field] for field in registry.settings_of(name) if field in OPTIONS}
    return kind(**given)


@pytest.mark.contract("S1", "P7")
def test_words_of_another_script_are_looked_for_in_their_language() -> None:
    chinese, english = "深海 潜水艇 压力", "deep sea submarines"

    def sent(name: str, query: str) -> tuple[str, object]:
        request = provider(name).request(query, 5)
        return request.url, {**request.params, **(request.json or {})}

    for name, key, said, else_said in (
        ("brave", "search_lang", "zh-hans", "en"),
        ("serper", "hl", "zh-cn", "en"),
        ("searxng", "language", "zh", None),
    ):
        assert sent(name, chinese)[1].get(key) == said  # type: ignore[attr-defined]
        assert sent(name, english)[1].get(key) == else_said  # type: ignore[attr-defined]
    assert sent("wikipedia", chinese)[0].startswith("https://zh.wikipedia.org/")
    assert sent("wikipedia", english)[0].startswith("https://en.wikipedia.org/")
    assert [region(text) for text in (chinese, "東京 の 地下鉄", english)] == [
        "cn-zh",
        "jp-ja",
        "us-en",
    ]


def replies(name: str) -> list[bytes]:
    """The recorded replies in the order they come: JSON, then XML for what takes two requests."""
    return [path.read_bytes() for path in sorted(FIXTURES.glob(f"{name}.*"))]


def ask(
    name: str, bodies: list[bytes], k: int = 10
) -> tuple[tuple[Hit, ...], list[httpx2.Request]]:
    """The hits of a provider over HTTP, and the requests that were sent."""
    server = FakeServer(bodies)

    async def search() -> tuple[Hit, ...]:
        searcher = registry.make(name, OPTIONS, server)
        assert isinstance(searcher, HttpSearcher)
        return await searcher.search(Query("mariana depth"), k)

    return asyncio.run(search()), server.asked


def recorded(name: str) -> tuple[Hit, ...]:
    """The hits in the recorded reply of any provider."""
    if name == "ddgs":
        return tuple(provider(name).read(json.loads(replies(name)[0])))
    if name == "mcp":
        reply = json.loads(replies(name)[0])
        texts = tuple(part["text"] for part in reply["content"])
        by_text = provider(name).read(None, texts)
        by_data = provider(name).read(reply["structuredContent"], ())
        assert by_text == by_data
        return tuple(by_data)
    return ask(name, replies(name))[0]


@pytest.mark.contract("S1")
@pytest.mark.parametrize("name", NAMES)
def test_a_provider_reads_its_recorded_reply(name: str) -> None:
    hits = recorded(name)
    assert len(hits) >= 2
    for hit in hits:
        assert hit.url.startswith(("http://", "https://"))
        assert hit.title
        assert hit.text
        assert "\n" not in hit.text + hit.title
        assert hit.kind == "web"
    assert len({hit.url for hit in hits}) == len(hits)


@pytest.mark.contract("S1")
@pytest.mark.parametrize("name", NAMES)
def test_a_provider_goes_by_the_name_it_is_registered_under(name: str) -> None:
    assert registry.load(name).name == name


@pytest.mark.contract("S1")
@pytest.mark.parametrize("name", NAMES)
def test_a_provider_is_one_file_under_thirty_lines(name: str) -> None:
    path = Path(importlib.import_module(registry.load(name).__module__).__file__ or "")
    tree = ast.parse(path.read_text("utf-8"))
    said = {tree.body[0].lineno} if ast.get_docstring(tree) else set()
    lines = [
        line
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if line.strip() and not line.strip().startswith("#") and number not in said
    ]
    assert len(lines) < 30


@pytest.mark.contract("S1")
@pytest.mark.parametrize("why", BAD)
@pytest.mark.parametrize("name", OVER_HTTP)
def test_a_reply_of_another_shape_is_a_lost_source_and_not_an_empty_one(
    name: str, why: str
) -> None:
    one: Provider = provider(name)
    with pytest.raises(SourceLost):
        one.parse(BAD[why])
    if isinstance(one, TwoStep):
        with pytest.raises(SourceLost):
            one.follow(BAD[why])


@pytest.mark.parametrize("name", OVER_HTTP)
def test_a_reply_cut_off_anywhere_never_breaks_anything_else(name: str) -> None:
    for body in replies(name):
        for end in range(0, len(body), max(1, len(body) // 40)):
            with pytest.raises(SourceLost):
                ask(name, [body[:end]])


@given(junk=st.binary(max_size=300))
@pytest.mark.parametrize("name", OVER_HTTP)
def test_no_bytes_make_a_provider_raise_anything_but_a_lost_source(name: str, junk: bytes) -> None:
    with pytest.raises(SourceLost):
        provider(name).parse(junk)


@pytest.mark.contract("S1")
@pytest.mark.parametrize("name", OVER_HTTP)
def test_finding_nothing_is_not_a_failure(name: str) -> None:
    assert ask(name, [NOTHING[name]])[0] == ()


@pytest.mark.contract("X2")
@pytest.mark.parametrize("name", OVER_HTTP)
def test_no_key_stands_in_an_address_or_shows_in_a_traceback(name: str) -> None:
    _, sent = ask(name, replies(name))
    for request in sent:
        assert KEY not in str(request.url)
    one = registry.make(name, OPTIONS, FakeServer())
    assert isinstance(one, HttpSearcher)
    asked = one.provider.request("depth", 5)
    assert KEY not in repr(one.provider)
    assert KEY not in repr(asked)


@pytest.mark.parametrize("name", OVER_HTTP)
def test_the_query_and_the_key_reach_the_server(name: str) -> None:
    _, sent = ask(name, replies(name))
    first = sent[0]
    whole = str(first.url) + first.content.decode()
    assert "mariana" in whole
    if any(field.endswith("_key") for field in registry.settings_of(name)):
        assert KEY in whole + " ".join(map(str.__str__, first.headers.values()))


# ── what the replies of some providers ask for ──────────────────────────────────────────────


def by_url(name: str) -> dict[str, Hit]:
    return {hit.url: hit for hit in recorded(name)}


def test_dates_are_read_whatever_way_a_provider_writes_them() -> None:
    assert by_url("serper")["https://example.org/trench"].published == "2023-06-14"
    assert by_url("serper")["https://example.net/soundings"].published == ""
    assert by_url("tavily")["https://example.org/trench"].published == "2023-06-14"
    assert by_url("brave")["https://example.org/trench"].published == "2023-06-14"
    assert by_url("pubmed")["https://pubmed.ncbi.nlm.nih.gov/33246200"].published == "2021"
    assert [hit.published for hit in recorded("semantic_scholar")] == ["2021-01-04", "2019"]


def test_wikipedia_keeps_the_order_of_the_search() -> None:
    assert [hit.title for hit in recorded("wikipedia")] == ["Mariana Trench", "Challenger Deep"]


def test_a_document_without_an_address_is_named_by_its_place_in_the_index() -> None:
    assert recorded("opensearch")[1].url == "http://127.0.0.1:1/articles/_doc/2"


def test_engines_that_were_turned_away_are_not_the_same_as_finding_nothing() -> None:
    silent = b'{"results": [], "unresponsive_engines": [["google", "too many requests"]]}'
    with pytest.raises(SourceLost, match="too many requests") as lost:
        provider("searxng").parse(silent)
    assert lost.value.retryable


def test_arxiv_says_what_it_did_not_understand() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry>
    <id>http://arxiv.org/api/errors#incorrect_id</id><title>Error</title>
    <summary>incorrect id format for 1234</summary></entry></feed>"""
    with pytest.raises(SourceLost, match="incorrect id format"):
        provider("arxiv").parse(body)


@given(query=st.text(max_size=200))
def test_operators_in_a_query_cannot_break_arxivs_own(query: str) -> None:
    terms = provider("arxiv").request(query, 5).params["search_query"]
    assert all(part.startswith("all:") for part in terms.split(" OR "))
    assert not set('"()[]{}') & set(terms)


def test_an_entity_bomb_is_refused_unread() -> None:
    bomb = b'<!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed>&b;</feed>'
    with pytest.raises(SourceLost, match="entities"):
        provider("arxiv").parse(bomb)


@pytest.mark.contract("S1")
@given(query=st.text(max_size=200))
def test_openalex_is_sent_words_and_nothing_that_it_refuses(query: str) -> None:
    terms = provider("openalex").request(f"How deep {query}?", 5).params["search"]
    assert not set('?*|!"()~') & set(terms)
    assert not {"AND", "OR", "NOT"} & set(terms.split())
    assert 1 <= len(terms.split()) <= 12


def test_brave_is_sent_no_more_words_than_it_takes() -> None:
    sent = provider("brave").request("deep " * 90, 5).params["q"]
    assert len(sent.split()) == 50


@pytest.mark.contract("S6")
@pytest.mark.parametrize(
    ("name", "body", "why", "passes"),
    [
        (
            "wikipedia",
            {"error": {"code": "cirrussearch-too-busy-error", "info": "Search is too busy."}},
            "cirrussearch-too-busy-error Search is too busy.",
            True,
        ),
        ("wikipedia", {"error": {"code": "badvalue", "info": "No."}}, "badvalue No.", False),
        (
            "pubmed",
            {"esearchresult": {"ERROR": "Search Backend failed: try again"}},
            "Search Backend failed",
            True,
        ),
    ],
)
def test_an_error_under_the_status_of_success_is_told_and_maybe_tried_again(
    name: str, body: dict[str, object], why: str, passes: bool
) -> None:
    with pytest.raises(SourceLost, match=why) as lost:
        ask(name, [json.dumps(body).encode()])
    assert lost.value.retryable is passes


@pytest.mark.contract("X2")
def test_a_key_that_comes_back_under_the_status_of_success_is_not_shown() -> None:
    with pytest.raises(SourceLost, match="bad key …") as lost:
        ask("brave", [json.dumps({"error": {"detail": f"bad key {KEY}"}}).encode()])
    assert KEY not in str(lost.value)


@pytest.mark.contract("R4", "S5")
def test_an_address_or_a_text_that_cannot_be_written_down_breaks_nothing() -> None:
    body = json.dumps(
        {
            "results": [
                {"url": "https://e.org/\ud800", "title": "half a letter", "content": "x"},
                {"url": "https://e.org/\x1b[2J", "title": "a control code", "content": "x"},
                {"url": "https://e.org/a\nforged: line", "title": "t\ud800", "content": "\udfff"},
            ]
        }
    ).encode()
    (hit,) = provider("searxng").parse(body)
    assert hit.url == "https://e.org/aforged: line"
    assert (hit.title, hit.text) == ("t?", "?")
