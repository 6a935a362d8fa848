"""An MCP server over both transports, a small web on loopback, and the library's own client."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, TextResourceContents

from leadline.mcpserver.desk import Desk, open_desk
from leadline.mcpserver.serving import HttpServer
from leadline.settings import Settings

SENTENCE = "The head of finance approves every refund above 500 euros."
QUESTION = "Who approves refunds above 500 euros?"
PAGE = f"<html><title>Refund rules</title><body><main><p>{SENTENCE}</p></main></body></html>"


@dataclass
class SmallWeb:
    """A SearXNG and one page on loopback; searches wait while it is held."""

    url: str = ""
    queries: list[str] = field(default_factory=list)
    searched: asyncio.Event = field(default_factory=asyncio.Event)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def page(self) -> str:
        return f"{self.url}/refunds"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            target = urlsplit(head.split(b" ", 2)[1].decode())
            status, kind, body = "200 OK", "text/html", PAGE
            if target.path == "/search":
                self.queries.append(parse_qs(target.query)["q"][0])
                self.searched.set()
                await self.open.wait()
                hit = {"url": self.page, "title": "Refund rules", "content": SENTENCE}
                kind, body = "application/json", json.dumps({"results": [hit]})
            elif target.path != "/refunds":
                status, body = "404 Not Found", ""
            data = body.encode()
            told = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\n"
            writer.write(f"{told}connection: close\r\n\r\n".encode() + data)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            return  # who asked has gone
        finally:
            writer.close()

    def settings(self) -> dict[str, Any]:
        return {
            "web": "true",
            "search_providers": "searxng",
            "searxng_url": self.url,
            "fetch_allow_hosts": "127.0.0.1",
            "search_timeout_s": "120",  # a search that is held is waited for
        }


@asynccontextmanager
async def small_web(held: bool = False) -> AsyncIterator[SmallWeb]:
    web = SmallWeb()
    server = await asyncio.start_server(web.answer, "127.0.0.1", 0)
    web.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    if not held:
        web.open.set()
    try:
        yield web
    finally:
        web.open.set()
        server.close()


def write_handbook(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "refunds.md").write_text(
        f"# Refunds\n\n{SENTENCE}\n\nA refund is paid within fourteen days of its approval.\n"
    )
    (folder / "holidays.md").write_text(
        "# Holidays\n\nEvery employee has thirty days of paid holiday a year.\n"
    )
    return folder


def stdio_parameters(folder: Path, *args: str, **settings: str) -> StdioServerParameters:
    """How the real program is started in a process of its own."""
    kept = {name: one for name, one in os.environ.items() if not name.startswith("RESEARCH_")}
    named = {f"RESEARCH_{name.upper()}": one for name, one in settings.items()}
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "leadline", "mcp", "--data-dir", str(folder / "data"), *args],
        env={**kept, "RESEARCH_NO_MODEL": "1", **named},
        cwd=folder,
    )


@asynccontextmanager
async def over_stdio(folder: Path, *args: str, **settings: str) -> AsyncIterator[Client]:
    """A client of the real program."""
    given = stdio_parameters(folder, *args, **settings)
    with (folder / "stderr.txt").open("w") as errlog:
        async with Client(stdio_client(given, errlog)) as client:
            yield client


@dataclass
class Served:
    """A server on a port of loopback, in this process."""

    desk: Desk
    url: str
    server: HttpServer
    stack: AsyncExitStack

    async def client(self, key: str = "", mode: str = "auto") -> Client:
        """A client that stays until the server goes."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        http = await self.stack.enter_async_context(
            httpx2.AsyncClient(headers=headers, timeout=120)
        )
        client = Client(streamable_http_client(self.url, http_client=http), mode=mode)
        return await self.stack.enter_async_context(client)


@asynccontextmanager
async def over_http(
    folder: Path, *, beat_s: float = 10.0, **settings: Any
) -> AsyncIterator[Served]:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    known = {"no_model": True, "serve_grace_s": 1.0, **settings}
    for name in ("search_providers", "fetch_allow_hosts"):
        if name in known:
            known[name] = (known[name],)
    where: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with open_desk(Settings(data_dir=folder / "data", **known), beat_s) as desk:
        server = HttpServer(desk, "127.0.0.1", where.set_result)
        serving = asyncio.create_task(server.serve([socket.create_server(("127.0.0.1", 0))]))
        try:
            async with AsyncExitStack() as stack:
                yield Served(desk, await where, server, stack)
        finally:
            server.should_exit = True
            await serving


def text(result: CallToolResult) -> str:
    first = result.content[0]
    assert isinstance(first, TextContent)
    return first.text


def data(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text(result)
    found = result.structured_content
    assert isinstance(found, dict)
    return found


async def read(client: Client, uri: str) -> str:
    (one,) = (await client.read_resource(uri)).contents
    assert isinstance(one, TextResourceContents)
    return one.text


async def runs(client: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(await read(client, "leadline://runs"))
    return found
