"""Blocks: which lines of a page belong together, and what they are.

Reads Markdown, plain text and the text of HTML alike in one pass over the lines. It decides
nothing about sentences; `sentences` and `chunk` stand on it.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["prose", "item", "quote", "heading", "table", "code", "meta", "markup"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"(?:[ \t>]*)(`{3,}|~{3,})[ \t]*(.*)")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+\S")
_RULE = re.compile(r"[ \t]*(?:([-*_=~^+#.])[ \t]*)(?:\1[ \t]*){2,}$")
_UNDERLINE = re.compile(r"[ ]{0,3}(={3,}|-{3,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣–][ \t]+(?:\[[ xX]\][ \t]+)?|(\d{1,3})[.)][ \t]+)")
_QUOTE = re.compile(r"[ \t]*>[ \t>]*")
_MARKUP = re.compile(
    r"[ \t]*(?:<[^>]*>[^<>]{0,3}|\{\{[^{}]*\}\}[ \t]*|!\[[^\]]*\]\([^)]*\)[ \t]*)+$"
)
_FRONT_MATTER_LINES = 120
LONG_TITLE = 120
LONG_CELL = 60  # a bar now and then in a long line does not make it a row


class Block(NamedTuple):
    """`start:end` of the page without its marker and its last newline; `level` of a heading."""

    kind: Kind
    start: int
    end: int
    level: int = 0


class _Line(NamedTuple):
    text: str
    start: int

    @property
    def blank(self) -> bool:
        return not self.text.strip()


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of `text` in reading order; blank lines and rules belong to none."""
    lines = [_Line(m.group(), m.start()) for m in _LINE.finditer(text)]
    closers = _fence_ends(lines)
    found: list[Block] = []
    at = _front_matter(lines, found)
    while at < len(lines):
        at = _next(lines, at, closers, found)
    return tuple(found)


def _front_matter(lines: list[_Line], found: list[Block]) -> int:
    if not lines or lines[0].text.strip() != "---":
        return 0
    for number, line in enumerate(lines[1:_FRONT_MATTER_LINES], start=1):
        if line.blank:
            return 0
        if line.text.strip() == "---":
            found.append(_block("meta", lines, 0, number + 1))
            return number + 1
    return 0


def _fence_ends(lines: list[_Line]) -> dict[int, int]:
    """Opening fence line → its closing line. A fence that nothing closes is left out: a page cut
    inside a code block would otherwise turn all that follows into code."""
    ends: dict[int, int] = {}
    first, mark = -1, ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line.text)
        if not fence:
            continue
        if not mark:
            first, mark = number, fence[1]
        elif fence[1].startswith(mark) and not fence[2].strip():
            ends[first], mark = number, ""
    return ends


def _next(lines: list[_Line], at: int, closers: dict[int, int], found: list[Block]) -> int:
    """Add the block that begins at line `at`, if any; the line after it."""
    text = lines[at].text
    if lines[at].blank or _RULE.match(text):
        return at + 1
    if at in closers:
        found.append(_block("code", lines, at, closers[at] + 1))
        return closers[at] + 1
    heading = _HEADING.match(text)
    if heading:
        found.append(_block("heading", lines, at, at + 1, level=len(heading.group(1))))
    elif _is_row(text):
        found.append(_block("table", lines, at, at + 1))
    elif _is_markup(text):
        found.append(_block("markup", lines, at, at + 1))
    elif _is_underlined(lines, at):
        level = 1 if lines[at + 1].text.strip()[0] == "=" else 2
        found.append(_block("heading", lines, at, at + 1, level=level))
    else:
        return _flow(lines, at, closers, found)
    return at + 1


def _flow(lines: list[_Line], at: int, closers: dict[int, int], found: list[Block]) -> int:
    """A paragraph, list item or block quote with the lines that continue it."""
    first = lines[at].text
    quote, item = _QUOTE.match(first), _ITEM.match(first)
    kind: Kind = "quote" if quote else "item" if item else "prose"
    marker = quote or item
    skip = marker.end() if marker else 0
    end = at + 1
    while end < len(lines) and _continues(lines, end, kind, closers):
        end += 1
    if first[skip:].strip() or end > at + 1:
        found.append(_block(kind, lines, at, end, skip=skip))
    return end


def _continues(lines: list[_Line], at: int, kind: Kind, closers: dict[int, int]) -> bool:
    text = lines[at].text
    if lines[at].blank or at in closers or _RULE.match(text) or _HEADING.match(text):
        return False
    if _is_row(text) or _is_markup(text) or _is_underlined(lines, at):
        return False
    if _QUOTE.match(text):
        return kind == "quote"
    item = _ITEM.match(text)
    # A wrapped line may begin with "1998. " by chance: only 1 opens a list inside a paragraph.
    return not item or (kind == "prose" and item.group(1) not in {None, "1"})


def _is_row(text: str) -> bool:
    stripped = text.strip()
    if stripped.startswith("|"):
        return True
    bars = stripped.count(" | ")
    return bars >= 2 and len(stripped) < LONG_CELL * (bars + 1)


def _is_markup(text: str) -> bool:
    """A line of tags, macros and images alone, or a fence that nothing closes."""
    opens = text.lstrip()[:1] in {"<", "{", "!"} and _MARKUP.match(text.rstrip()) is not None
    return opens or _FENCE.match(text) is not None


def _is_underlined(lines: list[_Line], at: int) -> bool:
    """A short title with a rule below it, as Markdown writes headings too."""
    if at + 1 == len(lines) or not _UNDERLINE.match(lines[at + 1].text.rstrip("\r\n")):
        return False
    alone = at == 0 or lines[at - 1].blank or _RULE.match(lines[at - 1].text) is not None
    return alone and len(lines[at].text.strip()) < LONG_TITLE


def _block(
    kind: Kind, lines: list[_Line], first: int, after: int, *, skip: int = 0, level: int = 0
) -> Block:
    last = lines[after - 1]
    start = lines[first].start + skip
    end = last.start + len(last.text.rstrip())
    return Block(kind, start, max(start, end), level)
