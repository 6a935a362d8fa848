"""How many sources of one site a run may take up, over all of its searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from leadline.rank.domains import host_of
from leadline.text.urls import canonical
from leadline.types import Batch, Hit, Loss, Rules, State


def within_quota(state: State, batches: Sequence[Batch], rules: Rules) -> tuple[Batch, ...]:
    """The batches without results beyond a site's quota, before anything judges or holds them.

    A page that is held already counts once, however often it is found. Documents of the user's
    own have no site.
    """
    if not rules.domain_quota:
        return tuple(batches)
    held = {canonical(hit.url): host_of(hit.url) for hit in state.search_results if _has_site(hit)}
    chosen = []
    for batch in batches:
        kept = tuple(hit for hit in batch.hits if _taken(hit, held, rules.domain_quota))
        chosen.append(_noted(batch, kept, rules.domain_quota))
    return tuple(chosen)


def _taken(hit: Hit, held: dict[str, str], quota: int) -> bool:
    """Whether a hit may enter; one that does is counted from now on."""
    key, host = canonical(hit.url), host_of(hit.url)
    if not _has_site(hit) or key in held:
        return True
    if sum(other == host for other in held.values()) >= quota:
        return False
    held[key] = host
    return True


def _noted(batch: Batch, kept: tuple[Hit, ...], quota: int) -> Batch:
    if len(kept) == len(batch.hits):
        return batch
    left = Counter(host_of(hit.url) for hit in batch.hits if hit not in kept)
    notes = tuple(
        Loss("quota", batch.query.text, f"{count} left out: more than {quota} of {host} in the run")
        for host, count in left.items()
    )
    return replace(batch, hits=kept, notes=batch.notes + notes)


def _has_site(hit: Hit) -> bool:
    return hit.kind == "web"
