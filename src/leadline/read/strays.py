"""A little text after an article's last paragraph, in boxes of its own: who wrote it, a plea."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial, reduce

from leadline.read.boilerplate import weight
from leadline.read.webblocks import Block, Outline

PROSE = 80  # characters, by their weight, of a paragraph that tells something
# Fewer paragraphs, or less of the prose, do not show where the article has its place.
_ENOUGH_OWN, _OWN_SHARE = 3, 0.7
_HOME_SHARE = 0.9  # of the text so far: beside it stand a heading and a standfirst, no more
# More than this is rather a part of the article that its site set apart.
_MOST_STRAY, _STRAY_SHARE = 1000, 0.35
_LITTLE = 0.2  # of a long text
_LIST = 2  # items that make a list someone wrote
_ENTRIES = frozenset({"dl", "dd", "ul", "ol", "li"})  # of a manual: more of it comes after them
_BOXES = frozenset({"div", "section", "aside", "form", "td"})
# In the class of a box: what is in it belongs to the text.
_TEXTUAL = re.compile(
    r"text|body|content|copy(?!right)|prose|note|faq|question|answer|summary|conclusion|verdict"
    r"|takeaway|correction|instruction|ingredient|reference|appendix",
    re.IGNORECASE,
)


def without_strays(page: Outline, blocks: list[Block]) -> list[Block]:
    """Without a little text after the last paragraph that stands outside the paragraphs' element.

    It stays when a box of that kind stood in the text before, or the name of its box says that
    it is text, and where there is a table, code or a list in it.
    """
    own = _paragraphs(page, blocks)
    end = 1 + max((at for at, block in enumerate(blocks) if own and block is own[-1]), default=-1)
    before, after = blocks[:end], blocks[end:]
    if not own or not after:
        return blocks
    home = reduce(partial(_around, page), (page.frames[block.frame].parent for block in own))
    if page.frames[home].tag in _ENTRIES:
        return blocks
    inside = [block for block in before if _is_in(page, block, home)]
    if _length(inside) < _HOME_SHARE * _length(before):
        return blocks
    known = _kinds_of_boxes(page, before, home)
    stray = [block for block in after if _in_box(page, block, home, known)]
    whole = _length(blocks)
    most = min(max(_MOST_STRAY, _LITTLE * whole), _STRAY_SHARE * whole)
    if _length(stray) > most or _is_material(stray):
        return blocks
    gone = {id(block) for block in stray}
    return [block for block in blocks if id(block) not in gone]


def is_prose(text: str) -> bool:
    """Whether a paragraph is long enough to tell something; a Chinese one may be shorter."""
    size = len(text)
    return size >= PROSE or (3 * size >= PROSE and not text.isascii() and weight(text) >= PROSE)


def place(page: Outline, block: Block) -> tuple[str, str]:
    """Paragraphs of one text stand in the same kind of element, or each in one of its own."""
    return page.frames[page.frames[block.frame].parent].sign, block.tag


def place_of_prose(page: Outline, blocks: Sequence[Block]) -> tuple[str, str]:
    """Where most of the prose stands."""
    prose: Counter[tuple[str, str]] = Counter()
    for block in blocks:
        if block.kind == "text" and is_prose(block.text):
            prose[place(page, block)] += len(block.text)
    return max(prose, key=prose.__getitem__, default=("", ""))


def _paragraphs(page: Outline, blocks: Sequence[Block]) -> list[Block]:
    """Those that stand where most of the prose does; none when that is not plain."""
    usual = place_of_prose(page, blocks)
    prose = [block for block in blocks if block.kind == "text" and is_prose(block.text)]
    own = [block for block in prose if place(page, block) == usual]
    plain = _length(own) >= _OWN_SHARE * _length(prose)
    return own if len(own) >= _ENOUGH_OWN and plain else []


def _around(page: Outline, one: int, other: int) -> int:
    """The innermost element that holds both; an element has a higher number than its parent."""
    while one != other:
        if one > other:
            one = page.frames[one].parent
        else:
            other = page.frames[other].parent
    return one


def _is_in(page: Outline, block: Block, element: int) -> bool:
    return _around(page, block.frame, element) == element


def _length(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def _kinds_of_boxes(page: Outline, blocks: Sequence[Block], home: int) -> set[str]:
    """Tag and class of all elements around the blocks, up to that of the article."""
    seen: set[int] = set()
    for block in blocks:
        at = block.frame
        while at > home and at not in seen:
            seen.add(at)
            at = page.frames[at].parent
    return {page.frames[at].sign for at in seen}


def _in_box(page: Outline, block: Block, home: int, known: set[str]) -> bool:
    """Whether a block stands in a classed box, not known from the text, that names no text."""
    top = _around(page, block.frame, home)
    if top == home:
        return False  # a box in the text itself is a remark, a verdict, a page builder's part
    at = block.frame
    while at != top:
        frame = page.frames[at]
        classed = frame.tag in _BOXES and not frame.sign.endswith((".None", "."))
        if classed and frame.sign not in known and not _TEXTUAL.search(frame.sign):
            return True
        at = frame.parent
    return False


def _is_material(blocks: Sequence[Block]) -> bool:
    """Whether a table, code or a list that is not of links is among them."""
    items = sum(block.kind == "item" and block.link_share < 0.5 for block in blocks)
    return items >= _LIST or any(block.kind in ("table", "code") for block in blocks)
