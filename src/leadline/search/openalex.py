"""OpenAlex: the open catalogue of scholarly works; a free key raises the daily allowance."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.provider import Request
from leadline.search.shapes import found, rows, unfold
from leadline.types import Hit


@dataclass(frozen=True)
class OpenAlex:
    name: ClassVar[str] = "openalex"
    openalex_api_key: str = ""

    def request(self, query: str, k: int) -> Request:
        wanted = "id,doi,display_name,publication_date,abstract_inverted_index"
        params = {"search": query, "per_page": str(min(k, 100)), "select": wanted}
        # The address is the only place it takes a key; we never log addresses with parameters.
        key = {"api_key": self.openalex_api_key} if self.openalex_api_key else {}
        return Request("https://api.openalex.org/works", params | key)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return found(
            (
                work.get("doi") or work.get("id"),
                work.get("display_name"),
                unfold(work.get("abstract_inverted_index")),
                work.get("publication_date"),
            )
            for work in rows(body, "results")
        )
