"""Ask the queries of a round: one batch a query, also where a search fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from leadline.errors import ENOUGH, SourceLost
from leadline.ports import Find
from leadline.rank.domains import host_of
from leadline.text.urls import canonical
from leadline.types import Batch, Loss, Query, Rules, State
from leadline.values import replace


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
