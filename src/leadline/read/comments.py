"""What readers said under an article, told by the lines that name each of them and when."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from leadline.read.boilerplate_phrases import SENTENCE_END
from leadline.read.webblocks import Block, Outline

_LONGEST = 90
_MANY = 3  # such lines make a discussion
_BEFORE = 300  # characters of prose: what begins with a name and a time is a forum, or a live blog
_DIFFERENT = 0.6  # of the lines: who writes a live blog signs each entry alike
_SAYS = re.compile(
    r"\b(?:says|sagt|dice|dit|zegt|mówi|пишет|dijo|disse|schrieb|said|wrote)\s*:$", re.IGNORECASE
)
# A point between two numbers is rather that of a section or a version.
_CLOCK = re.compile(r"\b\d{1,2}(?::|h)\d{2}\b|\b\d{1,2}\.\d{2} Uhr\b")
_DAY = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b",
    re.IGNORECASE,
)
_AGO = re.compile(
    r"\b\d+ ?(?:min(?:ute)?|hour|hr|day|week|month|year)s? ago\b"
    r"|\bvor \d+ (?:Minuten?|Stunden?|Tag(?:en)?|Wochen?|Monat(?:en)?|Jahr(?:en)?)\b"
    r"|\b(?:il y a|hace) \d+ \w+|\d+ ?(?:分钟|小时|天|个月)前",
    re.IGNORECASE,
)
_ANSWERED = re.compile(r"\b(?:asked|answered|edited)\b", re.IGNORECASE)  # what one came for
_DIGITS = re.compile(r"\d+")


def without_talk(page: Outline, blocks: list[Block]) -> list[Block]:
    """Without what follows the first of several lines alike that tell who said something, and when.

    The lines are of one template, name different people, and come after an article.
    """
    lines: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, block in enumerate(blocks):
        if block.kind not in ("code", "table") and _tells_who(block):
            lines[block.tag, page.frames[block.frame].sign].append(at)
    begins = [own[0] for own in lines.values() if _is_talk(blocks, own)]
    return blocks[: min(begins)] if begins else blocks


def _tells_who(block: Block) -> bool:
    text = block.text
    if len(text) > _LONGEST:
        return False
    if _SAYS.search(text):
        return block.tag != "p"  # a reporter quotes people too
    if SENTENCE_END.search(text) or _ANSWERED.search(text):
        return False
    return bool((_CLOCK.search(text) and _DAY.search(text)) or _AGO.search(text))


def _is_talk(blocks: Sequence[Block], lines: Sequence[int]) -> bool:
    if len(lines) < _MANY:
        return False
    kinds = {_DIGITS.sub("", blocks[at].text) for at in lines}
    if len(kinds) < max(_MANY, _DIFFERENT * len(lines)):
        return False
    told = (len(block.text) for block in blocks[: lines[0]] if block.kind == "text")
    return sum(told) >= _BEFORE
