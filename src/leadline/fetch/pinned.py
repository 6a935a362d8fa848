"""Connects to the address that was checked, under the name that was asked for.

The guard resolves and checks inside `connect_tcp`, and the connection is made to what it returned:
there is no second look-up whose answer could differ. `Host` header, SNI and certificate keep the
name, since only the TCP connection is given the address.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable

import httpcore2
import httpx2

from leadline.fetch.guard import Guard

MAX_ADDRESSES = 4
MAX_CONNECTIONS = 64
KEEPALIVE_S = 20.0


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """A network backend that connects to checked addresses and to nothing else."""

    def __init__(self, guard: Guard, inner: httpcore2.AsyncNetworkBackend | None = None) -> None:
        self._guard = guard
        self._inner = inner or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        clock = asyncio.get_running_loop().time
        ends = None if timeout is None else clock() + timeout
        addresses = await self._look_up(host, port, timeout)
        for left in range(len(addresses), 0, -1):
            share = None if ends is None else max(0.0, ends - clock()) / left
            try:
                return await self._inner.connect_tcp(
                    addresses[-left], port, share, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if left == 1:
                    raise
        raise httpcore2.ConnectError(f"no address of {host}")

    async def _look_up(self, host: str, port: int, limit: float | None) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(limit):
                return (await self._guard.addresses(host, port))[:MAX_ADDRESSES]
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(f"looking up {host} took too long") from error

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class PinnedTransport(httpx2.AsyncBaseTransport):
    """An httpx transport whose every connection passes the guard."""

    def __init__(
        self,
        guard: Guard,
        ssl_context: ssl.SSLContext | None = None,
        network: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context,
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_CONNECTIONS,
            keepalive_expiry=KEEPALIVE_S,
            http1=True,
            network_backend=PinnedBackend(guard, network),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        wire = httpcore2.Request(
            method=request.method,
            url=url,
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        answer = await self._pool.handle_async_request(wire)
        assert isinstance(answer.stream, AsyncIterable)
        return httpx2.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Body(httpx2.AsyncByteStream):
    def __init__(self, stream: AsyncIterable[bytes]) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()
