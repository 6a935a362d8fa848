"""How each search provider did, out of the searches of records: requests, failures, seconds; and
in one line, who answered how many searches of a run and how many the cache did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True)
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


def searched_with(searches: Iterable[Mapping[str, Any]], pages: Iterable[Mapping[str, Any]]) -> str:
    """`Searched with ddgs (5 searches, 2 from the cache). Pages: 4 read, 1 of them kept before; 2
    could not be had.` "" where nothing was searched or read."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for search in searches:
        by_name.setdefault(_answering(search), []).append(search)
    told = [f"{name} ({_answered(own)})" for name, own in by_name.items()]
    said = [f"Searched with {', '.join(told)}."] if told else []
    return " ".join([*said, *_paged(list(pages))])


def _answering(search: Mapping[str, Any]) -> str:
    """Who answered, or was asked last where nobody did."""
    asked = search.get("asked")
    last = asked[-1]["provider"] if asked else "no provider"
    return str(search.get("provider") or last)


def _answered(searches: Sequence[Mapping[str, Any]]) -> str:
    made = "1 search" if len(searches) == 1 else f"{len(searches)} searches"
    kept = sum(bool(one.get("cached")) for one in searches)
    failed = sum(bool(one.get("error")) for one in searches)
    told = [made, f"{kept} from the cache" if kept else "", f"{failed} failed" if failed else ""]
    return ", ".join(part for part in told if part)


def _paged(pages: Sequence[Mapping[str, Any]]) -> list[str]:
    if not pages:
        return []
    lost = sum(bool(one["error"]) for one in pages)
    kept = sum(bool(one["kept"]) for one in pages)
    before = f", {kept} of them kept from before" if kept else ""
    return [
        f"Pages: {len(pages) - lost} read{before}{f'; {lost} could not be had' if lost else ''}."
    ]
