"""The search tool of any MCP server: a command to start or an address to call."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.mcp_call import call_search_tool
from leadline.search.parsing import hits_from, rows_in, rows_in_text
from leadline.types import Hit, Query


@dataclass(frozen=True)
class McpTool:
    name: ClassVar[str] = "mcp"
    package: ClassVar[str] = "mcp"
    mcp_server: str
    mcp_tool: str = ""

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        reply = await call_search_tool(self.mcp_server, self.mcp_tool, query.text, k)
        return self.read(*reply)[:k]

    def read(self, structured: object, texts: tuple[str, ...]) -> tuple[Hit, ...]:
        return hits_from(
            rows_in(structured) or [row for text in texts for row in rows_in_text(text)]
        )
