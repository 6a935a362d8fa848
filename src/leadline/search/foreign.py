"""Code that is not ours: whatever it raises or gives back loses one search and nothing else.

A provider of the user's own, or the library behind one of ours, may raise anything, so everything
is caught where it is called, and what it gives is looked at: a result that is none of ours could
not be ranked or kept.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from leadline.errors import SourceLost
from leadline.ports import Searcher
from leadline.types import Hit, Query
from leadline.values import replace

# `sys.exit` in a module that was written as a script is a mistake like any other.
ANYTHING = (Exception, SystemExit)
_KINDS: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}
_WORDS = {"str": "text", "int": "a whole number", "float": "a number"}


def told(error: BaseException) -> str:
    """An exception's type and message, on one line."""
    said = " ".join(f"{error}".split())
    return f"{type(error).__name__}: {said}"[:300] if said else type(error).__name__


class ForeignSearcher:
    """`ports.Searcher` round one that runs foreign code; `hushed` takes its keys out of what it
    says. Without `timeout_s` it keeps its time itself."""

    def __init__(
        self, searcher: Searcher, hushed: Callable[[str], str], timeout_s: float | None
    ) -> None:
        self.name = searcher.name
        self._searcher, self._hushed, self._timeout_s = searcher, hushed, timeout_s

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        patience = asyncio.timeout(self._timeout_s)
        try:
            async with patience:
                given = await self._answer(query, k)
            return tuple(_looked_at(one) for one in _results(given))[:k]
        except SourceLost as lost:
            said = self._hushed(str(lost))
            said = said if said.startswith(self.name) else f"{self.name}: {said}"
            raise SourceLost(said, retryable=lost.retryable, retry_after=lost.retry_after) from lost
        except ANYTHING as error:
            if patience.expired():
                why = f"{self.name}: no answer within {self._timeout_s:g} s"
                raise SourceLost(why, retryable=True) from error
            self._refuse(f"its own code failed ({self._hushed(told(error))})", error)

    async def _answer(self, query: Query, k: int) -> object:
        answer: Any = self._searcher.search(query, k)
        if not inspect.isawaitable(answer):
            self._refuse(f"its search gave a {_kind(answer)}; it must be an `async def`")
        return await answer

    def _refuse(self, why: str, error: BaseException | None = None) -> NoReturn:
        raise SourceLost(f"{self.name}: {why}") from error


def _results(given: object) -> Iterable[object]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise SourceLost(f"it gave a {_kind(given)}; a tuple of `Hit` was wanted")
    return given


def _looked_at(one: object) -> Hit:
    """A result, if it is one, its text fit to be written down."""
    if not isinstance(one, Hit):
        raise SourceLost(f"it gave a {_kind(one)} as a result; a `Hit` was wanted")
    clean: dict[str, str] = {}
    for name, annotation in Hit.__annotations__.items():
        value, kind = getattr(one, name), annotation if annotation in _KINDS else "str"
        if not isinstance(value, _KINDS[kind]):
            got = f"{_kind(value)} as the {name} of a result"
            raise SourceLost(f"it gave a {got}; {_WORDS[kind]} was wanted")
        if isinstance(value, str) and not value.isascii():
            clean[name] = value.encode("utf-8", "replace").decode()  # half a pair
    return replace(one, **clean)


def _kind(value: object) -> str:
    return type(value).__name__
