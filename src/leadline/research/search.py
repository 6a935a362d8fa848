"""Ask the queries of a round, and rank the sources that were found so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence, Set

from leadline.errors import ENOUGH, SourceLost
from leadline.ports import Find
from leadline.rank.domains import host_of
from leadline.text.urls import canonical
from leadline.types import Batch, Loss, Query, Rules, State
from leadline.values import replace

MEMORY = "memory"  # a batch from what earlier runs proved: nothing was searched for it
PLACES = 0.5  # weight of a web source's places in the searches, beside its link score


def searching(find: Find, k: int) -> Callable[[Query], Awaitable[Batch]]:
    """The search step for one query, ready to be run for many at the same time."""

    async def search(query: Query) -> Batch:
        try:
            return await find(query, k)
        except SourceLost as lost:
            return Batch(query, error=str(lost), asked=lost.asked)

    return search


def as_batches(queries: Sequence[Query], results: Sequence[Batch | Loss]) -> tuple[Batch, ...]:
    """One batch a query; a search that was lost becomes a batch that says so.

    One that was cut off because the report was wanted did not fail: it was not made.
    """
    return tuple(
        Batch(query, error=result.why) if isinstance(result, Loss) else result
        for query, result in zip(queries, results, strict=True)
        if not (isinstance(result, Loss) and result.why == ENOUGH)
    )


def within_quota(state: State, batches: Sequence[Batch], rules: Rules) -> tuple[Batch, ...]:
    """The batches without results beyond a site's quota, before anything judges or holds them.

    A page that is held already counts once, however often it is found; documents have no site.
    """
    if not rules.domain_quota:
        return tuple(batches)
    hosts = {
        canonical(hit.url): host_of(hit.url) for hit in state.search_results if hit.kind == "web"
    }
    return tuple(_within_quota(batch, hosts, rules.domain_quota) for batch in batches)


def _within_quota(batch: Batch, hosts: dict[str, str], quota: int) -> Batch:
    """`batch` as it may enter; `hosts` learns of the pages in it."""
    accepted, left = [], Counter[str]()
    for hit in batch.hits:
        key, host = canonical(hit.url), host_of(hit.url)
        if hit.kind != "web" or key in hosts:
            accepted.append(hit)
        elif sum(other == host for other in hosts.values()) < quota:
            hosts[key] = host
            accepted.append(hit)
        else:
            left[host] += 1
    notes = tuple(
        Loss("quota", batch.query.text, f"{count} left out: more than {quota} of {host} in the run")
        for host, count in left.items()
    )
    return replace(batch, hits=tuple(accepted), notes=batch.notes + notes) if notes else batch


# ── which sources the report would be written from now ──────────────────────────────────────


def choose_sources(state: State) -> State:
    """The state with `kept` ranked anew; counts the iterations in a row that changed nothing.

    What a search has found for this very question comes before what only memory led to.
    """
    found = {canonical(hit.url) for hit in state.search_results if hit.provider != MEMORY}
    scores = _scores(state, found)
    led = {source.id for source in state.sources if canonical(source.url) not in found}
    ranked = sorted(scores, key=lambda number: (number in led, -scores[number]))
    kept = tuple(ranked)[: state.limits.max_sources]
    same = set(kept) == set(state.kept)
    return replace(state, kept=kept, unchanged=state.unchanged + 1 if same else 0)


def _scores(state: State, found: Set[str]) -> dict[int, float]:
    """The best link score of each source; a web source also for how high searches placed it.

    A document's passage is all there is to judge it by. A web snippet is a few words of a page that
    the engine has read whole, so the place it gave the page counts, in each search that found it.
    What memory has of a source that a search has `found` does not count: short paragraphs beside
    whole passages make their words common, and put the best source behind others.
    """
    from leadline.rank.name_links import Held, rank_sources  # not before the first search

    numbers = {canonical(source.url): source.id for source in state.sources}
    held = [
        Held(canonical(hit.url), hit.title, hit.text, hit.score)
        for hit in state.search_results
        if hit.provider != MEMORY or canonical(hit.url) not in found
    ]
    scores: dict[int, float] = {}
    for ranked in rank_sources(state.task, held):
        number = numbers[ranked.held.key]
        scores[number] = max(scores.get(number, 0.0), ranked.score)
    for hit in state.search_results:
        if hit.kind == "web":
            scores[numbers[canonical(hit.url)]] += PLACES * hit.score
    return scores
