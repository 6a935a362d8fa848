"""The searchers that are not one request over HTTP: the ddgs library and MCP servers."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
import threading
from pathlib import Path

import pytest

from leadline.errors import SourceLost
from leadline.search.ddgs import Ddgs
from leadline.search.mcp import McpTool
from leadline.search.parsing import rows_in, rows_in_text
from leadline.types import Hit, Query

SERVER = '''
import sys
from mcp.server import MCPServer

server = MCPServer("library")

@server.tool()
def add(a: int, b: int) -> int:
    """Add."""
    return a + b

@server.tool()
def search_library(query: str, max_results: int = 5) -> list[dict[str, str]]:
    """Search the library."""
    print("a line of log", file=sys.stderr)
    if query == "fire":
        raise RuntimeError("the library is on fire")
    return [
        {"title": f"{query} {n}", "url": f"https://library.example/{n}", "snippet": "Text."}
        for n in range(max_results)
    ]

@server.tool()
def grep(pattern: str) -> str:
    """Search as text."""
    return f"1. Title: {pattern}\\nURL: https://library.example/a\\nDescription: First.\\n\\n" \\
        "2. Title: Other\\nURL: https://library.example/b\\nDescription: Second."

server.run()
'''

PAGED = """
import asyncio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

NAMES = ["add", "subtract", "search_library"]

async def tools(context, params):
    at = int(params.cursor) if params and params.cursor else 0
    one = Tool(name=NAMES[at], input_schema={"type": "object", "properties": {"query": {}}})
    after = str(at + 1) if at + 1 < len(NAMES) else None
    return ListToolsResult(tools=[one], next_cursor=after)

async def call(context, params):
    text = "1. Title: " + params.arguments["query"] + "\\nURL: https://library.example/a"
    return CallToolResult(content=[TextContent(type="text", text=text)])

