"""Wikipedia: articles with their introductions, with no key; a script that tells goes first."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.question.language import by_script
from leadline.search.parsing import hits_from, objects_at
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class Wikipedia:
    name: ClassVar[str] = "wikipedia"
    wikipedia_language: str = "en"

    def request(self, query: str, k: int) -> Request:
        search = {"generator": "search", "gsrsearch": query[:300], "gsrlimit": str(min(k, 20))}
        what = {"prop": "extracts|info", "inprop": "url", "exintro": "1", "explaintext": "1"}
        shape = {"action": "query", "format": "json", "formatversion": "2", "exlimit": "20"}
        spoken = by_script(query) or self.wikipedia_language
        host = f"https://{spoken}.wikipedia.org"
        return Request(f"{host}/w/api.php", shape | search | what)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        pages = objects_at(body, "query", "pages", or_none_if="batchcomplete")
        return hits_from(
            (p.get("fullurl"), p.get("title"), p.get("extract"), None)
            for p in sorted(pages, key=lambda p: p.get("index", 0))
        )
