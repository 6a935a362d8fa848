"""The client against servers on loopback: what it sends, what it reads, what it keeps."""

from __future__ import annotations

import asyncio
import base64
import gzip
import ssl
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import brotli  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.net.asking import (
    Ask,
    BrokenOff,
    Garbled,
    NetError,
    NoAddress,
    NotConnected,
    NotSendable,
    Origin,
    Place,
    ProxyTrouble,
    TooSlow,
    place_of,
)
from leadline.net.client import Client
from leadline.net.dialling import Streams, connect, dialling, no_proxy, system_proxies
from leadline.net.tls import trusted

T = TypeVar("T")
PEM = Path(__file__).resolve().parents[1] / "fetch" / "site_example.pem"
Serve = Callable[[bytes, asyncio.StreamWriter], Awaitable[bool]]  # whether it goes on


class Server:
    """Answers each request on each connection; `heads` are the requests, `lines` connections."""

    def __init__(self, serve: Serve, context: ssl.SSLContext | None = None) -> None:
        self._serve, self._context = serve, context
        self.heads: list[bytes] = []
        self.lines = self.port = 0

    async def __aenter__(self) -> Server:
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0, ssl=self._context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.lines += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = [x for x in head.lower().split(b"\r\n") if x.startswith(b"content-length")]
                body = await reader.readexactly(int(length[0].split(b":")[1])) if length else b""
                self.heads.append(head + body)
                if not await self._serve(head, writer):
                    return
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)


def said(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def saying(*answers: bytes, stay: bool = True) -> Serve:
    left = list(answers)

    async def serve(_: bytes, writer: asyncio.StreamWriter) -> bool:
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        return stay

    return serve


def client(silence_s: float = 5.0, connect_s: float = 5.0) -> Client:
    return Client(
        dialling(trusted(), no_proxy),
        headers={"User-Agent": "test"},
        connect_s=connect_s,
        silence_s=silence_s,
    )


async def read(one: Client, ask: Ask) -> tuple[int, dict[str, str], bytes]:
    async with one.stream(ask) as response:
        body = b"".join([part async for part in response.parts()])
        return response.status, dict(response.headers), body


def got(serve: Serve, path: str = "/", **given: float) -> tuple[int, dict[str, str], bytes]:
    async def run() -> tuple[int, dict[str, str], bytes]:
        async with Server(serve) as server, client(**given) as one:
            return await read(one, Ask("GET", f"http://127.0.0.1:{server.port}{path}", {}))

    return asyncio.run(run())


def test_an_answer_has_its_status_headers_and_body() -> None:
    answer = said(b"depth", "X-One: 1", "X-One: 2", "Set-Cookie: a=1", "Set-Cookie: b=2")
    status, headers, body = got(saying(answer))
    assert (status, body) == (200, b"depth")
    assert headers["x-one"] == "1, 2"
    assert headers["set-cookie"].splitlines() == ["a=1", "b=2"]


def test_a_body_may_come_in_chunks_or_last_until_the_end() -> None:
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )
    assert got(saying(chunked))[2] == b"abcde"
    assert got(saying(b"HTTP/1.0 200 OK\r\n\r\nuntil the end", stay=False))[2] == b"until the end"


def test_what_is_asked_goes_over_the_wire_in_one_spelling() -> None:
    async def run() -> list[bytes]:
        async with Server(saying(said(b""))) as server, client() as one:
            base = f"http://me:p%40w@127.0.0.1:{server.port}"
            await read(one, Ask("GET", base + "/tief?q=mäßig tief#part", {"user-agent": "other"}))
            await read(one, Ask("POST", base + "/x", {"Content-Type": "text/plain"}, b"body"))
            return server.heads

    first, second = asyncio.run(run())
    assert first.startswith(b"GET /tief?q=m%C3%A4%C3%9Fig%20tief HTTP/1.1\r\n")
    lower = first.lower()
    assert lower.count(b"user-agent: other") == lower.count(b"user-agent") == 1
    assert b"authorization: basic " + base64.b64encode(b"me:p@w").lower() in lower
    assert b"#part" not in first
    assert second.startswith(b"POST /x HTTP/1.1\r\n")
    assert second.endswith(b"\r\n\r\nbody")


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("br", brotli.compress),
        ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
        ("identity", bytes),
    ],
)
def test_a_packed_body_is_unpacked(name: str, packed: Callable[[bytes], bytes]) -> None:
    text = b"how deep is the sea? " * 5_000
    assert got(saying(said(packed(text), f"Content-Encoding: {name}")))[2] == text


