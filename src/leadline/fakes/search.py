"""Searchers and a cache that live in memory, and a clock that sleeping moves forward."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from leadline.errors import SourceLost
from leadline.types import Hit, Query


class ScriptedSearcher:
    """Answers by the query's text, or the same to all; raises what it is told to, in order.

    `asked` has every query that reached it, failed ones too.
    """

    def __init__(
        self,
        answers: Mapping[str, Sequence[Hit]] | Sequence[Hit] = (),
        *,
        name: str = "scripted",
        failures: Iterable[SourceLost | None] = (),
    ) -> None:
        self.name = name
        self.asked: list[str] = []
        self._answers, self._failures = answers, iter(failures)

    async def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        self.asked.append(query.text)
        await asyncio.sleep(0)
        failure = next(self._failures, None)
        if failure is not None:
            raise failure
        if isinstance(self._answers, Mapping):
            return tuple(self._answers.get(query.text, ()))[:k]
        return tuple(self._answers)[:k]


class MemoryCache:
    """`ports.Cache` without a disk and without an end."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str, str], tuple[Hit, ...]] = {}
        self._locks: dict[tuple[str, str, str], asyncio.Lock] = {}

    async def once(
        self,
        provider: str,
        query: str,
        params: Mapping[str, str | int],
        make: Callable[[], Awaitable[tuple[Hit, ...]]],
    ) -> tuple[tuple[Hit, ...], bool]:
        key = (provider, " ".join(query.casefold().split()), repr(sorted(params.items())))
        async with self._locks.setdefault(key, asyncio.Lock()):
            if key in self.kept:
                return self.kept[key], True
            self.kept[key] = await make()
            return self.kept[key], False


class FakeTime:
    """`clock` and `sleep` for wrappers: sleeping moves the clock and takes no time."""

    def __init__(self, start: float = 1000.0) -> None:
        self.now = start
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def hit(url: str, text: str = "text", title: str = "", published: str = "") -> Hit:
    """A web hit with as little as it takes."""
    return Hit(url, title or url, text, published=published)
