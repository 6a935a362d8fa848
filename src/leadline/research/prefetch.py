"""Pages are read while the search goes on: the best hits of the first round, then what stays among
the best of a later one.

Reading takes a page's latency and a worker's time, and searches leave both idle.
"""

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
        self._here: set[str] = set()
        self._before: frozenset[str] = frozenset()  # what was promising a round ago

    def ahead(self, state: State) -> None:
        """Begin with the best half of what would be read now, and with what would have been read a
        round ago as well; the ranking may still change, so no more than half as many again.

        Only of the web: a document is at hand, and reading one for nothing is all there is to win.
        """
        half = (self._rules.url_enrich_count + 1) // 2
        hits = [hit for hit in self._promising(state, self._rules) if hit.kind == "web"]
        stayed = [hit for hit in hits if canonical(hit.url) in self._before]
        self._before = frozenset(canonical(hit.url) for hit in hits)
        self._begin(hits, half)
        self._begin(stayed, self._rules.url_enrich_count + half)

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
        left = max(2 * self._rules.url_enrich_count - len(self._here), 0)
        hits = self._promising(state, self._rules, lost)
        return [hit for hit in hits if canonical(hit.url) not in self._here][:left]

    def _begin(self, hits: Sequence[Hit], most: int | None = None) -> None:
        """Those that were not begun yet, until `most` have been in all."""
        fresh = [hit for hit in hits if canonical(hit.url) not in self._here]
        if most is not None:
            fresh = fresh[: max(most - len(self._here), 0)]
        self._here |= {canonical(hit.url) for hit in fresh}
        if fresh:
            self._begun.append(self._run.begin_each("read", self._read, fresh))
