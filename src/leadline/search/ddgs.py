"""DuckDuckGo and its kin through `ddgs`, with no key: the default."""

from dataclasses import dataclass
from typing import ClassVar

from anyio import to_thread

from leadline.errors import SourceLost
from leadline.question.language import region
from leadline.search.http import unreached
from leadline.search.parsing import hits_from
from leadline.types import Hit, Query


@dataclass(frozen=True)
class Ddgs:
    name: ClassVar[str] = "ddgs"
    package: ClassVar[str] = "ddgs"

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        return await to_thread.run_sync(self._ask, query.text, k, abandon_on_cancel=True)

    def _ask(self, query: str, k: int) -> tuple[Hit, ...]:
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException

        try:
            return self.read(DDGS(timeout=5).text(query, region=region(query), max_results=k))
        except DDGSException as error:
            raise self.lost(str(error)) from error

    def read(self, results: list[dict[str, str]]) -> tuple[Hit, ...]:
        return hits_from((r.get("href"), r.get("title"), r.get("body"), None) for r in results)

    def lost(self, why: str) -> SourceLost:
        # It says so too where every engine turned this machine away: no answer to keep, nor one to
        # ask for again at once. Half a dozen engines that all know nothing of some words are rare.
        if "no results" in why.lower():
            return SourceLost("ddgs: no engine found anything, or all turned this machine away")
        return SourceLost(f"ddgs: {unreached(why):.200}", retryable=True)
