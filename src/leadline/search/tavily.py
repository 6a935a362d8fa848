"""Tavily: search made for agents, with a key."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.parsing import hits_from, objects_at
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class Tavily:
    name: ClassVar[str] = "tavily"
    tavily_api_key: str

    def request(self, query: str, k: int) -> Request:
        return Request(
            "https://api.tavily.com/search",
            headers={"Authorization": f"Bearer {self.tavily_api_key}"},
            json={"query": query[:400], "max_results": min(k, 20), "search_depth": "basic"},
        )

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return hits_from(
            (r.get("url"), r.get("title"), r.get("content"), r.get("published_date"))
            for r in objects_at(body, "results")
        )
