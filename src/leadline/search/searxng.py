"""SearXNG: a metasearch engine of one's own, over its JSON API."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.errors import SourceLost
from leadline.question.language import by_script
from leadline.search.parsing import hits_from, json_object, objects_at
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class SearXNG:
    name: ClassVar[str] = "searxng"
    advice: ClassVar[str] = "its settings.yml must list json under search.formats"
    searxng_url: str

    def request(self, query: str, k: int) -> Request:
        spoken = by_script(query)  # else as the instance is set
        params = {"q": query, "format": "json"} | ({"language": spoken} if spoken else {})
        return Request(f"{self.searxng_url.rstrip('/')}/search", params)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        results = objects_at(body, "results")
        silent = json_object(body).get("unresponsive_engines")
        if silent and not results:  # its engines were refused: not the same as finding nothing
            raise SourceLost(f"no engine of it answered: {silent!r:.200}", retryable=True)
        return hits_from(
            (r.get("url"), r.get("title"), r.get("content"), r.get("publishedDate"))
            for r in results
        )
