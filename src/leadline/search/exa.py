"""Exa: search by meaning, with a key; it sends the start of each page along."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.parsing import hits_from, objects_at
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class Exa:
    name: ClassVar[str] = "exa"
    exa_api_key: str

    def request(self, query: str, k: int) -> Request:
        contents = {"text": {"maxCharacters": 1500}}
        return Request(
            "https://api.exa.ai/search",
            headers={"x-api-key": self.exa_api_key},
            json={"query": query, "numResults": min(k, 25), "type": "auto", "contents": contents},
        )

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return hits_from(
            (r.get("url"), r.get("title"), r.get("text"), r.get("publishedDate"))
            for r in objects_at(body, "results")
        )
