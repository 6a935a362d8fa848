"""A window of whole lines around a span of a page."""

from __future__ import annotations

from dataclasses import dataclass

BEFORE = AFTER = 20
MOST_CHARS = 8_000


@dataclass(frozen=True)
class Window:
    """Lines `first` to `last`, counted from 1, of `count`; `page[start:end]` is their text."""

    first: int
    last: int
    count: int
    start: int
    end: int


def window(
    page: str,
    start: int,
    end: int,
    before: int = BEFORE,
    after: int = AFTER,
    most: int = MOST_CHARS,
) -> Window:
    """The lines of `page[start:end]` with so many more around them, `most` characters of them.

    The farthest go first where there is no room. A line that is itself too long is cut down to
    the span.
    """
    lines = page.split("\n")
    first = page.count("\n", 0, start)
    last = page.count("\n", 0, max(start, end - 1))
    top, bottom = max(0, first - max(0, before)), min(len(lines) - 1, last + max(0, after))
    size = sum(map(len, lines[top : bottom + 1]))
    while bottom > top and size > most:
        if bottom > last or first == top:
            size -= len(lines[bottom])
            bottom -= 1
        if top < first and size > most:
            size -= len(lines[top])
            top += 1
    at = sum(len(line) + 1 for line in lines[:top])
    to = at + sum(len(line) + 1 for line in lines[top : bottom + 1]) - 1
    if to - at > most and top == bottom:
        at, to = max(at, start), min(to, max(start, end), max(at, start) + most)
    return Window(top + 1, bottom + 1, len(lines), at, to)


def numbered(page: str, found: Window) -> str:
    """The lines of a window, each with its number; what is cut has an ellipsis."""
    text = page[found.start : found.end]
    width = len(str(found.last))
    lines = [f"{n:>{width}}  {line}" for n, line in enumerate(text.split("\n"), found.first)]
    whole = page[: found.start].endswith("\n") or not found.start
    ended = page[found.end : found.end + 1] in ("", "\n")
    if whole and ended:
        return "\n".join(lines)
    return f"{found.first}  … {text} …"
