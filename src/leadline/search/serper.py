"""Serper: Google's results, with a key."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.question.language import by_script
from leadline.search.parsing import hits_from, objects_at
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class Serper:
    name: ClassVar[str] = "serper"
    serper_api_key: str

    def request(self, query: str, k: int) -> Request:
        spoken = by_script(query) or "en"
        return Request(
            "https://google.serper.dev/search",
            headers={"X-API-KEY": self.serper_api_key},
            json={"q": query, "num": k, "hl": "zh-cn" if spoken == "zh" else spoken},
        )

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return hits_from(
            (r.get("link"), r.get("title"), r.get("snippet"), r.get("date"))
            for r in objects_at(body, "organic", or_none_if="searchParameters")
        )