async def main():
    server = Server("paged", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""


def lost(server: str, tool: str = "", query: str = "x") -> SourceLost:
    with pytest.raises(SourceLost) as caught:
        asyncio.run(McpTool(server, tool).search(Query(query), 3))
    return caught.value


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("mcp") / "server.py"
    path.write_text(SERVER)
    return shlex.join([sys.executable, str(path)])


@pytest.mark.slow
@pytest.mark.contract("S1")
def test_the_search_tool_of_an_mcp_server_is_found_and_asked(
    server: str, capfd: pytest.CaptureFixture[str]
) -> None:
    hits = asyncio.run(McpTool(server).search(Query("tides"), 2))
    assert hits == (
        Hit("https://library.example/0", "tides 0", "Text."),
        Hit("https://library.example/1", "tides 1", "Text."),
    )
    assert "a line of log" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.contract("S1")
def test_a_tool_of_another_name_that_answers_in_prose_can_be_chosen(server: str) -> None:
    hits = asyncio.run(McpTool(server, "grep").search(Query("tides"), 5))
    assert hits == (
        Hit("https://library.example/a", "tides", "First."),
        Hit("https://library.example/b", "Other", "Second."),
    )


@pytest.mark.slow
@pytest.mark.contract("S1")
def test_a_search_tool_on_a_later_page_of_tools_is_found(tmp_path: Path) -> None:
    path = tmp_path / "paged.py"
    path.write_text(PAGED)
    server = shlex.join([sys.executable, str(path)])
    (hit,) = asyncio.run(McpTool(server).search(Query("tides"), 2))
    assert (hit.url, hit.title) == ("https://library.example/a", "tides")


@pytest.mark.slow
def test_what_an_mcp_server_cannot_do_is_a_lost_source(server: str) -> None:
    assert "search_library failed" in str(lost(server, query="fire"))
    assert "the server has: add, search_library, grep" in str(lost(server, "look_up"))


@pytest.mark.contract("S6")
def test_an_mcp_server_that_is_not_there_is_a_lost_source() -> None:
    missing = lost("/no/such/command --stdio")
    assert "No such file" in str(missing)
    assert not missing.retryable
    gone = lost(shlex.join([sys.executable, "-c", "raise SystemExit(3)"]))
    assert gone.retryable
    assert lost("http://127.0.0.1:1/mcp").retryable


@pytest.mark.contract("S6")
def test_ddgs_that_reaches_no_engine_is_worth_another_try(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async def search() -> SourceLost:
        proxy = await asyncio.start_server(refuse, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("DDGS_PROXY", f"http://127.0.0.1:{port}")
        with pytest.raises(SourceLost) as caught:
            await Ddgs().search(Query("tides"), 3)
        proxy.close()
        return caught.value

    asked: list[bytes] = []
    assert asyncio.run(search()).retryable
    assert asked


@pytest.mark.contract("S2", "S6")
def test_ddgs_whose_engines_all_turned_away_has_no_answer_to_keep() -> None:
    refused = Ddgs().lost("No results found.")
    assert "turned this machine away" in str(refused)
    assert not refused.retryable
    busy = Ddgs().lost("https://duckduckgo.com 202 Ratelimit")
    assert "202 Ratelimit" in str(busy)
    assert busy.retryable


ENGINE = "error sending request for url (https://html.engine.example/html/)"
UNKNOWN = 'error resolving DNS > DNS error: no records found for Query { name: Name("'


@pytest.mark.contract("S1", "S6")
@pytest.mark.parametrize(
    ("proxy", "why", "said"),
    [
        (
            "",
            f'{UNKNOWN}html.engine.example."), query_type: A }}',
            "ddgs: no engine is reached; connect",
        ),
        ("", "Connection refused (os error 111)", "ddgs: no engine is reached; connect"),
        ("", "received corrupt message", "ddgs: received corrupt message"),
        (
            "http://ann:pa55@proxy.example:3128",
            "Connection refused (os error 111)",
            "ddgs: the proxy at http://proxy.example:3128 cannot be reached; start it",
        ),
        (
            "http://proxy.example:3128",
            f'{UNKNOWN}proxy.example."), query_type: A }}',
            "ddgs: the proxy at http://proxy.example:3128 cannot be reached",
        ),
    ],
)
def test_what_ddgs_could_not_reach_is_told_in_words_for_its_user(
    monkeypatch: pytest.MonkeyPatch, proxy: str, why: str, said: str
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "DDGS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    if proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
    lost = Ddgs().lost(f"RequestError: RequestError('{ENGINE} > {why}')")
    assert str(lost).startswith(said), lost
    assert not re.search(r"Error\(| > |pa55", str(lost))
    assert lost.retryable


@pytest.mark.contract("R7")
def test_a_search_in_a_thread_that_hangs_does_not_hold_up_the_end() -> None:
    free = threading.Event()

    class Hanging(Ddgs):
        def _ask(self, query: str, k: int) -> tuple[Hit, ...]:
            free.wait()
            return ()

    async def impatient() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(Hanging().search(Query("tides"), 3), 0.05)

    asyncio.run(impatient())  # returns although the thread still waits
    assert not free.is_set()
    free.set()


def test_results_are_found_inside_any_json() -> None:
    row = ("https://e.org", "T", "S", None)
    item = {"name": "T", "link": "https://e.org", "description": "S"}
    assert rows_in({"data": {"items": [item, {"no": "address"}]}}) == [row]
    assert rows_in_text('{"result": "[{\\"title\\": \\"T\\", \\"url\\": \\"https://e.org\\"}]"}')
    assert rows_in(3) == []
    assert rows_in_text("no address here") == []


def test_a_listing_like_our_own_is_read_too() -> None:
    text = "**One**\nhttps://e.org/1\n\nFirst.\n\n---\n\n**Two**\nhttps://e.org/2\n\nSecond."
    assert rows_in_text(text) == [
        ("https://e.org/1", "One", "First.", None),
        ("https://e.org/2", "Two", "Second.", None),
    ]
