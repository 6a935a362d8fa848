"""Which blocks of a page are its article.

Every block is worth something: prose speaks for the element around it, links and scraps against.
The element worth most is the article's, unless the page marks one that holds about as much; what in
it is named as something else, is mostly links or is a scrap before the text begins is left out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline.readers.webblocks import Block, Outline

_END = re.compile(r"[.!?:;。！？…।؟][\"'”’»)\]]*$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f\u1000-\u109f]")
_TAIL = re.compile(
    r"^(related|read (more|next)|more (from|stories|on)|you (may|might) (also )?like|recommended|"
    r"most (read|popular)|trending|share this|comments?\b|\d+ (comments|responses|thoughts)|"
    r"leave a (reply|comment)|about the author|subscribe|sign up|newsletter|advertisement|"
    r"follow us|tags?:|filed under|join the (discussion|conversation)|"
    r"(was|is) this (page |article )?(helpful|useful))",
    re.IGNORECASE,
)


MANY = 4  # times that a label comes before it is taken for the template's
_ITEMS = frozenset({"div", "li", "article", "section", "tr"})
_LOOSE = frozenset(
    {"div", "td", "th", "body", "section", "article", "main", "header", "center", "span"}
)


@dataclass(slots=True)
class _Sums:
    """What an element holds."""

    value: float = 0.0
    chars: int = 0
    linked: int = 0
    blocks: int = 0
    good: int = 0  # characters of prose


def main_blocks(page: Outline) -> list[Block]:
    """The blocks of the main content, in reading order; empty when nothing reads like one."""
    junk = _junk(page)
    values = [_value(block, junk[block.frame]) for block in page.blocks]
    sums = _sums(page, values)
    _discount(page, values, sums)
    sums = _sums(page, values)
    best = _best(page, sums)
    if best is None:
        return []
    inside = _inside(page, best)
    chosen = [
        (block, value)
        for block, value in zip(page.blocks, values, strict=True)
        if inside[block.frame] and not junk[block.frame]
    ]
    return _trimmed(chosen)


def all_but_named(page: Outline) -> list[Block]:
    """Every block that is not named as something beside the article, and is not mostly links."""
    junk = _junk(page)
    kept = [b for b in page.blocks if not junk[b.frame] and b.kind != "caption"]
    return kept if 2 * sum(b.linked for b in kept) <= sum(len(b.text) for b in kept) else []


# ── worth ───────────────────────────────────────────────────────────────────────────────────


def _weight(text: str) -> int:
    """Length as a reader feels it: a Chinese character says as much as two letters or three."""
    return len(text) + 2 * len(_CJK.findall(text))


def _value(block: Block, junk: int) -> float:
    if junk or block.kind == "caption":
        return 0.0
    if block.kind == "heading":
        return -10.0 if block.link_share > 0.5 else 0.0
    size = _weight(block.text)
    if block.kind in ("code", "table"):
        return 0.5 * min(size, 1000) * (1 - 2 * min(1.0, block.link_share))
    return -float(min(size, 150)) if block.link_share > 0.5 else _prose_value(block, size)


def _prose_value(block: Block, size: int) -> float:
    plain = size * (1 - block.link_share)
    if plain >= 80:
        return plain
    if _END.search(block.text) and plain >= 25:
        return plain / 2
    return -15.0 if block.tag in _LOOSE else 0.0


def _junk(page: Outline) -> list[int]:
    """For each element, whether it or one around it is named as something beside the article.

    A name is not believed of an element that holds most of the page's prose.
    """
    prose = [0] * len(page.frames)
    for block in page.blocks:
        if block.kind != "heading" and block.link_share < 0.3 and _weight(block.text) >= 80:
            prose[block.frame] += len(block.text)
    linked = [0] * len(page.frames)
    chars = [0] * len(page.frames)
    for block in page.blocks:
        linked[block.frame] += block.linked
        chars[block.frame] += len(block.text)
    for at in range(len(page.frames) - 1, 0, -1):
        parent = page.frames[at].parent
        prose[parent] += prose[at]
        linked[parent] += linked[at]
        chars[parent] += chars[at]
    whole = prose[0] if prose else 0
    junk: list[int] = []
    for at, frame in enumerate(page.frames):
        around = junk[frame.parent] if frame.parent >= 0 else 0
        own = 0
        # A remark set off from the text is part of it when it is nothing but prose.
        remark = frame.bare and not linked[at] and 2 * prose[at] > chars[at]
        if frame.junk and 2 * prose[at] <= whole and not remark:
            few = chars[at] <= 300 or linked[at] > 0.25 * chars[at]
            own = int(frame.junk == 2 or few)
        junk.append(max(around, own))
    return junk


def _sums(page: Outline, values: Sequence[float]) -> list[_Sums]:
    sums = [_Sums() for _ in page.frames]
    for block, value in zip(page.blocks, values, strict=True):
        at = sums[block.frame]
        at.value += value
        at.chars += len(block.text)
        at.linked += block.linked
        at.blocks += 1
        at.good += len(block.text) if value > 0 else 0
    for number in range(len(sums) - 1, 0, -1):
        parent, own = sums[page.frames[number].parent], sums[number]
        parent.value += own.value
        parent.chars += own.chars
        parent.linked += own.linked
        parent.blocks += own.blocks
        parent.good += own.good
    return sums


def _discount(page: Outline, values: list[float], sums: Sequence[_Sums]) -> None:
    """Cards and repeated items, such as teasers and comments, speak against their surroundings."""
    whole = sums[0].good if sums else 0
    items = _repeated(page, sums, whole)
    for at, block in enumerate(page.blocks):
        frame: int = block.frame
        while frame >= 0 and sums[frame].chars <= 1500:
            own = sums[frame]
            styled = not page.frames[frame].sign.endswith(".None")
            card = own.blocks >= 2 and own.chars < 500 and own.linked > 0.25 * own.chars
            if (card and styled) or frame in items:
                values[at] = -abs(values[at]) - 1
                break
            frame = page.frames[frame].parent


def _repeated(page: Outline, sums: Sequence[_Sums], whole: int) -> set[int]:
    """Elements that are one of many alike, each of several blocks and opened by a scrap."""
    opened_by: dict[int, Block] = {}
    for block in page.blocks:
        around = block.frame
        while around >= 0 and around not in opened_by:
            opened_by[around] = block
            around = page.frames[around].parent
    alike: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, frame in enumerate(page.frames):
        # What a template makes has a class; a list that someone wrote has none.
        if sums[at].blocks >= 2 and frame.tag in _ITEMS and not frame.sign.endswith(".None"):
            alike[frame.parent, frame.sign].append(at)
    found: set[int] = set()
    for group in alike.values():
        scraps = [at for at in group if _is_scrap(opened_by[at])]
        alone = sum(sums[at].good for at in group) > 0.8 * whole and len(group) < 20
        if len(group) >= 4 and 2 * len(scraps) >= len(group) and not alone:
            found.update(group)
    return found


def _is_scrap(block: Block) -> bool:
    """A name, a date, a linked headline: how a comment or a teaser begins."""
    if block.kind == "heading":
        return block.link_share > 0.5
    return len(block.text) < 60 and not _END.search(block.text)


# ── choice ──────────────────────────────────────────────────────────────────────────────────


def _best(page: Outline, sums: Sequence[_Sums]) -> int | None:
    """The element worth most, the innermost of equals; one marked as the article is preferred."""
    top = _richest(sums, range(len(sums)))
    if top is None:
        return None
    marked = [at for at, frame in enumerate(page.frames) if frame.hint]
    best = max(marked, key=lambda at: sums[at].good, default=top)
    if 2 * sums[best].good < sums[top].good:
        return top
    for at in marked:
        share = 0.4 if _alone(page, at, sums) else 0.8
        if at > best and sums[at].good >= share * sums[best].good and _within(page, at, best):
            best = at
    return best


def _alone(page: Outline, at: int, sums: Sequence[_Sums]) -> bool:
    """Whether this is the page's one `article`; others are at most a quarter as long."""
    if page.frames[at].tag != "article":
        return False
    others = [
        sums[other].good
        for other, frame in enumerate(page.frames)
        if frame.tag == "article" and other != at and not _within(page, other, at)
    ]
    return 4 * max(others, default=0) <= sums[at].good


