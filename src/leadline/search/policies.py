"""Policy round any search, written once: each takes a `Find` and returns one.

None knows a provider; time is handed in. `kit/web.py` puts them together, from the inside out:
`from_provider`, `timed`, `rate_limited`, `retried`, `circuit_broken`, `cached` for each provider,
then `fallback` over all of them, then `filtered` and `ensure_minimum_text`. What came of a search,
its batch says.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import chain, zip_longest
from typing import Literal

from leadline.errors import SourceLost
from leadline.ports import Cache, Find, Searcher
from leadline.question.shorten_query import simpler
from leadline.rank.domains import Wanted, choose
from leadline.retry import source_retried
from leadline.text.urls import canonical
from leadline.types import Asked, Batch, Hit, Loss, Query
from leadline.values import replace

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]
NoteStage = Literal["search", "retry", "fallback", "simpler", "filter"]

MOST_HITS = 50  # asked for where some will be left out
PATIENCE_S = 15.0  # who does not answer at all is asked twice, not four times


def note(query: Query, why: str, stage: NoteStage = "search") -> Loss:
    """What went wrong with a search and what was done about it, for the run's error log."""
    return Loss(stage, query.text, why)


def _noted(batch: Batch, *before: Loss, after: tuple[Loss, ...] = ()) -> Batch:
    return replace(batch, notes=(*before, *batch.notes, *after))


def _calls(of: Sequence[Batch] | Sequence[SourceLost]) -> tuple[Asked, ...]:
    return tuple(call for outcome in of for call in outcome.asked)


def _with_calls(before: tuple[Asked, ...], batch: Batch) -> Batch:
    """`batch`, with the requests that were made before its own."""
    return replace(batch, asked=(*before, *batch.asked)) if before else batch


def _all_lost(lost: Sequence[SourceLost], calls: tuple[Asked, ...]) -> SourceLost:
    retryable = any(failure.retryable for failure in lost)
    return SourceLost("; ".join(map(str, lost)), retryable=retryable, asked=calls)


# ── one provider ────────────────────────────────────────────────────────────────────────────


def from_provider(searcher: Searcher) -> Find:
    """The searches of `searcher`, each hit marked with its name."""

    async def search(query: Query, k: int) -> Batch:
        hits = await searcher.search(query, k)
        named = tuple(
            replace(hit, provider=hit.provider or searcher.name, score=hit.score or 1 / (place + 1))
            for place, hit in enumerate(hits[:k])
        )
        return Batch(query, named, provider=searcher.name)

    return search


def timed(find: Find, name: str, *, clock: Clock = time.monotonic) -> Find:
    """`find`, its batch or its failure with how long the request took.

    It stands next to the provider, so that neither waiting for a turn nor the pause before another
    try is counted as the provider's.
    """

    async def search(query: Query, k: int) -> Batch:
        began = clock()
        try:
            batch = await find(query, k)
        except SourceLost as lost:
            call = Asked(name, round(clock() - began, 3), str(lost))
            raise lost.having_asked((call,)) from lost
        return replace(batch, asked=(Asked(name, round(clock() - began, 3)),))

    return search


