"""One web address to its bytes: guarded, within limits, redirects told and not followed.

The guard resolves and checks, and the connection is made to what it returned: there is no second
look-up whose answer could differ. `Host` header, SNI and certificate keep the name, since only the
TCP connection is given the address. Each way it can fail is a `SourceLost` that says why and
whether trying again may help.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from urllib.parse import quote, urljoin

import httpcore2
import httpx2

from leadline.errors import SourceLost
from leadline.read.file_type import declared_kind
from leadline.retry import retry_after
from leadline.web.addresses import Guard, Target
from leadline.web.unpack import ENCODINGS, UNPACKABLE, unpacked

ACCEPT = (
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/markdown;q=0.9,"
    "text/plain;q=0.8,*/*;q=0.5"
)
AT_ONCE = 24  # requests in flight
MAX_ADDRESSES = 4
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
_ASCII = bytes(range(128))


@cache
def trusted() -> ssl.SSLContext:
    """The certificates that servers are verified with, read once a process: it takes 40 ms."""
    return httpx2.create_ssl_context()


@dataclass(frozen=True)
class FetchLimits:
    """What one fetch may cost."""

    page_bytes: int = 10_000_000  # HTML and text, after decompression
    file_bytes: int = 30_000_000  # PDF, office and EPUB
    ratio: int = 100  # how much larger than what came over the wire a body may become
    free_bytes: int = 1_000_000  # below this the ratio does not matter
    connect_s: float = 5.0
    silence_s: float = 10.0  # before the first byte, and between two pieces of the body
    total_s: float = 30.0
    redirects: int = 5


@dataclass(frozen=True)
class Answer:
    """What a server sent; `url` is where it was at last found."""

    url: str
    status: int
    content_type: str
    data: bytes


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects to addresses that the guard has checked and to nothing else."""

    def __init__(self, guard: Guard, network: httpcore2.AsyncNetworkBackend | None = None) -> None:
        self._guard, self._network = guard, network or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as httpcore has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first address that answers; `timeout` is for all of them together."""
        clock = asyncio.get_running_loop().time
        ends = clock() + (timeout or FetchLimits.connect_s)
        try:
            async with asyncio.timeout_at(ends):
                addresses = (await self._guard.addresses(host, port))[:MAX_ADDRESSES]
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"looking up {host} took too long") from error
        left = len(addresses)
        while True:
            share_s = max(0.0, ends - clock()) / left
            try:
                return await self._network.connect_tcp(
                    addresses[-left], port, share_s, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                left -= 1
                if not left:
                    raise


class Downloader:
    """Fetches bytes over checked connections. `ssl_context` and `network` are for tests."""

    def __init__(
        self,
        guard: Guard,
        limits: FetchLimits,
        user_agent: str,
        ssl_context: ssl.SSLContext | None = None,
        network: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._guard, self._limits = guard, limits
        # Of each site and nobody else's, whatever they ask for; forgotten with the run.
        self._cookies: dict[str, httpx2.Cookies] = {}
        self._headers = {
            "User-Agent": user_agent,
            "Accept": ACCEPT,
            "Accept-Encoding": ENCODINGS,
        }
        self._places = asyncio.Semaphore(AT_ONCE)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context or trusted(),
            max_connections=AT_ONCE,
            # A server that sends more than it announced would have it taken for its next answer.
            max_keepalive_connections=0,
            network_backend=CheckedNetwork(guard, network),
        )

    async def get(self, target: Target, start_of: int = 0) -> Answer | Target:
        """One request: the answer, or the next target of a redirect.

        With `start_of` that many bytes of whatever comes are taken, and the rest let go; without it
        the size goes by the type, what is larger is refused, and so is a type that holds no text.
        """
        async with self._places:
            try:
                async with asyncio.timeout(self._limits.total_s):
                    with self._errors_of(target):
                        return await self._exchange(target, start_of)
            except TimeoutError as error:
                raise SourceLost(
                    f"{target.host} took longer than {self._limits.total_s:g} s", retryable=True
                ) from error

    async def _exchange(self, target: Target, start_of: int) -> Answer | Target:
        cookies = self._cookies.setdefault(target.origin, httpx2.Cookies())
        request = httpx2.Request("GET", target.url, headers=self._headers)
        cookies.set_cookie_header(request)
        limits = self._limits
        timeouts = {"connect": limits.connect_s, "read": limits.silence_s}
        async with self._pool.stream(
            "GET",
            target.url,
            headers=request.headers.raw,
            extensions={"timeout": timeouts | {"write": limits.silence_s}},
        ) as response:
            headers = httpx2.Headers(response.headers)
            given = [("Set-Cookie", cookie) for cookie in headers.get_list("set-cookie")]
            cookies.extract_cookies(httpx2.Response(200, headers=given, request=request))
            if response.status in _REDIRECTS and "location" in headers:
                return self._guard.target(_redirected(target, response.headers))
            kind = headers.get("content-type", "")
            if start_of:
                data = await _start(response, start_of)
            else:
                _refuse_status(response.status, headers, target)
                data = await _whole(response, headers, self._room(declared_kind(kind, target.url)))
        encoding = headers.get("content-encoding", "")
        if encoding:
            data = await self._unpacked(data, encoding, kind, target, start_of)
        return Answer(target.url, response.status, kind, data)

    def _room(self, kind: str | None) -> int:
        return self._limits.page_bytes if kind in ("html", "text") else self._limits.file_bytes

    async def _unpacked(
        self, data: bytes, encoding: str, kind: str, target: Target, start_of: int
    ) -> bytes:
        room = self._room(declared_kind(kind, target.url))
        most = min(room, max(self._limits.free_bytes, self._limits.ratio * len(data)))
        if start_of:
            return await asyncio.to_thread(unpacked, data, encoding, start_of, cut=True)
        body = await asyncio.to_thread(unpacked, data, encoding, most)
        if len(body) <= most:
            return body
        if most == room:
            raise SourceLost(f"it is larger than the {_size(room)} that are read")
        raise SourceLost(f"a decompression bomb: {_size(len(data))} became more than {_size(most)}")

    @contextmanager
    def _errors_of(self, target: Target) -> Iterator[None]:
        """What can go wrong on the wire, as a lost source."""
        host = target.host
        try:
            yield
        except httpcore2.ConnectTimeout as error:
            raise SourceLost(f"{host} did not accept a connection", retryable=True) from error
        except httpcore2.TimeoutException as error:
            silence = f"{host} sent nothing for {self._limits.silence_s:g} s"
            raise SourceLost(silence, retryable=True) from error
        except httpcore2.ConnectError as error:
            if isinstance(error.__context__, ssl.SSLError):
                raise SourceLost(f"no safe connection to {host}: {error}") from error
            raise SourceLost(f"{host} cannot be reached: {error}", retryable=True) from error
        except (httpcore2.NetworkError, httpcore2.RemoteProtocolError, EOFError) as error:
            raise SourceLost(f"{host} broke off: {error}", retryable=True) from error
        except (httpcore2.ProtocolError, httpx2.InvalidURL, *UNPACKABLE) as error:
            raise SourceLost(f"{host} sent what cannot be read: {error}") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pool.aclose()


async def _whole(response: httpcore2.Response, headers: httpx2.Headers, most: int) -> bytes:
    """A body as it came, refused when it is larger than `most`."""
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise SourceLost(f"{_size(int(length))} is more than the {_size(most)} that are read")
    data = await _start(response, most + 1)
    if len(data) > most:
        raise SourceLost(f"it is larger than the {_size(most)} that are read")
    return data


async def _start(response: httpcore2.Response, most: int) -> bytes:
    """The first `most` bytes of a body, as they came."""
    data = bytearray()
    async for part in response.aiter_stream():
        data += part
        if len(data) >= most:
            break
    return bytes(data[:most])


def _redirected(target: Target, headers: list[tuple[bytes, bytes]]) -> str:
    """Where a `Location` leads as it is meant: a header is bytes, and beyond ASCII they are UTF-8,
    or a path in a charset that only the server knows, which it is to have back byte by byte."""
    raw = next(value for name, value in headers if name.lower() == b"location")
    try:
        location = raw.decode()
    except UnicodeDecodeError:
        location = quote(raw, safe=_ASCII)
    try:
        return urljoin(target.url, location)
    except ValueError as error:  # half an IPv6 address
        raise SourceLost(f"{target.host} redirects to what is no address: {error}") from error


def _refuse_status(status: int, headers: httpx2.Headers, target: Target) -> None:
    if status == 204 or not 200 <= status < 300:
        raise SourceLost(
            f"{target.host} answered {status} {_phrase(status)}".rstrip(),
            retryable=status in _AGAIN,
            retry_after=retry_after(headers, datetime.now(UTC)),
        )


def _phrase(status: int) -> str:
    """What the number means: not in the server's own words, which would stand in the report."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count:,} bytes"