def _richest(sums: Sequence[_Sums], among: Iterable[int]) -> int | None:
    best = max(among, key=lambda at: (sums[at].value, at), default=None)
    return best if best is not None and sums[best].value > 0 else None


def _within(page: Outline, at: int, outer: int) -> bool:
    while at > outer:
        at = page.frames[at].parent
    return at == outer


def _inside(page: Outline, root: int) -> list[bool]:
    inside: list[bool] = []
    for at, frame in enumerate(page.frames):
        inside.append(at == root or (frame.parent >= 0 and inside[frame.parent]))
    return inside


def _trimmed(chosen: list[tuple[Block, float]]) -> list[Block]:
    """Without links, scraps before the first prose, and what follows a heading such as Related."""
    first = next((at for at, (block, value) in enumerate(chosen) if value > 0), len(chosen))
    kept: list[Block] = []
    for at, (block, value) in enumerate(chosen):
        if block.kind == "caption" or _leave_out(block, value, before=at < first):
            continue
        kept.append(block)
    return _without_tags(_without_tail(_without_bare_headings(_without_labels(kept))))


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
    return loose and len(block.text) < 80 and not _END.search(block.text)


def _without_tags(blocks: list[Block]) -> list[Block]:
    """Without a closing list of short links that no heading or line announces."""
    end = len(blocks)
    while end and blocks[end - 1].kind == "item" and blocks[end - 1].link_share > 0.9:
        end -= 1
    announced = end and (blocks[end - 1].kind == "heading" or blocks[end - 1].text.endswith(":"))
    short = all(len(block.text) < 40 for block in blocks[end:])
    return blocks[:end] if end and short and not announced else blocks


