"""The pages of a run, each read once; the best are begun while the search still goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from leadline.ports import Begun, Run
from leadline.research.read import lost_of
from leadline.text.urls import canonical
from leadline.types import Hit, Loss, Page, Rules, State, Stop

Read = Callable[[Hit], Awaitable[Page]]


class Promising(Protocol):
    def __call__(
        self, state: State, rules: Rules, lost: frozenset[str] = frozenset(), /
    ) -> tuple[Hit, ...]:
        """What is worth reading in full, best first, where `lost` cannot be read."""


class Reading:
    """The pages of one run, each read once."""

    def __init__(self, run: Run, read: Read, promising: Promising, rules: Rules) -> None:
        self._run, self._read, self._promising, self._rules = run, read, promising, rules
        self._begun: list[Begun[list[Page | Loss]]] = []
        self._asked_for: set[str] = set()

    def ahead(self, state: State) -> None:
        """Begin with the best half of what would be read now: the ranking may still change. Only
        of the web, for a document is at hand."""
        hits = [hit for hit in self._promising(state, self._rules) if hit.kind == "web"]
        half = (self._rules.url_enrich_count + 1) // 2
        self._begin(hits[: max(half - len(self._asked_for), 0)])

    async def finish(self, state: State) -> list[Page | Loss]:
        """Every page that was begun, those of the final ranking that were not, and in place of
        what could not be read the next best."""
        self._begin(self._promising(state, self._rules))
        pages = [page for begun in self._begun for page in await begun()]
        while instead := self._instead(state, pages):
            self._begin(instead)
            pages += await self._begun[-1]()
        return pages

    def _instead(self, state: State, pages: Sequence[Page | Loss]) -> list[Hit]:
        """What is tried for pages that were lost: in all no more than twice what is wanted, since
        where most cannot be read the rest hardly can. It goes by results that are written down, so
        that a run which is resumed tries the same."""
        lost = lost_of(pages)
        over = self._run.elapsed >= state.limits.gather_s
        if not lost or over or state.stop_reason in (Stop.CANCELLED, Stop.MAX_TIME):
            return []
        left = max(2 * self._rules.url_enrich_count - len(self._asked_for), 0)
        hits = self._promising(state, self._rules, lost)
        return [hit for hit in hits if canonical(hit.url) not in self._asked_for][:left]

    def _begin(self, hits: Sequence[Hit]) -> None:
        """Those that were not begun yet."""
        fresh = [hit for hit in hits if canonical(hit.url) not in self._asked_for]
        self._asked_for |= {canonical(hit.url) for hit in fresh}
        if fresh:
            self._begun.append(self._run.begin_each("read", self._read, fresh))
