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
    first, last = page.count("\n", 0, start), page.count("\n", 0, max(start, end - 1))
    rows = list(range(max(0, first - max(0, before)), min(len(lines), last + max(0, after) + 1)))
    while len(rows) > 1 and sum(len(lines[row]) for row in rows) > most:
        rows.pop(-1 if rows[-1] - last >= first - rows[0] else 0)
    at = sum(len(line) + 1 for line in lines[: rows[0]])
    to = at + sum(len(lines[row]) + 1 for row in rows) - 1
    if to - at > most and len(rows) == 1:
        at, to = max(at, start), min(to, max(start, end), max(at, start) + most)
    return Window(rows[0] + 1, rows[-1] + 1, len(lines), at, to)


def numbered(page: str, found: Window) -> str:
    """The lines of a window, each with its number; what is cut has an ellipsis."""
    text = page[found.start : found.end]
    if page[: found.start][-1:].strip("\n") or page[found.end :][:1].strip("\n"):
        return f"{found.first}  … {text} …"
    width = len(str(found.last))
    lines = enumerate(text.split("\n"), found.first)
    return "\n".join(f"{number:>{width}}  {line}" for number, line in lines)
