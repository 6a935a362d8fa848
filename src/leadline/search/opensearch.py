"""OpenSearch or Elasticsearch: an index of one's own, over its `_search` API."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.parsing import hits_from, objects_at, row_of
from leadline.search.provider import Request
from leadline.types import Hit


@dataclass(frozen=True)
class OpenSearch:
    name: ClassVar[str] = "opensearch"
    opensearch_url: str
    opensearch_index: str = "_all"
    opensearch_api_key: str = ""

    def request(self, query: str, k: int) -> Request:
        match = {"query": query, "fields": ["*"], "lenient": True, "default_operator": "or"}
        key = self.opensearch_api_key
        return Request(
            f"{self.opensearch_url.rstrip('/')}/{self.opensearch_index}/_search",
            headers={"Authorization": f"ApiKey {key}"} if key else {},
            json={"size": k, "query": {"simple_query_string": match}},
        )

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        hits = objects_at(body, "hits", "hits")
        return hits_from(row_of(hit.get("_source") or {}, self._address(hit)) for hit in hits)

    def _address(self, hit: dict[str, object]) -> str:
        return f"{self.opensearch_url.rstrip('/')}/{hit.get('_index')}/_doc/{hit.get('_id')}"
