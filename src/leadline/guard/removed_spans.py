"""Texts with spans that nobody is shown: what stands round them, at the places where it stood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MARK = "[removed: instruction to the reader]"
Spans = Sequence[tuple[int, int]]

_WORD = re.compile(r"\w")
_INK = re.compile(r"[^\n]")


def masked(text: str, barred: Spans) -> str:
    """`text`, of the same length and lines, with the mark or blanks where it is barred."""
    parts: list[str] = []
    at = 0
    for first, last in sorted(barred):
        start, end = max(first, at), min(last, len(text))
        if end <= start:
            continue
        blank = _INK.sub(" ", text[start:end])
        if len(blank.partition("\n")[0]) > len(MARK):
            blank = MARK + blank[len(MARK) :]
        parts += [text[at:start], blank]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def clean(text: str, start: int, end: int, barred: Spans) -> Iterator[tuple[int, int]]:
    """What of `text[start:end]` may be shown: the stretches between barred spans that hold words,
    without the blanks at their ends. All of it, as it is, where nothing in it is barred."""
    inside = sorted((a, b) for a, b in barred if a < end and b > start)
    if not inside:
        yield start, end
        return
    at = start
    for a, b in [*inside, (end, end)]:
        stretch = text[at : max(a, at)]
        if _WORD.search(stretch):
            first = at + len(stretch) - len(stretch.lstrip())
            yield first, first + len(stretch.strip())
        at = max(at, b)
