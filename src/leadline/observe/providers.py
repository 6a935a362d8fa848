"""How each search provider did, out of the searches of records: requests, failures, seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from leadline.frozen import frozen


@frozen
class Asking:
    """One provider. A request that failed may have been made again, or another one asked."""

    provider: str
    requests: int
    failed: int
    seconds_median: float


def askings(searches: Iterable[Mapping[str, Any]]) -> tuple[Asking, ...]:
    """Every provider that was asked, the one asked most often first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for search in searches:
        for one in search.get("asked") or ():
            found.setdefault(str(one["provider"]), []).append(one)
    told = (
        Asking(
            provider,
            len(requests),
            sum(bool(one["error"]) for one in requests),
            round(median(float(one["seconds"]) for one in requests), 2),
        )
        for provider, requests in found.items()
    )
    return tuple(sorted(told, key=lambda one: (-one.requests, one.provider)))


def in_words(one: Asking) -> str:
    """One line of it."""
    requests = "1 request" if one.requests == 1 else f"{one.requests} requests"
    failed = f", {one.failed} failed" if one.failed else ""
    return f"{requests}{failed}, {one.seconds_median:g} s each (median)"
