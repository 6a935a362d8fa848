"""Semantic Scholar: papers of all fields with abstracts; a key only raises the limits."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.parsing import hits_from, objects_at
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class SemanticScholar:
    name: ClassVar[str] = "semantic_scholar"
    semantic_scholar_api_key: str = ""

    def request(self, query: str, k: int) -> Request:
        fields = "title,abstract,url,publicationDate,year,tldr"
        params = {"query": query.replace("-", " "), "limit": str(min(k, 100)), "fields": fields}
        headers = {"x-api-key": key} if (key := self.semantic_scholar_api_key) else {}
        return Request("https://api.semanticscholar.org/graph/v1/paper/search", params, headers)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return hits_from(
            (
                p.get("url"),
                p.get("title"),
                p.get("abstract") or (p.get("tldr") or {}).get("text"),
                p.get("publicationDate") or p.get("year"),
            )
            for p in objects_at(body, "data", or_none_if="total")
        )
