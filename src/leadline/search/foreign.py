"""Code that is not ours: whatever it raises or gives back loses one search and nothing else.

A provider of the user's own, or the library behind one of ours, may raise anything, so everything
is caught where it is called; a result that is none of ours could not be ranked or kept.
"""

from __future__ import annotations

import asyncio

import msgspec

from leadline.errors import SourceLost
from leadline.ports import Searcher
from leadline.search.http import hushed
from leadline.types import Hit, Query
from leadline.values import replace

# `sys.exit` in a module that was written as a script is a mistake like any other.
ANYTHING = (Exception, SystemExit)


def error_line(error: BaseException) -> str:
    """An exception's type and message, on one line."""
    message = " ".join(f"{error}".split())
    return f"{type(error).__name__}: {message}"[:300] if message else type(error).__name__


class ForeignSearcher:
    """`ports.Searcher` round one that runs foreign code; the keys of its `provider` are kept out of
    what it says. Without `timeout_s` it keeps its time itself."""

    def __init__(self, searcher: Searcher, provider: object, timeout_s: float | None) -> None:
        self.name, self.provider = searcher.name, provider
        self._searcher, self._timeout_s = searcher, timeout_s

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        patience = asyncio.timeout(self._timeout_s)
        try:
            async with patience:
                hits = await self._searcher.search(query, k)
            return tuple(_checked(hit) for hit in hits)[:k]
        except SourceLost as lost:
            raise self._lost(str(lost), lost.retryable, lost.retry_after) from lost
        except ANYTHING as error:
            if patience.expired():
                why = f"no answer within {self._timeout_s:g} s"
                raise self._lost(why, retryable=True) from error
            raise self._lost(f"its own code failed ({error_line(error)})") from error

    def _lost(self, why: str, retryable: bool = False, retry_after: float = 0.0) -> SourceLost:
        why = hushed(self.provider, why)
        why = why if why.startswith(self.name) else f"{self.name}: {why}"
        return SourceLost(why, retryable=retryable, retry_after=retry_after)


def _checked(given: object) -> Hit:
    """A result, if it can be read as one, its text fit to be written down."""
    hit = msgspec.convert(msgspec.to_builtins(given), Hit)
    url, title, text = (
        one.encode("utf-8", "replace").decode() for one in (hit.url, hit.title, hit.text)
    )
    return replace(hit, url=url, title=title, text=text)