@pytest.mark.parametrize("name", ["gzip", "br", "deflate"])
def test_a_cut_body_that_came_whole_over_the_wire_is_broken_off(name: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[name]
    packed = pack(bytes(range(256)) * 900)
    with pytest.raises(BrokenOff, match="packed"):
        got(saying(said(packed[: len(packed) // 2], f"Content-Encoding: {name}")))


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_body_that_is_not_packed_as_it_says_is_garbled(name: str) -> None:
    with pytest.raises(Garbled):
        got(saying(said(b"\x00no such thing", f"Content-Encoding: {name}")))


@pytest.mark.contract("E4")
def test_a_body_in_more_packings_than_anybody_uses_is_garbled() -> None:
    text = b"how deep is the sea?"
    for layers, readable in ((5, True), (6, False), (1_500, False)):
        body = text
        for _ in range(layers):
            body = gzip.compress(body, 1)
        answer = said(body, "Content-Encoding: " + ",".join(["gzip"] * layers))
        if readable:
            assert got(saying(answer))[2] == text
        else:
            with pytest.raises(Garbled, match="packed more than"):
                got(saying(answer))


_NAMES = st.sampled_from(
    ["Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Location", "Upgrade"]
)
_VALUES = st.sampled_from(
    [
        "gzip",
        "br",
        "deflate",
        "gzip," * 900,
        "chunked",
        "identity",
        "9" * 5_000,
        "-1",
        "²",
        "",
        "\0",
    ]
) | st.text(max_size=20)
_STATUS = st.sampled_from(
    ["200 OK", "101 Switching", "100 Continue", "204 No", "302 F", "999", "20"]
)
_BODIES = st.binary(max_size=300) | st.builds(
    lambda pack, text, cut: pack(text)[:cut] + text,
    st.sampled_from([gzip.compress, zlib.compress, brotli.compress]),
    st.binary(max_size=300),
    st.integers(0, 60),
)


@pytest.mark.contract("E4")
@settings(deadline=None)
@given(_STATUS, st.lists(st.tuples(_NAMES, _VALUES), max_size=4), _BODIES)
def test_whatever_a_server_sends_only_our_own_errors_leave(
    status: str, headers: list[tuple[str, str]], body: bytes
) -> None:
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]
    with suppress(NetError):
        got(saying("\r\n".join(lines).encode("utf-8", "replace") + body, stay=False))


def test_a_connection_is_kept_for_the_next_request_and_closed_when_the_body_was_left() -> None:
    async def run() -> tuple[int, int]:
        async with Server(saying(said(b"x" * 500_000))) as server, client() as one:
            ask = Ask("GET", f"http://127.0.0.1:{server.port}/", {})
            await read(one, ask)
            await read(one, ask)
            kept = server.lines
            async with one.stream(ask):
                pass  # not read
            await read(one, ask)
            return kept, server.lines

    assert asyncio.run(run()) == (1, 2)


def test_a_kept_connection_that_the_server_ended_is_replaced_without_a_word() -> None:
    async def serve(_: bytes, writer: asyncio.StreamWriter) -> bool:
        writer.write(said(b"once"))  # and then it goes, though it did not say so
        return False

    async def run() -> tuple[list[bytes], int]:
        async with Server(serve) as server, client() as one:
            ask = Ask("GET", f"http://127.0.0.1:{server.port}/", {})
            return [(await read(one, ask))[2] for _ in range(3)], server.lines

    assert asyncio.run(run()) == ([b"once"] * 3, 3)


def test_a_connection_on_which_more_came_than_was_announced_is_not_used_again() -> None:
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    async def run() -> tuple[list[bytes], int]:
        async with Server(saying(said(b"true") + forged)) as server, client() as one:
            ask = Ask("GET", f"http://127.0.0.1:{server.port}/", {})
            return [(await read(one, ask))[2] for _ in range(2)], server.lines

    assert asyncio.run(run()) == ([b"true", b"true"], 2)


def test_a_post_that_may_have_been_taken_is_not_sent_twice() -> None:
    async def serve(head: bytes, writer: asyncio.StreamWriter) -> bool:
        if head.startswith(b"GET"):
            writer.write(said(b"fine"))
            return True
        return False  # taken, and no answer

    async def run() -> int:
        async with Server(serve) as server, client() as one:
            url = f"http://127.0.0.1:{server.port}/"
            await read(one, Ask("GET", url, {}))
            with pytest.raises(BrokenOff):
                await read(one, Ask("POST", url, {}, b"once only"))
            return sum(head.startswith(b"POST") for head in server.heads)

    assert asyncio.run(run()) == 1


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
    with pytest.raises(BrokenOff):
        got(saying(answer, stay=False))


def test_silence_is_too_slow() -> None:
    async def serve(_: bytes, writer: asyncio.StreamWriter) -> bool:
        await asyncio.Event().wait()
        return False

    with pytest.raises(TooSlow):
        got(serve, silence_s=0.2)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "x", "http://[::1", "http://h:99999/"])
def test_an_address_that_is_none_is_refused_before_anything_is_opened(url: str) -> None:
    with pytest.raises(NoAddress):
        place_of(url)


@given(st.text(max_size=60))
def test_whatever_stands_in_an_address_its_target_can_be_sent(text: str) -> None:
    try:
        place = place_of(f"http://host.example/{text}")
    except NetError:
        return
    assert place.target.isascii()
    assert not any(letter.isspace() for letter in place.target)


def test_a_header_that_cannot_be_sent_is_told_so() -> None:
    async def run() -> None:
        async with Server(saying(said(b""))) as server, client() as one:
            await read(one, Ask("GET", f"http://127.0.0.1:{server.port}/", {"X": "a\r\nEvil: 1"}))

    with pytest.raises(NotSendable):
        asyncio.run(run())


def test_nobody_there_is_not_connected() -> None:
    async def run() -> None:
        async with client() as one:
            await read(one, Ask("GET", "http://127.0.0.1:1/", {}))

    with pytest.raises(NotConnected):
        asyncio.run(run())


# ── proxies ─────────────────────────────────────────────────────────────────────────────────


async def _joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


def proxied(proxy_of: Callable[[Origin], Place | None], trust: ssl.SSLContext) -> Client:
    return Client(
        dialling(trust, proxy_of), headers={}, connect_s=5, silence_s=5, proxy_of=proxy_of
    )


def test_a_proxy_is_asked_for_the_whole_address_and_told_who_asks() -> None:
    async def run() -> bytes:
        async with Server(saying(said(b"through"))) as server:
            proxy = place_of(f"http://me:secret@127.0.0.1:{server.port}")
            async with proxied(lambda _: proxy, trusted()) as one:
                assert (await read(one, Ask("GET", "http://far.example/a?b", {})))[2] == b"through"
            return server.heads[0]

    head = asyncio.run(run())
    assert head.startswith(b"GET http://far.example/a?b HTTP/1.1\r\n")
    assert b"proxy-authorization: Basic " + base64.b64encode(b"me:secret") in head


def test_a_safe_connection_goes_through_a_tunnel_and_checks_the_servers_own_name() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)

    async def run(name: str) -> tuple[bytes, list[bytes]]:
        asked: list[bytes] = []
        async with Server(saying(said(b"safe")), context) as server:

            async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                asked.append(await reader.readuntil(b"\r\n\r\n"))
                there: Streams = await connect("127.0.0.1", server.port, None, "")
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_joined(reader, there[1]), _joined(there[0], writer))

            proxy = await asyncio.start_server(tunnel, "127.0.0.1", 0)
            port = proxy.sockets[0].getsockname()[1]
            trust = ssl.create_default_context(cafile=str(PEM))
            async with proxied(lambda _: place_of(f"http://127.0.0.1:{port}"), trust) as one:
                try:
                    body = (await read(one, Ask("GET", f"https://{name}/", {})))[2]
                finally:
                    proxy.close()
            return body, asked

    body, asked = asyncio.run(run("site.example"))
    assert body == b"safe"
    assert asked[0].startswith(b"CONNECT site.example:443 HTTP/1.1\r\n")
    with pytest.raises(NotConnected, match="certificate"):
        asyncio.run(run("other.example"))


