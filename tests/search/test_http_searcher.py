"""The sender against a server on loopback that does all a search server can do wrong."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeVar

import pytest

from leadline.errors import SourceLost
from leadline.search.brave import Brave
from leadline.search.http import HttpSearcher, open_client
from leadline.search.policies import from_provider, retried
from leadline.search.provider import Request, Secret
from leadline.search.registry import make
from leadline.search.searxng import SearXNG
from leadline.types import Batch, Hit, Query

GOOD = json.dumps(
    {"results": [{"url": "https://e.org/1", "title": "One", "content": "The first result."}]}
).encode()
T = TypeVar("T")
Answer = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "Connection: close"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def with_server(answer: Answer, use: Callable[[str], Awaitable[T]]) -> T:
    """Run `use` with the address of a server that answers request number n by `answer(n, …)`."""
    count = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        try:
            await reader.readuntil(b"\r\n\r\n")
            await answer(count, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        return await use(f"http://127.0.0.1:{port}")
    finally:
        server.close()


def always(body: bytes) -> Answer:
    async def answer(_: int, writer: asyncio.StreamWriter) -> None:
        writer.write(body)

    return answer


def search(answer: Answer, timeout_s: float = 5.0, max_bytes: int = 100_000) -> tuple[Hit, ...]:
    async def use(address: str) -> tuple[Hit, ...]:
        async with open_client() as client:
            searcher = HttpSearcher(
                SearXNG(address), client, timeout_s=timeout_s, max_bytes=max_bytes
            )
            return await searcher.search(Query("depth"), 10)

    return asyncio.run(with_server(answer, use))


def lost(answer: Answer, timeout_s: float = 5.0) -> SourceLost:
    with pytest.raises(SourceLost) as caught:
        search(answer, timeout_s)
    assert str(caught.value).startswith("searxng: ")
    return caught.value


def test_a_good_answer_is_read() -> None:
    assert search(always(reply(GOOD))) == (
        Hit("https://e.org/1", "One", "The first result.", provider="searxng"),
    )


@pytest.mark.contract("S6")
def test_too_many_requests_says_when_to_come_back() -> None:
    error = lost(always(reply(b"", "429 Too Many Requests", "Retry-After: 7")))
    assert error.retryable
    assert error.retry_after == 7
    assert "HTTP 429" in str(error)


def test_a_retry_after_date_is_measured_by_the_servers_own_clock() -> None:
    headers = (
        "Date: Wed, 21 Oct 2015 07:28:00 GMT",
        "Retry-After: Wed, 21 Oct 2015 07:28:05 GMT",
    )
    assert lost(always(reply(b"", "503 Unavailable", *headers))).retry_after == 5
    assert lost(always(reply(b"", "503 Unavailable", "Retry-After: soon"))).retry_after == 0


@pytest.mark.contract("S6")
def test_server_errors_are_retried_until_it_is_fine() -> None:
    async def answer(count: int, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"oops", "500 Error") if count < 3 else reply(GOOD))

    async def use(address: str) -> Batch:
        async with open_client() as client:
            find = from_provider(HttpSearcher(SearXNG(address), client))
            return await retried(find)(Query("depth"), 10)

    batch = asyncio.run(with_server(answer, use))
    assert len(batch.hits) == 1
    assert [note.why for note in batch.notes] == ["searxng: HTTP 500; retried"] * 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (GOOD[:40], "cut off or is not JSON"),
        (b"<html><body>Just a moment...</body></html>", "a web page came back"),
        (b"", "the answer was empty"),
        (b'{"error": "no"}', "no list `results`"),
        (b"\xff\xfe\x00", "not JSON"),
    ],
)
def test_an_answer_that_is_none_says_what_came_instead(body: bytes, why: str) -> None:
    error = lost(always(reply(body)))
    assert why in str(error)
    assert not error.retryable


def test_a_refusal_says_what_to_check() -> None:
    error = lost(always(reply(b"", "403 Forbidden")))
    assert "json under search.formats" in str(error)
    assert not error.retryable


@pytest.mark.contract("X2")
def test_a_wrong_key_is_named_by_its_setting_and_never_shown() -> None:
    class Local(Brave):
        address: ClassVar[str] = ""

        def request(self, query: str, k: int) -> Request:
            return Request(f"{self.address}/x", headers={"X": self.brave_api_key})

    async def use(url: str) -> str:
        Local.address = url
        async with open_client() as client:
            with pytest.raises(SourceLost) as caught:
                await HttpSearcher(Local(Secret("tops3cret")), client).search(Query("x"), 3)
        return str(caught.value)

    refused = asyncio.run(with_server(always(reply(b"", "401 Unauthorized")), use))
    assert "brave_api_key" in refused
    echoed = reply(b'{"error": {"message": "bad key tops3cret"}}', "400 Bad Request")
    said = asyncio.run(with_server(always(echoed), use))
    assert "bad key …" in said
    assert "tops3cret" not in refused + said


@pytest.mark.contract("S6", "R4")
@pytest.mark.parametrize(
    ("status", "header"),
    [
        ("302 Found", "Location: http://[::1"),
        ("429 Busy", "Retry-After: Wed, 21 Oct 2015 07:28:00 +99999999999999999999"),
        ("429 Busy", "Date: Wed, 21 Oct 2015 07:28:00 +99999999999999999999"),
    ],
)
def test_a_header_that_no_calendar_and_no_address_has_loses_one_search(
    status: str, header: str
) -> None:
    assert str(lost(always(reply(b"", status, header)))).startswith("searxng: ")


@pytest.mark.contract("X2")
def test_a_password_in_an_address_is_not_said_back_nor_how_it_is_sent() -> None:
    sent = "dXNlcjpTRUNSRVRQVw=="  # user:SECRETPW
    body = f'{{"error": "no user with SECRETPW, that is {sent}"}}'.encode()

    async def use(address: str) -> str:
        with_user = address.replace("http://", "http://user:SECRETPW@")
        async with open_client() as client:
            with pytest.raises(SourceLost) as caught:
                await HttpSearcher(SearXNG(with_user), client).search(Query("x"), 3)
        return str(caught.value)

    for status in ("400 Bad Request", "200 OK"):
        said = asyncio.run(with_server(always(reply(body, status)), use))
        assert "no user with …" in said
        assert "SECRETPW" not in said
        assert sent not in said


@pytest.mark.contract("S6")
def test_a_provider_has_the_time_that_the_settings_give_it() -> None:
    async def answer(_: int, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async def use(address: str) -> str:
        async with open_client() as client:
            options = {"searxng_url": address, "search_timeout_s": 0.3}
            with pytest.raises(SourceLost) as caught:
                await make("searxng", options, client).search(Query("x"), 3)
        return str(caught.value)

    assert "no answer within 0.3 s" in asyncio.run(with_server(answer, use))


def test_a_redirect_is_not_followed_but_told() -> None:
    moved = reply(b"", "301 Moved", "Location: https://else.example/search?q=depth")
    error = lost(always(moved))
    assert "https://else.example/search" in str(error)
    assert "q=depth" not in str(error)


@pytest.mark.contract("S6")
def test_a_slow_drip_ends_in_time_too() -> None:
    async def answer(_: int, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    assert "no answer within 0.3 s" in str(lost(answer, timeout_s=0.3))


@pytest.mark.contract("S6")
def test_a_refused_connection_is_a_lost_source_that_names_the_server() -> None:
    async def use() -> SourceLost:
        async with open_client() as client:
            with pytest.raises(SourceLost) as caught:
                await HttpSearcher(SearXNG("http://user:pw@127.0.0.1:1"), client).search(
                    Query("x"), 3
                )
        return caught.value

    error = asyncio.run(use())
    assert "cannot connect to 127.0.0.1:1" in str(error)
    assert "pw" not in str(error)
    assert error.retryable


def test_an_address_that_is_none_is_said_so() -> None:
    async def use() -> str:
        async with open_client() as client:
            with pytest.raises(SourceLost) as caught:
                await HttpSearcher(SearXNG("ftp://x"), client).search(Query("x"), 3)
        return str(caught.value)

    assert "not a web address" in asyncio.run(use())


def test_a_huge_answer_is_cut_off() -> None:
    async def answer(_: int, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    assert "larger than 100,000 bytes" in str(lost(answer))


def test_a_compressed_bomb_is_cut_off() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    assert "larger than" in str(
        lost(always(reply(bomb, "200 OK", "Content-Encoding: gzip")), timeout_s=20)
    )


def test_a_connection_that_breaks_off_may_be_tried_again() -> None:
    short = b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + GOOD
    error = lost(always(short))
    assert "broke off" in str(error)
    assert error.retryable


def test_a_provider_that_stumbles_over_a_reply_loses_only_the_search() -> None:
    class Careless(SearXNG):
        def parse(self, body: bytes) -> tuple[Hit, ...]:
            rows: dict[str, str] = {}
            return (Hit(rows["url"], "", ""),)

    async def use(address: str) -> str:
        async with open_client() as client:
            with pytest.raises(SourceLost) as caught:
                await HttpSearcher(Careless(address), client).search(Query("x"), 3)
        return str(caught.value)

    assert "a shape it does not know" in asyncio.run(with_server(always(reply(GOOD)), use))
