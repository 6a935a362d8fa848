"""What is left out once the article's element is found: links, scraps, notices, closing boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leadline.read.boilerplate_phrases import (
    SENTENCE_END,
    is_box_title,
    is_buttons,
    is_cookie_notice,
    is_count,
    is_notice,
    is_source,
    is_talk,
    is_toc,
    leads_away,
    opens_tail,
)
from leadline.read.comments import without_talk
from leadline.read.strays import is_prose, place, place_of_prose, without_strays
from leadline.read.webblocks import Block, Outline

_TEASER = 200  # characters before the link that make a paragraph of it
MANY = 4  # times that a label comes before it is taken for the template's
_QUOTED = " \t\n\"'“”„«»‘’…"
_MAX_COMPARED = 200_000  # characters of text up to which repetitions are looked for
_LONG_REPEAT, _REPEAT = 80, 30

Chosen = Sequence[tuple[Block, float]]


def trimmed(page: Outline, chosen: Chosen) -> list[Block]:
    """Without links, scraps before the first prose, and what follows a heading such as Related."""
    first = next((at for at, (_, value) in enumerate(chosen) if value > 0), len(chosen))
    start = chosen[first][0] if first < len(chosen) else None
    out = [
        block.kind == "caption" or _leave_out(page, block, value, start if at < first else None)
        for at, (block, value) in enumerate(chosen)
    ]
    for at in range(1, first):
        out[at] = out[at] and not _explains(page, chosen[at][0], chosen[at - 1][0], start)
    kept = [block for (block, _), gone in zip(chosen, out, strict=True) if not gone]
    kept = _without_link_lists(_without_cookies(page, _without_labels(kept)))
    kept = _without_tags(_without_tail(page, _without_bare_headings(kept)))
    empty = {
        id(block) for at, (block, _) in enumerate(chosen[:-1]) if out[at + 1] and _announces(block)
    }
    kept = without_talk(page, [block for block in kept if id(block) not in empty])
    return _without_source(_without_repeats(page, without_strays(page, kept)))


def _leave_out(page: Outline, block: Block, value: float, start: Block | None) -> bool:
    """`start` is the first prose when the block stands before it."""
    if block.kind == "heading":
        return value < 0
    if block.kind in ("code", "table"):
        return block.link_share > 0.7
    # A number alone counts votes or shares, unless it is a year.
    counted = block.tag == "div" and block.text.isdecimal() and len(block.text) != 4
    if block.kind == "text":
        counted = counted or is_count(block.text) or is_buttons(block.text)
    if counted or is_notice(block.text) or (_is_teaser(block) and leads_away(block.text)):
        return True
    listed = block.kind == "item" and block.link_share > 0.5
    linked = 0.5 < block.link_share <= 0.8 and SENTENCE_END.search(block.text) is not None
    if listed or linked:
        return start is not None and (listed or not _beside(page, block, start))
    if start is not None:
        return value <= 0
    return value < 0 and (block.link_share > 0.5 or value < -15.0)


def _explains(page: Outline, block: Block, before: Block, start: Block | None) -> bool:
    """Whether a line before the first prose is what a page of a reference opens with: a name and
    what it is, how it is written, an entry, or a line right under a heading like the prose."""
    if block.kind != "text" or block.linked:
        return False
    if block.tag == "dt" and not block.text.endswith(":"):
        return True
    if before.kind != "heading" or block.tag != "p":
        return False
    if block.text.startswith(("`", f"{before.text} ")):
        return True
    plain = page.frames[block.frame].sign == "p.None"
    return plain and start is not None and _beside(page, block, start)


def _is_teaser(block: Block) -> bool:
    """Whether a block may be a few words on another page with a link to it; a digest says more."""
    told = block.kind == "text" and block.tag == "p" and len(block.text) - block.linked >= _TEASER
    return bool(block.linked) and not told


def _beside(page: Outline, block: Block, other: Block) -> bool:
    """Whether two paragraphs stand in the same element."""
    here, there = page.frames[block.frame], page.frames[other.frame]
    return block.tag == other.tag == "p" and here.parent == there.parent


def _announces(block: Block) -> bool:
    """Whether a line such as "Related stories" tells what comes next."""
    return len(block.text) < 60 and block.kind != "code" and opens_tail(block.text)


def _without_labels(blocks: list[Block]) -> list[Block]:
    """Without short lines that come again and again word for word: a template wrote them."""
    lines = [block.text if _is_label(block) else "" for block in blocks]
    counts = Counter(lines)
    return [
        block for block, line in zip(blocks, lines, strict=True) if not line or counts[line] < MANY
    ]


def _is_label(block: Block) -> bool:
    """A heading counts only when it is a link: manuals repeat their own headings."""
    loose = block.kind == "text" or (block.kind == "heading" and block.link_share > 0.5)
    return loose and len(block.text) < 80 and not SENTENCE_END.search(block.text)


def _without_cookies(page: Outline, blocks: list[Block]) -> list[Block]:
    """Without a notice on cookies that stands apart from the text."""
    told = [is_cookie_notice(block.text) for block in blocks]
    if not any(told):
        return blocks
    around: Counter[int] = Counter()
    for block in blocks:
        around[page.frames[block.frame].parent] += len(block.text)
    whole = around.total()
    said = sum(len(block.text) for block, one in zip(blocks, told, strict=True) if one)
    if 4 * said > whole:
        return blocks  # it is what the page is about
    return [
        block
        for block, one in zip(blocks, told, strict=True)
        if not one or 3 * around[page.frames[block.frame].parent] > whole
    ]


def _without_link_lists(blocks: list[Block]) -> list[Block]:
    """Without lists of nothing but links that no line announces, and without tables of contents."""
    kept: list[Block] = []
    at = 0
    while at < len(blocks):
        end = at
        while end < len(blocks) and blocks[end].kind == "item":
            end += 1
        if end == at:
            kept.append(blocks[at])
            at += 1
            continue
        before = kept[-1] if kept else None
        if before is None or not _drops(before, blocks[at:end]):
            kept += blocks[at:end]
        at = end
    return kept


def _drops(before: Block, items: Sequence[Block]) -> bool:
    if is_toc(before.text):
        return not any(SENTENCE_END.search(item.text) for item in items)
    announced = before.kind == "heading" or before.text.endswith((":", "："))
    return not announced and all(item.link_share > 0.9 for item in items)


def _without_tags(blocks: list[Block]) -> list[Block]:
    """Without a closing list of short links that no heading or line announces."""
    end = len(blocks)
    while end and blocks[end - 1].kind == "item" and blocks[end - 1].link_share > 0.9:
        end -= 1
    announced = end and (blocks[end - 1].kind == "heading" or blocks[end - 1].text.endswith(":"))
    short = all(len(block.text) < 40 for block in blocks[end:])
    return blocks[:end] if end and short and not announced else blocks


def _without_source(blocks: list[Block]) -> list[Block]:
    """Without a last line on the agency that the text is from; of a table it tells the origin."""
    if len(blocks) < 2 or blocks[-1].kind != "text" or blocks[-2].kind in ("table", "code"):
        return blocks
    return blocks[:-1] if is_source(blocks[-1].text) else blocks


def _without_tail(page: Outline, blocks: list[Block]) -> list[Block]:
    """Without what a closing line in the last third opens; the article may go on after a box."""
    whole = sum(len(block.text) for block in blocks)
    kept: list[Block] = []
    seen, usual = 0, place_of_prose(page, blocks)
    skipping = False
    for block in blocks:
        late, early = seen > 0.6 * whole, seen < 0.25 * whole
        seen += len(block.text)
        short = block.kind == "heading" or len(block.text) < 60
        if short and (opens_tail(block.text) if late else not early and is_box_title(block.text)):
            if late and is_talk(block.text):
                break
            skipping = True
        elif skipping:
            told = is_prose(block.text) or SENTENCE_END.search(block.text)
            skipping = not told or place(page, block) != usual
        if not skipping:
            kept.append(block)
    return kept


def _without_bare_headings(blocks: list[Block]) -> list[Block]:
    """A heading that nothing follows announces something that was left out."""
    kept: list[Block] = []
    for block in reversed(blocks):
        if block.kind == "heading" and (
            not kept or (kept[-1].kind == "heading" and kept[-1].level <= block.level)
        ):
            continue
        kept.append(block)
    return kept[::-1]


def _without_repeats(page: Outline, blocks: list[Block]) -> list[Block]:
    """Without quotes pulled out of the text, and paragraphs that are there for another screen."""
    whole = "\n".join(block.text for block in blocks)
    if len(whole) > _MAX_COMPARED:
        return blocks
    kept: list[Block] = []
    usual = place_of_prose(page, blocks)
    at = 0
    for block in blocks:
        own, at = at, at + len(block.text) + 1
        said = block.text.strip(_QUOTED)
        if block.kind not in ("text", "quote") or len(said) < _REPEAT:
            kept.append(block)
            continue
        again = len(said) >= _LONG_REPEAT and 0 <= whole.find(block.text) < own
        apart = len(said) < 400 and place(page, block) != usual
        pulled = apart and _stands_in_longer(blocks, block, said, whole)
        if not again and not pulled:
            kept.append(block)
    return kept


def _stands_in_longer(blocks: Sequence[Block], block: Block, said: str, whole: str) -> bool:
    if whole.count(said) < 2:
        return False
    return any(
        other is not block and len(other.text) > len(block.text) + _REPEAT and said in other.text
        for other in blocks
    )
