"""Brave Search: an index of its own, with a key."""

from dataclasses import dataclass
from html import unescape
from typing import ClassVar

from leadline.question.language import by_script
from leadline.search.parsing import hits_from, objects_at, one_line
from leadline.search.provider import Request
from leadline.types import Hit

_NAMES = {"": "en", "zh": "zh-hans", "ja": "jp"}  # as Brave calls them


@dataclass(frozen=True)
class Brave:
    name: ClassVar[str] = "brave"
    brave_api_key: str

    def request(self, query: str, k: int) -> Request:
        short = " ".join(query.split()[:50])[:400]  # as much as it takes
        params = {"q": short, "count": str(min(k, 20)), "text_decorations": "false"}
        params["search_lang"] = _NAMES.get(by_script(query), by_script(query))
        headers = {"X-Subscription-Token": self.brave_api_key, "Accept": "application/json"}
        return Request("https://api.search.brave.com/res/v1/web/search", params, headers)

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        return hits_from(
            (
                row.get("url"),
                unescape(one_line(row.get("title"))),
                unescape(one_line([row.get("description"), *(row.get("extra_snippets") or ())])),
                row.get("page_age"),
            )
            for row in objects_at(body, "web", "results", or_none_if="type")
        )
