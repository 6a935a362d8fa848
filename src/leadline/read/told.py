"""An article's blocks held against what its page tells of it to machines.

Many pages repeat the text of their article in their linked data, as one string without boxes, and
nearly all begin their description with it. What is read comes from the page's own blocks all the
same; the string only says which of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leadline.read.boilerplate_phrases import SENTENCE_END
from leadline.read.strays import is_prose
from leadline.read.webblocks import Block, Outline

_RUN = 5  # words that are compared at a time
_ALL = 0.98  # of what is told: then nothing was left out
_WHOLE = 0.85  # of what is told: less, and it is not this text, or it is cut
_MOST, _MOST_OF_CUT = 0.6, 0.9  # of what was found: less, and only its beginning is told
_ALIKE, _SAME = 0.5, 0.9  # of a block
_LONG = 40  # words; what is shorter may be a summary
_SENTENCE = 8  # words that no two texts have in common by chance
_CUT = ("…", "...", "[...]")
_KEPT = ("heading", "table", "code", "item")  # within the text: not every account has them
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")


def around_lead(page: Outline, lead: str) -> list[Block]:
    """The blocks beside the one that the page's description is taken from."""
    words = _words(lead)
    runs = set(_runs(words))
    if len(words) < _SENTENCE:
        return []
    for block in page.blocks:
        own = _words(block.text) if block.kind == "text" else []
        if len(own) >= _SENTENCE and (
            _share(own, runs) >= _ALIKE or words[:_SENTENCE] == own[:_SENTENCE]
        ):
            around = page.frames[block.frame].parent
            return [one for one in page.blocks if page.frames[one.frame].parent == around]
    return []


def as_told(page: Outline, found: list[Block], told: str, lead: str = "") -> list[Block]:
    """The blocks that are told, where the page tells about all of them and little else.

    Before the first of them goes what is no heading and not the page's description, after the last
    one what is not told, and among them sentences that are not, such as the titles of films; what
    is told and was left out comes back.
    """
    whole = _words(told)
    if len(whole) < _LONG or not found:
        return found
    runs = set(_runs(whole))
    ours = {id(block) for block in found}
    have = [id(block) in ours for block in page.blocks]
    words = [
        _words(block.text) if had else [] for block, had in zip(page.blocks, have, strict=True)
    ]
    shares = [_share(own, runs) for own in words]
    size = sum(map(len, words))
    if _told(words, shares) < _ALL * len(whole):
        _take_back(page.blocks, runs, words, shares, have)
    most = (_MOST_OF_CUT if _is_cut(told) else _MOST) * size
    if _told(words, shares) < max(most, _WHOLE * len(whole)):
        return found
    said = [share >= _ALIKE for share in shares]
    first, last = said.index(True), len(said) - 1 - said[::-1].index(True)
    opens = _words(lead)[:_SENTENCE]
    heads = [at for at in range(first) if have[at]]
    while heads and _leads_in(page.blocks[heads[-1]]):
        first = heads.pop()
        said[first] = words[first][:_SENTENCE] == opens
    return [
        page.blocks[at]
        for at in range(first, last + 1)
        if have[at] and (said[at] or page.blocks[at].kind in _KEPT or len(words[at]) < _SENTENCE)
    ]


def _leads_in(block: Block) -> bool:
    """Whether a block before the first that is told may be a heading or a standfirst."""
    if block.kind == "heading":
        return True
    return is_prose(block.text) and SENTENCE_END.search(block.text) is not None


def _take_back(
    blocks: Sequence[Block],
    runs: set[tuple[str, ...]],
    words: list[list[str]],
    shares: list[float],
    have: list[bool],
) -> None:
    """Add sentences that are told and stand nowhere in what was found."""
    known = {run for own in words for run in _runs(own)}
    for at, block in enumerate(blocks):
        if have[at] or block.kind not in ("text", "item", "quote"):
            continue
        own = _words(block.text)
        share = _share(own, runs) if len(own) >= _SENTENCE else 0.0
        if share >= _SAME and _share(own, known) < _ALIKE:
            words[at], shares[at], have[at] = own, share, True
            known.update(_runs(own))


def _told(words: Sequence[Sequence[str]], shares: Sequence[float]) -> int:
    """How many words of the blocks are told."""
    return sum(len(own) for own, share in zip(words, shares, strict=True) if share >= _ALIKE)


def _is_cut(told: str) -> bool:
    """Whether an account ends before the article does."""
    end = told.rstrip()
    return end.endswith(_CUT) or SENTENCE_END.search(end) is None


def _share(words: Sequence[str], runs: set[tuple[str, ...]]) -> float:
    """How much of a text is among the runs; of a short one nothing can be said."""
    places = len(words) - _RUN + 1
    return sum(map(runs.__contains__, _runs(words))) / places if places > 0 else 0.0


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(_RUN)), strict=False)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
