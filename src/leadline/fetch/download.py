"""One web address to its bytes: guarded, within limits, redirects followed one by one.

Each way it can fail is a `SourceLost` that says why and whether trying again may help.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import quote, urljoin

from leadline.errors import SourceLost
from leadline.fetch.cookies import Cookies
from leadline.fetch.guard import Guard, Target
from leadline.fetch.pinned import pinned
from leadline.net.asking import Ask, BrokenOff, NetError, NotConnected, SlowToConnect, TooSlow
from leadline.net.client import Client, Response
from leadline.net.dialling import Connect, connect
from leadline.net.retry import retry_after
from leadline.net.tls import trusted
from leadline.read.file_type import declared_kind

ACCEPT = (
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/markdown;q=0.9,"
    "text/plain;q=0.8,*/*;q=0.5"
)
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
_ASCII = bytes(range(128))


@dataclass(frozen=True)
class Bounds:
    """What one fetch may cost."""

    page_bytes: int = 10_000_000  # HTML and text, after decompression
    file_bytes: int = 30_000_000  # PDF, office and EPUB
    ratio: int = 100  # how much larger than what came over the wire a body may become
    free_bytes: int = 1_000_000  # below this the ratio does not matter
    connect_s: float = 5.0
    first_byte_s: float = 10.0  # also between two pieces of the body
    total_s: float = 30.0
    redirects: int = 5


@dataclass(frozen=True)
class Answer:
    """What a server sent; `url` is where it was at last found."""

    url: str
    status: int
    content_type: str
    data: bytes


class Downloader:
    """Fetches bytes over checked connections. `ssl_context` and `network` are for tests."""

    def __init__(
        self,
        guard: Guard,
        bounds: Bounds,
        user_agent: str,
        ssl_context: ssl.SSLContext | None = None,
        network: Connect = connect,
    ) -> None:
        self._guard, self._bounds, self._cookies = guard, bounds, Cookies()
        self._client = Client(
            pinned(guard, ssl_context or trusted(), bounds.connect_s, network),
            headers={"User-Agent": user_agent, "Accept": ACCEPT},
            connect_s=bounds.connect_s,
            silence_s=bounds.first_byte_s,
        )

    async def get(self, target: Target, limit: int | None = None) -> Answer | Target:
        """One request: the answer, or the next target of a redirect.

        With a `limit` that much of whatever comes is taken, and the rest let go; without it the
        size goes by the type, what is larger is refused, and so is a type that holds no text.
        """
        ask = Ask("GET", target.url, self._cookies.sent(target))
        async with self._errors(target), self._client.stream(ask) as response:
            self._cookies.take(target, response.headers.get("set-cookie", ""))
            if response.status in _REDIRECTS and "location" in response.headers:
                return self._guard.target(_joined(target, response.headers["location"]))
            kind = response.headers.get("content-type", "")
            if limit is not None:
                return Answer(target.url, response.status, kind, await _start(response, limit))
            _refuse_status(response, target)
            data = await self._body(response, self._room(declared_kind(kind, target.url)))
            return Answer(target.url, response.status, kind, data)

    def _room(self, kind: str | None) -> int:
        small = kind in ("html", "text")
        return self._bounds.page_bytes if small else self._bounds.file_bytes

    async def _body(self, response: Response, most: int) -> bytes:
        said = response.headers.get("content-length", "")
        if said.isdigit() and int(said) > most:
            raise SourceLost(f"{_size(int(said))} is more than the {_size(most)} that are read")
        parts: list[bytes] = []
        size = 0
        async for part in response.parts():
            size += len(part)
            if size > most:
                raise SourceLost(f"it is larger than the {_size(most)} that are read")
            came = response.received
            if size > self._bounds.free_bytes and size > self._bounds.ratio * came:
                raise SourceLost(f"a decompression bomb: {_size(came)} became {_size(size)}")
            parts.append(part)
            await asyncio.sleep(0)  # unpacking a large piece takes a while; let others go on
        return b"".join(parts)

    @asynccontextmanager
    async def _errors(self, target: Target) -> AsyncIterator[None]:
        """What can go wrong on the wire, as a lost source."""
        try:
            yield
        except SlowToConnect as error:
            raise SourceLost(
                f"{target.host} did not accept a connection", retryable=True
            ) from error
        except TooSlow as error:
            raise SourceLost(
                f"{target.host} sent nothing for {self._bounds.first_byte_s:g} s", retryable=True
            ) from error
        except NotConnected as error:
            if isinstance(error.__cause__, ssl.SSLError):
                raise SourceLost(f"no safe connection to {target.host}: {error}") from error
            raise SourceLost(f"{target.host} cannot be reached: {error}", retryable=True) from error
        except BrokenOff as error:
            raise SourceLost(f"{target.host} broke off: {error}", retryable=True) from error
        except NetError as error:
            raise SourceLost(f"{target.host} sent what cannot be read: {error}") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _joined(target: Target, location: str) -> str:
    try:
        return urljoin(target.url, _address(location))
    except ValueError as error:  # half an IPv6 address
        raise SourceLost(f"{target.host} redirects to what is no address: {error}") from error


async def _start(response: Response, most: int) -> bytes:
    """The first `most` bytes of a body."""
    data = bytearray()
    async for part in response.parts():
        data += part
        if len(data) >= most:
            break
        await asyncio.sleep(0)
    return bytes(data[:most])


def _address(location: str) -> str:
    """A `Location` as it is meant: a header is bytes, and beyond ASCII they are UTF-8, or a path
    in a charset that only the server knows, which it is to have back byte by byte."""
    raw = location.encode("latin-1")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return quote(raw, safe=_ASCII)


def _refuse_status(response: Response, target: Target) -> None:
    status = response.status
    if status == 204 or not 200 <= status < 300:
        raise SourceLost(
            f"{target.host} answered {status} {_phrase(status)}".rstrip(),
            retryable=status in _AGAIN,
            retry_after=retry_after(response.headers, datetime.now(UTC)),
        )


def _phrase(status: int) -> str:
    """What the number means: not in the server's own words, which would stand in the report."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count:,} bytes"