def test_a_proxy_that_refuses_is_told_of() -> None:
    async def run() -> None:
        async with Server(saying(said(b"", status="407 Authentication Required"))) as server:
            proxy = place_of(f"http://127.0.0.1:{server.port}")
            async with proxied(lambda _: proxy, trusted()) as one:
                await read(one, Ask("GET", "https://far.example/", {}))

    with pytest.raises(ProxyTrouble, match=r"refused \(407\)"):
        asyncio.run(run())


@pytest.mark.parametrize("url", ["http://far.example/", "https://far.example/"])
def test_a_proxy_where_nobody_answers_is_named(url: str) -> None:
    async def run() -> None:
        async with Server(saying(said(b""))) as server:
            port = server.port
        proxy = place_of(f"http://ann:pa55@127.0.0.1:{port}")
        async with proxied(lambda _: proxy, trusted()) as one:
            with pytest.raises(ProxyTrouble) as caught:
                await read(one, Ask("GET", url, {}))
        told = f"the proxy at http://127.0.0.1:{port} refused the connection; start it, or take it "
        assert str(caught.value) == f"{told}out of the environment"

    asyncio.run(run())


def test_the_proxies_of_the_environment_are_used_but_not_for_what_they_leave_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "near.example,127.0.0.1")
    proxy_of = system_proxies(named=True)
    found = proxy_of(Origin("http", "far.example", 80))
    assert found is not None
    assert found.origin == Origin("http", "proxy.example", 3128)
    assert proxy_of(Origin("http", "near.example", 80)) is None
    assert proxy_of(Origin("http", "127.0.0.1", 8080)) is None
    assert proxy_of(Origin("https", "far.example", 443)) is None
    monkeypatch.setenv("http_proxy", "socks5://proxy.example:1080")
    with pytest.raises(ProxyTrouble, match="socks5:// is not spoken"):
        proxy_of(Origin("http", "far.example", 80))
