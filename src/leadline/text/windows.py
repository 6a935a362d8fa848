"""Windows: a document cut into overlapping pieces for the index, each with offsets and section.

A piece ends at the best boundary in reach (heading, paragraph, line, sentence, word), so that a
hit reads as a whole; choosing what enters a report is the chunker's affair.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from leadline.text.cjk import count_cjk

TOKENS = 500
OVERLAP = 50
CHARS_PER_TOKEN = 4
BELOW = " › "  # between a heading and one below it

_MARK = re.compile(r"\n(?:(#{1,6})[ \t]+([^\n]+)|(```|~~~))")
# Tried in this order; each is where the next piece may begin, counted from the match.
_CUTS = (("\n#", 1), ("\n\n", 2), ("\n", 1), (". ", 2), ("。", 1), (" ", 1))


class Window(NamedTuple):
    """`text[start:end]` of a document, under the headings `section`, the outermost first. A named
    tuple, since there are tens of thousands and they travel between processes."""

    start: int
    end: int
    section: str = ""


def windows(text: str, tokens: int = TOKENS, overlap: int = OVERLAP) -> tuple[Window, ...]:
    """Pieces of about `tokens` tokens that cover `text` and share about `overlap` tokens."""
    per_token = chars_per_token(text)
    size, shared = max(1, int(tokens * per_token)), int(overlap * per_token)
    starts, paths = _headings(text)
    found: list[Window] = []
    core = begin = 0  # where new text starts; where the piece starts, with what it shares
    while core < len(text):
        end = _cut(text, core, begin + size)
        start, stop = _trim(text, begin, end)
        if start < stop:
            above = bisect_right(starts, _trim(text, core, end)[0]) - 1
            found.append(Window(start, stop, paths[above] if above >= 0 else ""))
        core, begin = end, _step_back(text, end, shared, core)
    return tuple(found)


def chars_per_token(text: str) -> float:
    """Characters a token, by the share of Chinese, Japanese and Korean characters."""
    if not text or text.isascii():
        return float(CHARS_PER_TOKEN)
    dense = count_cjk(text) / len(text)
    return 1 / (dense + (1 - dense) / CHARS_PER_TOKEN)


def _headings(text: str) -> tuple[list[int], list[str]]:
    """Where each heading stands, and its path; those inside code fences do not count."""
    starts: list[int] = []
    paths: list[str] = []
    above: list[tuple[int, str]] = []  # level and name, of those that are open
    fence = ""
    for mark in _MARK.finditer("\n" + text):  # the line break stands where the line starts
        level, heading, fenced = mark.groups()
        if fenced and fence in {"", fenced}:
            fence = "" if fence else fenced
        elif heading and not fence:
            above = [one for one in above if one[0] < len(level)]
            above.append((len(level), heading.strip().rstrip("#").strip()))
            starts.append(mark.start())
            paths.append(BELOW.join(name for _, name in above))
    return starts, paths


def _cut(text: str, core: int, limit: int) -> int:
    """The end of the piece: the last good boundary in the second half before `limit`."""
    if limit + (limit - core) // 4 >= len(text):  # no crumb at the end
        return len(text)
    lowest = core + max(1, (limit - core) // 2)
    found = ((text.rfind(mark, lowest, limit), width) for mark, width in _CUTS)
    return next((at + width for at, width in found if at >= 0), max(limit, core + 1))


def _step_back(text: str, end: int, shared: int, core: int) -> int:
    """Where the next piece begins: about `shared` characters before `end`, at a boundary."""
    lowest = max(core + 1, end - shared)
    found = ((text.find(mark, lowest, end - width), width) for mark, width in _CUTS[2:])
    return next((at + width for at, width in found if at >= 0), min(lowest, end))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its edges."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
