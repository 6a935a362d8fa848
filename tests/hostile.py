"""A web server on loopback that misbehaves on purpose; the paths say how.

It speaks raw sockets, since a well-made server refuses to do what this one is for. Handlers that
wait do so on the `gate`, which opens when the server stops, so no test sleeps.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asked for."""

    path: str
    headers: dict[str, str]


Act = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


def answer(
    body: bytes | str = b"",
    kind: str = "text/html; charset=utf-8",
    status: str = "200 OK",
    **headers: str,
) -> Act:
    """A plain answer; a header `content_length` is sent as given, true or not."""
    data = body.encode() if isinstance(body, str) else body
    told = {"content-type": kind, "content-length": str(len(data))}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}

    async def act(_: Request, out: asyncio.StreamWriter) -> None:
        out.write(head(status, told))
        out.write(data)

    return act


def head(status: str, headers: dict[str, str]) -> bytes:
    """The start of an answer."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "connection: close", "", ""]).encode("latin-1")


def redirect(to: str, status: str = "302 Found") -> Act:
    return answer(status=status, location=to)


def bomb(megabytes: int) -> bytes:
    """Zeros, packed a thousand times smaller."""
    return gzip.compress(bytes(megabytes * 1_000_000), 9)


@dataclass
class Hostile:
    """`routes` maps a path to what is done; anything else is a 404. `asked` is what came in."""

    routes: dict[str, Act] = field(default_factory=dict)
    context: ssl.SSLContext | None = None
    asked: list[Request] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    async def __aenter__(self) -> Self:
        self._busy: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self.context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.gate.set()
        self._server.close()
        if self._busy:
            await asyncio.wait(self._busy, timeout=10)
        await self._server.wait_closed()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        scheme = "https" if self.context else "http"
        return f"{scheme}://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [request.path for request in self.asked]

    async def _accept(self, source: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                await self._serve(source, out)
        finally:
            self._busy.discard(task)
            out.close()
            with suppress(ConnectionError, ssl.SSLError, TimeoutError):
                await out.wait_closed()

    async def _serve(self, source: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        raw = await source.readuntil(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines if line)
        request = Request(
            first.split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs}
        )
        self.asked.append(request)
        act = self.routes.get(request.path, answer(b"nothing here", status="404 Not Found"))
        await act(request, out)
        await out.drain()

    # ── what takes time ─────────────────────────────────────────────────────────────────────

    async def silence(self, _: Request, out: asyncio.StreamWriter) -> None:
        """Accepts and never says a word."""
        await self.gate.wait()

    async def drip(self, _: Request, out: asyncio.StreamWriter) -> None:
        """A letter at a time, without end and never with a pause long enough to be one."""
        out.write(head("200 OK", {"content-type": "text/html"}))
        while not self.gate.is_set():
            out.write(b"a")
            await out.drain()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.gate.wait(), 0.02)

    async def endless(self, _: Request, out: asyncio.StreamWriter) -> None:
        """As much as the client takes."""
        out.write(head("200 OK", {"content-type": "text/html"}))
        while not self.gate.is_set():
            out.write(b"<p>more and more</p>" * 3000)
            await out.drain()

    def large(self, megabytes: int, kind: str, told: bool) -> Act:
        """A file of that size, whose length is told or not."""

        async def act(_: Request, out: asyncio.StreamWriter) -> None:
            length = {"content-length": str(megabytes * 1_000_000)} if told else {}
            out.write(head("200 OK", {"content-type": kind, **length}))
            out.write(b"%PDF-1.7\n")
            for _megabyte in range(megabytes):
                out.write(bytes(1_000_000))
                await out.drain()

        return act
