"""What stands round a quotation, as it is shown: prose on one line, code in its own lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from leadline.text.quotes import plain

_FENCE = re.compile(r"[ \t]{0,3}(?:`{3,}|~{3,})")
_INDENT = re.compile(r"(?: {4}|\t)[ \t]*\S")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(\S.*?)[ \t#]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")


@dataclass(frozen=True)
class Stretch:
    """A part of an excerpt; the line breaks of code are part of it."""

    text: str
    code: bool = False


def before(text: str) -> tuple[Stretch, ...]:
    """What precedes a quotation; it may begin in the middle of a block, and ends in prose."""
    fences = sum(bool(_FENCE.match(line)) for line in text.split("\n"))
    if fences % 2 == 0:
        return _told(text, in_code=False)
    cut, _, rest = text.partition("\n")  # the first line may have lost its beginning
    return _told(text if _FENCE.match(cut) else rest, in_code=not _FENCE.match(cut))


def after(text: str) -> tuple[Stretch, ...]:
    """What follows a quotation; it begins in prose and may end in the middle of a block."""
    return _told(text, in_code=False)


def _told(text: str, in_code: bool) -> tuple[Stretch, ...]:
    told: list[Stretch] = []
    for block, fenced in _blocks(text.replace("\r\n", "\n"), in_code):
        code = fenced or _is_code(block)
        shown = "\n".join(line.rstrip() for line in block) if code else _prose(block)
        if not shown.strip():
            continue
        if told and told[-1].code == code:
            told[-1] = Stretch(told[-1].text + ("\n" if code else " ") + shown, code)
        else:
            told.append(Stretch(shown, code))
    return tuple(told)


def _prose(block: list[str]) -> str:
    """On one line, a heading told from what it stands over by a dot rather than by its marks."""
    return plain("\n".join(_HEADING.sub(r"\1 ·", line) for line in block))


def _blocks(text: str, in_code: bool) -> Iterator[tuple[list[str], bool]]:
    """Paragraphs and fenced blocks, each with whether it stood between fences."""
    block: list[str] = []
    for line in text.split("\n"):
        fence = bool(_FENCE.match(line))
        if fence or (not line.strip() and not in_code):
            yield block, in_code
            block = []
            in_code ^= fence
        else:
            block.append(line)
    yield block, in_code


def _is_code(block: list[str]) -> bool:
    """Lines that are set in, and are not the rest of an item of a list."""
    if not block or any(_ITEM.match(line) for line in block):
        return False
    return any(_INDENT.match(line) for line in block)
