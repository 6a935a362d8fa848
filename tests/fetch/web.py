"""What the tests of fetching share: an article, a fetcher for a hostile server, what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ssl import SSLContext
from typing import Any

from hostile import Hostile
from leadline.errors import SourceLost
from leadline.fetch.client import WebFetcher
from leadline.fetch.download import Bounds
from leadline.fetch.guard import Guard
from leadline.net.dialling import Streams, connect
from leadline.read.webpage import read_web
from leadline.types import Hit, Page

ARTICLE = (
    "<!doctype html><html><head><title>On soundings</title></head><body><nav><a href='/'>Home</a>"
    "</nav><article><h1>On soundings</h1>"
    + "".join(
        f"<p>Sentence number {n} tells of the leadline, which measures how deep the sea is.</p>"
        for n in range(20)
    )
    + "</article></body></html>"
)
SMALL = Bounds(
    page_bytes=5_000_000, file_bytes=5_000_000, free_bytes=200_000, first_byte_s=2.0, total_s=4.0
)


class InLoop:
    """Reads without a worker process, for tests of something else."""

    def warm(self) -> None:
        """Nothing to start."""

    async def read(self, data: bytes, url: str, content_type: str) -> Page:
        return read_web(data, url, content_type)

    async def aclose(self) -> None:
        """Nothing to end."""


def hit(url: str) -> Hit:
    return Hit(url, "a title", "a snippet")


@asynccontextmanager
async def fetching(server: Hostile, **given: Any) -> AsyncIterator[WebFetcher]:
    """A fetcher that may reach the server and nothing else that is private."""
    options: dict[str, Any] = {"bounds": SMALL, "readers": InLoop()}
    options |= {"guard": Guard([f"127.0.0.1:{server.port}"])} | given
    async with WebFetcher(**options) as web:
        yield web


async def outcome(web: WebFetcher, url: str) -> Page | SourceLost:
    """The page, or why there is none."""
    try:
        return await web.fetch(hit(url))
    except SourceLost as lost:
        return lost


class Reroute:
    """A network in which every address leads to one port of this machine; it notes which."""

    def __init__(self, port: int, *down: str) -> None:
        self._port, self.down = port, down
        self.connected: list[tuple[str, int]] = []

    async def __call__(
        self, host: str, port: int, context: SSLContext | None, name: str
    ) -> Streams:
        self.connected.append((host, port))
        if host in self.down:
            raise OSError("no route")
        return await connect("127.0.0.1", self._port, context, name)


class Names:
    """A resolver that gives its answers one after another, the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
