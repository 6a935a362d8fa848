"""OpenAlex: the open catalogue of scholarly works; a free key raises the daily allowance."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.parsing import hits_from, objects_at, unfold
from leadline.search.provider import Request
from leadline.text.words import STOPWORDS, words
from leadline.types import Hit


@dataclass(frozen=True)
class OpenAlex:
    name: ClassVar[str] = "openalex"
    openalex_api_key: str = ""

    def request(self, query: str, k: int) -> Request:
        wanted = "id,doi,display_name,publication_date,abstract_inverted_index"
        # It refuses ? and * and has operators: only words may pass, few since all must be met.
        terms = [word for word in words(query) if word not in STOPWORDS] or words(query)
        params = {"search": " ".join(terms[:12]), "per_page": str(min(k, 100)), "select": wanted}
        key = f"Bearer {self.openalex_api_key}"
        headers = {"Authorization": key} if self.openalex_api_key else {}
        return Request("https://api.openalex.org/works", params, headers)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return hits_from(
            (
                work.get("doi") or work.get("id"),
                work.get("display_name"),
                unfold(work.get("abstract_inverted_index")),
                work.get("publication_date"),
            )
            for work in objects_at(body, "results")
        )