class RateLimit:
    """Turns at one provider, for all who hold it.

    At most `concurrency` searches at once; as many may start together, then `per_second`.
    """

    def __init__(
        self,
        concurrency: int,
        per_second: float,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._places = asyncio.Semaphore(concurrency)
        self._gap_s = 1 / per_second
        self._burst_s = (concurrency - 1) * self._gap_s
        self._due = clock()  # when the next search would start if all kept an even pace

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a place."""
        async with self._places:
            now = self._clock()
            start = max(now, self._due - self._burst_s)
            self._due = max(self._due, now) + self._gap_s
            if start > now:
                await self._sleep(start - now)
            yield


def rate_limited(find: Find, limit: RateLimit) -> Find:
    """`find` in the turns of a limit that others may hold too."""

    async def search(query: Query, k: int) -> Batch:
        async with limit.turn():
            return await find(query, k)

    return search


def retried(find: Find, *, attempts: int = 3) -> Find:
    """`find`, tried again while its failures may pass; each retry is noted."""

    async def search(query: Query, k: int) -> Batch:
        batch, failures = await source_retried(
            lambda: find(query, k), attempts=attempts, patience_s=PATIENCE_S
        )
        notes = (note(query, f"{lost}; retried", "retry") for lost in failures)
        return _noted(_with_calls(_calls(failures), batch), *notes)

    return search


def circuit_broken(
    find: Find, *, failures: int = 3, reset_s: float = 60.0, clock: Clock = time.monotonic
) -> Find:
    """`find`, refused at once for `reset_s` after `failures` failures in a row.

    Then one search is let through: if it works all are, if not the wait begins anew.
    """
    in_a_row, closed_until, last = 0, 0.0, ""

    async def search(query: Query, k: int) -> Batch:
        nonlocal in_a_row, closed_until, last
        if in_a_row >= failures:
            if clock() < closed_until:
                raise SourceLost(f"not asked, after {in_a_row} failures in a row ({last})")
            closed_until = clock() + reset_s  # this search is the trial; the others wait for it
        try:
            batch = await find(query, k)
        except SourceLost as lost:
            in_a_row, last = in_a_row + 1, str(lost)
            closed_until = clock() + reset_s
            raise
        in_a_row = 0
        return batch

    return search


def cached(
    find: Find, cache: Cache, name: str, params: Mapping[str, str | int] | None = None
) -> Find:
    """`find` behind `cache`. `params` are what else its answers depend on; no secrets."""

    async def search(query: Query, k: int) -> Batch:
        made: list[Batch] = []
        is_ours = False

        async def make() -> tuple[Hit, ...]:
            nonlocal is_ours
            is_ours = True
            made.append(await find(query, k))
            return made[0].hits

        try:
            hits, from_cache = await cache.once(name, query.text, {**(params or {}), "k": k}, make)
        except SourceLost as lost:
            if is_ours:
                raise
            # Who was joined tells the requests; were it cancelled meanwhile, nobody does.
            raise lost.having_asked(()) from lost
        if made and not from_cache:
            return made[0]
        return Batch(query, hits, provider=name, cached=True)

    return search


# ── several providers ───────────────────────────────────────────────────────────────────────


def fallback(providers: Sequence[tuple[str, Find]]) -> Find:
    """The first that has hits. Raises `SourceLost` when every one of them failed.

    An empty answer counts as none while there is another to ask: free engines that turn a
    machine away often do it by finding nothing.
    """

    async def search(query: Query, k: int) -> Batch:
        notes: list[Loss] = []
        lost: list[SourceLost] = []
        calls: tuple[Asked, ...] = ()
        empty: Batch | None = None
        for place, (name, find) in enumerate(providers, 1):
            is_last = place == len(providers)
            then = "no other to ask" if is_last else f"{providers[place][0]} asked instead"
            try:
                batch = await find(query, k)
            except SourceLost as error:
                lost.append(error)
                calls += error.asked
                notes.append(note(query, f"{error}; {then}", "fallback"))
                continue
            if batch.hits or is_last:
                return _noted(_with_calls(calls, batch), *notes)
            calls += batch.asked
            empty = empty or batch
            notes.append(note(query, f"{name}: no results; {then}", "fallback"))
        if empty is not None:
            return _noted(replace(empty, asked=calls), after=tuple(notes))
        raise _all_lost(lost, calls) if lost else SourceLost("no search provider is set")

    return search


def merged(finds: Sequence[Find]) -> Find:
    """All are asked at the same time and the best of each taken in turn; one that fails is noted
    while another answers."""

    async def search(query: Query, k: int) -> Batch:
        outcomes = await asyncio.gather(*(find(query, k) for find in finds), return_exceptions=True)
        batches: list[Batch] = []
        lost: list[SourceLost] = []
        for outcome in outcomes:
            if isinstance(outcome, SourceLost):
                lost.append(outcome)
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                batches.append(outcome)
        if not batches:
            raise _all_lost(lost, _calls(lost))
        in_turn = chain(*zip_longest(*(batch.hits for batch in batches)))
        names = dict.fromkeys(batch.provider for batch in batches if batch.provider)
        notes = [loss for batch in batches for loss in batch.notes]
        return Batch(
            query,
            tuple(hit for hit in in_turn if hit is not None)[: k * len(batches)],
            provider=" + ".join(names),
            cached=all(batch.cached for batch in batches),
            notes=(*notes, *(note(query, str(failure)) for failure in lost)),
            asked=_calls(lost) + _calls(batches),
        )

    return search


# ── what a search brought ───────────────────────────────────────────────────────────────────


def filtered(find: Find, wanted: Wanted) -> Find:
    """`find`, its hits chosen by `wanted`; what was left out, and why, is noted.

    Twice as many results are asked for, so that enough are left.
    """
    if wanted == Wanted():
        return find

    async def search(query: Query, k: int) -> Batch:
        batch = await find(query, min(MOST_HITS, 2 * k))
        hits, left_out = choose(batch.hits, wanted)
        notes = tuple(note(query, f"{count} left out: {why}", "filter") for why, count in left_out)
        return _noted(replace(batch, hits=hits[:k]), after=notes)

    return search


def ensure_minimum_text(find: Find, floor: int = 1800) -> Find:
    """`find`; results of under `floor` characters are joined by those of one simpler query. Only
    for the planner's own queries: what reflection asks for is narrow on purpose."""

    async def search(query: Query, k: int) -> Batch:
        batch = await find(query, k)
        short = simpler(query.text)
        total = sum(len(hit.text) for hit in batch.hits)
        if total >= floor or not short or query.origin != "plan":
            return batch
        what = f"only {total} characters found; the simpler query {short!r}"
        try:
            more = await find(replace(query, text=short, origin="fallback"), k)
        except SourceLost as lost:
            batch = replace(batch, asked=batch.asked + lost.asked)
            return _noted(batch, after=(note(query, f"{what} failed: {lost}", "simpler"),))
        known = {canonical(hit.url) for hit in batch.hits}
        new = tuple(hit for hit in more.hits if canonical(hit.url) not in known)
        batch = replace(
            batch,
            hits=(*batch.hits, *new)[:k],
            cached=batch.cached and more.cached,
            asked=batch.asked + more.asked,
        )
        return _noted(batch, after=(note(query, f"{what} was asked too", "simpler"), *more.notes))

    return search
