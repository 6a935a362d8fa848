"""Which elements of a page stand beside its article, by their names and by how they open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from leadline.read.boilerplate_phrases import is_appeal, is_box_title
from leadline.read.class_names import PERSON, TALK
from leadline.read.webblocks import Frame, Outline

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f\u1000-\u109f]")
_LONGEST_APPEAL = 1200
_LONGEST_LIFE = 1000
_HOLDERS = frozenset({"div", "section", "aside", "form", "li", "td", "table"})
ENOUGH_PROSE = 300  # characters that make an article of what stands beside a long discussion


@dataclass(slots=True)
class _Held:
    """The characters of an element, those of links and those of prose."""

    chars: int = 0
    linked: int = 0
    prose: int = 0


def weight(text: str) -> int:
    """Length as a reader feels it: a Chinese character says as much as two letters or three."""
    return len(text) if text.isascii() else len(text) + 2 * _dense(text)


@lru_cache(maxsize=1024)  # a paragraph is weighed by several, and a page has few hundred
def _dense(text: str) -> int:
    return len(_CJK.findall(text))


def junk_of(page: Outline) -> list[int]:
    """For each element, whether it or one around it stands beside the article.

    A name is not believed of an element that holds most of the page's prose, nor when all elements
    of that name do, unless another is marked as the article; that people talk here is believed as
    long as something else is said too.
    """
    held = _held(page)
    doubted = _doubted(page, held)
    boxes = _boxes(page, held)
    junk: list[int] = []
    for at, frame in enumerate(page.frames):
        own = int(at in boxes) or (junk[frame.parent] if frame.parent >= 0 else 0)
        if frame.names and not own:
            level = max((level for name, level in frame.names if name not in doubted), default=0)
            if level and _believed(page, held, at):
                own = int(level == 2 or _is_small(frame, held[at], held[0]))
        junk.append(own)
    return junk


def _believed(page: Outline, held: Sequence[_Held], at: int) -> bool:
    frame, own, whole = page.frames[at], held[at], held[0]
    # A remark set off from the text is part of it when it is nothing but prose.
    if frame.bare and not own.linked and 2 * own.prose > own.chars:
        return False
    most = 2 * own.prose > whole.prose if whole.prose else 2 * own.chars > whole.chars
    if not most:
        return True
    talk = any(name in TALK for name, _ in frame.names)
    return (talk and whole.prose - own.prose >= ENOUGH_PROSE) or _other_is_marked(page, held, at)


def _other_is_marked(page: Outline, held: Sequence[_Held], at: int) -> bool:
    return any(
        frame.hint
        and held[one].prose >= ENOUGH_PROSE
        and not within(page, one, at)
        and not within(page, at, one)
        for one, frame in enumerate(page.frames)
    )


def _is_small(frame: Frame, own: _Held, whole: _Held) -> bool:
    if own.linked > 0.25 * own.chars:
        return True
    # A life of the author may be long; it is not what the page is about.
    # An id may be made from a heading, such as `memory-bio-support`; a class is not.
    aside = own.chars <= _LONGEST_LIFE and 5 * own.prose <= whole.prose
    if aside and any(name in PERSON and name in frame.sign.lower() for name, _ in frame.names):
        return True
    # The header of an article may hold its summary.
    summary = own.prose and frame.in_hint and all(name == "header" for name, _ in frame.names)
    return own.chars <= 300 and not summary


def _boxes(page: Outline, held: Sequence[_Held]) -> set[int]:
    """Elements that a line such as "Related stories" opens and that are links to a good part.

    And small ones that open with an appeal, such as to sign up for a newsletter.
    """
    opened = page.opened_by()
    return {
        at
        for at, block in opened.items()
        if 3 * held[at].prose <= held[0].prose
        and (
            (held[at].linked > 0.15 * held[at].chars and is_box_title(block.text))
            or (
                page.frames[at].tag in _HOLDERS
                and held[at].chars <= _LONGEST_APPEAL
                and is_appeal(block.text)
            )
        )
    }


def _held(page: Outline) -> list[_Held]:
    held = [_Held() for _ in page.frames]
    for block in page.blocks:
        own = held[block.frame]
        own.chars += len(block.text)
        own.linked += block.linked
        if block.kind != "heading" and block.link_share < 0.3 and weight(block.text) >= 80:
            own.prose += len(block.text)
    for at in range(len(held) - 1, 0, -1):
        around = held[page.frames[at].parent]
        around.chars += held[at].chars
        around.linked += held[at].linked
        around.prose += held[at].prose
    return held


def _doubted(page: Outline, held: Sequence[_Held]) -> set[str]:
    """Names whose elements hold most of the prose between them: a page builder's `widget`."""
    whole = held[0].prose if held else 0
    above: list[frozenset[str]] = []
    prose: Counter[str] = Counter()
    for at, frame in enumerate(page.frames):
        over = above[frame.parent] if frame.parent >= 0 else frozenset()
        if frame.names and 2 * held[at].prose <= whole:  # else it is doubted alone
            own = frozenset(name for name, _ in frame.names)
            for name in own - over:
                prose[name] += held[at].prose
            over |= own
        above.append(over)
    return {
        name
        for name, said in prose.items()
        if 2 * said > whole and not (name in TALK and whole - said >= ENOUGH_PROSE)
    }


def within(page: Outline, at: int, outer: int) -> bool:
    while at > outer:
        at = page.frames[at].parent
    return at == outer
