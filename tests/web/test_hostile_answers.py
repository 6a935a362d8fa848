"""Whatever a server sends, a page is read or lost: nothing else leaves, and nothing is believed."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_server import ARTICLE, fetching, outcome

from hostile import Act, Hostile
from leadline.errors import SourceLost
from leadline.types import Page

_NAMES = st.sampled_from(
    (
        *("Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Location"),
        *("Upgrade", "Set-Cookie", "Content-Type", "Retry-After", "Date"),
    )
)
_VALUES = st.sampled_from(
    (
        *("gzip", "br", "deflate", "gzip," * 900, "chunked", "identity", "9" * 5_000, "-1", "²"),
        *("", "\0", "a=b; Domain=.com; Path=//; Expires=x", "text/html; charset=idna"),
        "http://[::1",
    )
) | st.text(max_size=20)
_STATUS = st.sampled_from(
    ["200 OK", "101 Switching", "100 Continue", "204 No", "302 F", "999", "20"]
)
_BODIES = st.binary(max_size=300) | st.builds(
    lambda pack, text, cut: pack(text)[:cut] + text,
    st.sampled_from([gzip.compress, zlib.compress, bytes]),
    st.binary(max_size=300),
    st.integers(0, 60),
)


def sending(data: bytes) -> Act:
    async def act(_: object, out: asyncio.StreamWriter) -> None:
        out.write(data)

    return act


def fetched(*answers: bytes) -> list[Page | SourceLost]:
    """What comes of a page for each answer, asked for one after another."""

    async def go() -> list[Page | SourceLost]:
        async with Hostile() as server, fetching(server, robots=False) as web:
            server.routes = {f"/{n}": sending(data) for n, data in enumerate(answers)}
            return [await outcome(web, server.url(path)) for path in server.routes]

    return asyncio.run(go())


@pytest.mark.contract("E4")
@settings(deadline=None)
@given(_STATUS, st.lists(st.tuples(_NAMES, _VALUES), max_size=4), _BODIES)
def test_whatever_a_server_sends_a_page_is_read_or_lost(
    status: str, headers: list[tuple[str, str]], body: bytes
) -> None:
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]
    fetched("\r\n".join(lines).encode("utf-8", "replace") + body)


@pytest.mark.contract("E4")
def test_what_a_server_sends_beyond_its_answer_is_not_taken_for_the_next_one() -> None:
    def saying(text: str) -> bytes:
        body = ARTICLE.replace("leadline", text).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    pages = fetched(saying("first") + saying("forged"), saying("second"))
    assert all(isinstance(page, Page) and "forged" not in page.text for page in pages)
    assert isinstance(pages[1], Page)
    assert "second" in pages[1].text


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Much: " + b"y" * 200_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_http_or_ends_in_the_middle_is_broken_off(answer: bytes) -> None:
    (lost,) = fetched(answer)
    assert isinstance(lost, SourceLost)
    assert "broke off" in str(lost)
    assert lost.retryable


@pytest.mark.contract("S6", "E4")
def test_a_page_that_fails_in_passing_is_fetched_again_and_says_so() -> None:
    async def go() -> Page | SourceLost:
        async with Hostile() as server:

            async def act(_: object, out: asyncio.StreamWriter) -> None:
                await sending(answers.pop(0))(server.asked[-1], out)

            body = ARTICLE.encode()
            good = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            answers = [b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", good]
            server.routes = {"/": act}
            async with fetching(server, robots=False, attempts=2) as web:
                return await outcome(web, server.url("/"))

    page = asyncio.run(go())
    assert isinstance(page, Page)
    assert page.notes == ("127.0.0.1 answered 503 Service Unavailable; fetched again",)
