"""Answers that were prepared, for whatever asks over `net.client.Sends`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from leadline.net.asking import Ask
from leadline.net.client import Response


class FakeServer:
    """`Sends` that gives its bodies one after another, the last for ever; `asked` is what came."""

    def __init__(self, bodies: Sequence[bytes] = (b"{}",)) -> None:
        self._bodies = list(bodies)
        self.asked: list[Ask] = []

    @asynccontextmanager
    async def stream(self, ask: Ask) -> AsyncGenerator[Response, None]:
        self.asked.append(ask)
        yield _Given(self._bodies.pop(0) if len(self._bodies) > 1 else self._bodies[0])


class _Given:
    status, reason = 200, "OK"

    def __init__(self, body: bytes) -> None:
        self._body, self.received = body, len(body)
        self.headers: dict[str, str] = {}

    async def parts(self) -> AsyncIterator[bytes]:
        yield self._body
