"""What the tests of fetching share: an article, a fetcher for a hostile server, what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import httpcore2

from hostile import Hostile
from leadline.errors import SourceLost
from leadline.read.webpage import read_web
from leadline.types import Hit, Page
from leadline.web.addresses import Guard
from leadline.web.fetch import WebPages
from leadline.web.http import FetchLimits

ARTICLE = (
    "<!doctype html><html><head><title>On soundings</title></head><body><nav><a href='/'>Home</a>"
    "</nav><article><h1>On soundings</h1>"
    + "".join(
        f"<p>Sentence number {n} tells of the leadline, which measures how deep the sea is.</p>"
        for n in range(20)
    )
    + "</article></body></html>"
)
SMALL = FetchLimits(
    page_bytes=5_000_000, file_bytes=5_000_000, free_bytes=200_000, silence_s=2.0, total_s=4.0
)


class InLoop:
    """Reads without a worker process, for tests of something else."""

    async def read(self, data: bytes, url: str, content_type: str) -> Page:
        return read_web(data, url, content_type)

    async def aclose(self) -> None:
        """Nothing to end."""


def hit(url: str) -> Hit:
    return Hit(url, "a title", "a snippet")


@asynccontextmanager
async def fetching(server: Hostile, **given: Any) -> AsyncIterator[WebPages]:
    """A fetcher that may reach the server and nothing else that is private."""
    options: dict[str, Any] = {"limits": SMALL, "readers": InLoop(), "attempts": 1}
    options |= {"guard": Guard([f"127.0.0.1:{server.port}"])} | given
    async with aclosing(WebPages(**options)) as web:
        yield web


async def outcome(web: WebPages, url: str) -> Page | SourceLost:
    """The page, or why there is none."""
    try:
        return await web.fetch(hit(url))
    except SourceLost as lost:
        return lost


class Reroute(httpcore2.AnyIOBackend):
    """A network in which every address leads to one port of this machine; it notes which."""

    def __init__(self, port: int, *down: str) -> None:
        self._port, self.down = port, down
        self.connected: list[tuple[str, int]] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as httpcore has it
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connected.append((host, port))
        if host in self.down:
            raise httpcore2.ConnectError("no route")
        return await super().connect_tcp("127.0.0.1", self._port, timeout)


class Names:
    """A resolver that gives its answers one after another, the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
