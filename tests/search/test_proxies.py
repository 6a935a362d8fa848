"""Search providers are asked through the proxy that the environment names, and say what it did."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable

import httpx2
import pytest

from leadline.errors import BadInput, SourceLost
from leadline.search.http import HttpSearcher, open_client, proxy_of
from leadline.search.searxng import SearXNG
from leadline.types import Hit, Query

GOOD = b'{"results": [{"url": "https://e.org/1", "title": "E", "content": "x"}]}'
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ddgs_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def reply(status: str, body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def searched(
    address: str,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    user: str = "",
    client: Callable[[], httpx2.AsyncClient] = open_client,
) -> tuple[Hit, ...]:
    """The hits of a provider at `address`, asked through a proxy that serves so."""

    async def go() -> tuple[Hit, ...]:
        proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://{user}127.0.0.1:{port}")
        try:
            async with client() as http:
                return await HttpSearcher(SearXNG(address), http).search(Query("depth"), 3)
        finally:
            proxy.close()

    return asyncio.run(go())


def saying(asked: list[bytes], answer: bytes) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()

    return serve


def test_a_proxy_is_asked_for_the_whole_address_and_told_who_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []
    serve = saying(asked, reply("200 OK", GOOD))
    hits = searched("http://far.example", serve, monkeypatch, user="me:secret@")
    assert [hit.url for hit in hits] == ["https://e.org/1"]
    assert asked[0].startswith(b"GET http://far.example/search?q=depth&format=json HTTP/1.1\r\n")
    assert base64.b64encode(b"me:secret") in asked[0]


@pytest.mark.contract("S6")
def test_a_proxy_that_refuses_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    serve = saying([], reply("407 Authentication Required"))
    with pytest.raises(SourceLost, match=r"the proxy at http://127\.0\.0\.1:\d+ refused \(407"):
        searched("https://far.example", serve, monkeypatch, user="ann:pa55@")


@pytest.mark.contract("S6", "X2")
@pytest.mark.parametrize("address", ["http://far.example", "https://far.example"])
def test_a_proxy_where_nobody_answers_is_named_without_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://ann:pa55@127.0.0.1:1")

    async def go() -> None:
        async with open_client() as client:
            await HttpSearcher(SearXNG(address), client).search(Query("x"), 3)

    with pytest.raises(SourceLost) as caught:
        asyncio.run(go())
    why = "the proxy at http://127.0.0.1:1 cannot be reached; start it, or take it out of the "
    assert str(caught.value) == f"searxng: {why}environment"


def test_the_proxies_of_the_environment_are_named_but_not_for_what_they_leave_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "ann:pa55@proxy.example:3128")
    monkeypatch.setenv("no_proxy", "near.example,127.0.0.1")
    assert proxy_of("http://far.example/") == "http://proxy.example:3128"
    assert proxy_of("http://near.example/") == proxy_of("http://127.0.0.1:8080/x") == ""
    assert proxy_of("https://far.example/") == ""


def test_a_proxy_that_is_not_spoken_is_refused_in_plain_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "socks5://proxy.example:1080")
    with pytest.raises(BadInput, match="must be named http://host:port"):
        open_client()
