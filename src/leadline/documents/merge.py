"""Merging: hits that overlap or say the same, word for word, become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from leadline.rank.near_duplicates import same_text
from leadline.types import Hit

_LONGEST = 3  # times the longest single hit that a merged one may reach

Suspect = Callable[[int, int], bool]


def merged(hits: Sequence[Hit], suspect: Suspect = lambda one, two: True) -> list[Hit]:
    """Hits in their order; one that overlaps or repeats a better one goes into it.

    `suspect(i, j)` says cheaply whether hits i and j may be copies, before their words are
    compared. Copies that differ in a number are two.
    """
    kept: list[tuple[int, Hit]] = []
    ceiling = _LONGEST * max((len(hit.text) for hit in hits), default=0)
    for number, hit in enumerate(hits):
        at = next((i for i, (_, other) in enumerate(kept) if _overlap(other, hit)), None)
        if at is None:
            if not any(
                suspect(first, number) and same_text(other.text, hit.text) == "same"
                for first, other in kept
            ):
                kept.append((number, hit))
        elif _span(kept[at][1], hit) <= ceiling:
            kept[at] = (kept[at][0], _joined(kept[at][1], hit))
        else:
            kept.append((number, _rest(hit, kept[at][1])))
    return [hit for _, hit in kept]


def _overlap(one: Hit, two: Hit) -> bool:
    same = one.url == two.url and one.page == two.page
    return same and one.start < two.end and two.start < one.end


def _span(one: Hit, two: Hit) -> int:
    return max(one.end, two.end) - min(one.start, two.start)


def _joined(better: Hit, other: Hit) -> Hit:
    """The better hit, widened by what the other adds."""
    first, second = sorted((better, other), key=lambda hit: hit.start)
    text = first.text + second.text[max(0, first.end - second.start) :]
    return replace(better, text=text, start=first.start, end=max(first.end, second.end))


def _rest(hit: Hit, other: Hit) -> Hit:
    """The part of a hit that does not overlap the other."""
    if hit.start < other.start:
        return replace(hit, text=hit.text[: other.start - hit.start], end=other.start)
    return replace(hit, text=hit.text[other.end - hit.start :], start=other.end)