def _leave_out(block: Block, value: float, before: bool) -> bool:
    if block.kind == "heading":
        return value < 0
    if block.kind in ("code", "table"):
        return block.link_share > 0.7
    if block.kind == "item" and block.link_share > 0.5:
        return before
    if 0.5 < block.link_share <= 0.8 and _END.search(block.text):
        return before
    if before:
        return value <= 0
    return value < 0 and (block.link_share > 0.5 or value < -15.0)


def _without_tail(blocks: list[Block]) -> list[Block]:
    """Cut at a closing heading in the last third, where little text follows."""
    whole = sum(len(block.text) for block in blocks)
    seen = 0
    for at, block in enumerate(blocks):
        if (
            seen > 0.6 * whole
            and (block.kind == "heading" or len(block.text) < 60)
            and _TAIL.match(block.text)
        ):
            return blocks[:at]
        seen += len(block.text)
    return blocks


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


def as_markdown(blocks: Sequence[Block]) -> str:
    """Blocks as Markdown."""
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        gap = "\n" if before is not None and before.kind == block.kind == "item" else "\n\n"
        parts.append((gap if parts else "") + _written(block))
        before = block
    return "".join(parts)


def _written(block: Block) -> str:
    if block.kind == "heading":
        return "#" * block.level + " " + block.text
    if block.kind == "item":
        return "  " * (block.level - 1) + (f"{block.mark} " if block.mark else "  ") + block.text
    if block.kind == "code":
        return f"```\n{block.text}\n```"
    return f"> {block.text}" if block.kind == "quote" else block.text
