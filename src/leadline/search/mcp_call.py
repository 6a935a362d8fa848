"""One call of a tool of an MCP server: start or reach it, find its search tool, ask, leave.

Every search opens a session of its own, so nothing outlives a run that is killed.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from leadline.errors import SourceLost, with_extra

if TYPE_CHECKING:
    from mcp import Client, Tool

TIMEOUT_S = 20.0
_MOST_PAGES = 20
_QUERY = ("query", "q", "searchquery", "search", "text", "question", "keywords", "term", "input")
_COUNT = ("k", "limit", "count", "maxresults", "numresults", "topk", "n", "size", "num")


Reply = tuple[object, tuple[str, ...]]
"""What a tool said: as data where it has a schema, and as text."""


async def call_search_tool(server: str, tool: str, query: str, k: int) -> Reply:
    """What the search tool of `server` says to `query`."""
    try:
        from mcp import MCPError
    except ImportError as error:
        raise SourceLost(f"mcp: not installed; {with_extra('mcp')}") from error
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _converse(server, tool, query, k)
    except TimeoutError as error:
        raise SourceLost(f"mcp: no answer within {TIMEOUT_S:g} s", retryable=True) from error
    except (MCPError, ExceptionGroup, OSError) as error:
        raise _lost(error) from error


async def _converse(server: str, tool: str, query: str, k: int) -> Reply:
    with open(os.devnull, "w") as silence:  # noqa: PTH123, ASYNC230 - its log is not ours to show
        async with _client(server, silence) as client:
            chosen = _choose(await _tools(client), tool)
            result = await client.call_tool(chosen.name, _arguments(chosen, query, k))
    texts = tuple(part.text for part in result.content if part.type == "text")
    if result.is_error:
        raise SourceLost(f"mcp: {chosen.name} failed: {' '.join(texts):.200}", retryable=True)
    return result.structured_content, texts


async def _tools(client: Client) -> list[Tool]:
    """Every tool of the server, which may tell them on several pages."""
    page = await client.list_tools()
    tools = list(page.tools)
    for _ in range(_MOST_PAGES):
        if not page.next_cursor:
            break
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    return tools


def _client(server: str, silence: Any) -> Client:
    from mcp import Client, StdioServerParameters, stdio_client

    if server.startswith(("http://", "https://")):
        return Client(server, read_timeout_seconds=TIMEOUT_S)
    command, *arguments = shlex.split(server)
    launch = StdioServerParameters(command=command, args=arguments)
    return Client(stdio_client(launch, errlog=silence), read_timeout_seconds=TIMEOUT_S)


def _choose(tools: list[Tool], wanted: str) -> Tool:
    """The tool named `wanted`, or the first that is called a search and takes a query."""
    for tool in tools:
        if tool.name == wanted or (not wanted and "search" in tool.name.lower()):
            return tool
    there = ", ".join(tool.name for tool in tools) or "none"
    raise SourceLost(f"mcp: no {wanted or 'search'} tool; the server has: {there}")


def _arguments(tool: Tool, query: str, k: int) -> dict[str, object]:
    schema = tool.input_schema
    names = list(schema.get("properties", {}))
    ask = _argument(names, _QUERY) or next(iter(schema.get("required", names)), "")
    if not ask:
        raise SourceLost(f"mcp: the tool {tool.name} takes no query")
    count = _argument(names, _COUNT)
    return {ask: query} | ({count: k} if count else {})


def _argument(names: Iterable[str], wanted: Iterable[str]) -> str:
    """The first of the `wanted` argument names that a tool takes, or ""."""
    taken = {name.lower().replace("_", ""): name for name in names}
    return next((taken[want] for want in wanted if want in taken), "")


def _lost(error: BaseException) -> SourceLost:
    while isinstance(error, BaseExceptionGroup):  # as the client's task group raises them
        error = error.exceptions[0]
    if isinstance(error, SourceLost):
        return error
    said = str(error) or type(error).__name__
    return SourceLost(f"mcp: {said:.200}", retryable=not isinstance(error, FileNotFoundError))
