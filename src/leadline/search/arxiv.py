"""arXiv: preprints with their abstracts, as an Atom feed, with no key."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.errors import SourceLost
from leadline.search.parsing import hits_from, row_at, text_at, xml_root
from leadline.search.provider import Request
from leadline.text.words import STOPWORDS, words
from leadline.types import Hit


@dataclass(frozen=True)
class Arxiv:
    name: ClassVar[str] = "arxiv"

    def request(self, query: str, k: int) -> Request:
        # Its query language has operators of its own: only words may pass.
        wanted = [word for word in words(query) if word not in STOPWORDS][:20] or ["*"]
        terms = " OR ".join(f"all:{word}" for word in wanted)
        params = {"search_query": terms, "max_results": str(k), "sortBy": "relevance"}
        return Request("https://export.arxiv.org/api/query", params)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        entries = xml_root(body, "feed").findall("{*}entry")
        if entries and "/api/errors" in text_at(entries[0], "id"):
            raise SourceLost(text_at(entries[0], "summary")[:200])
        return hits_from(row_at(e, "id", "title", "summary", "published") for e in entries)
