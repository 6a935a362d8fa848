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

from leadline.read.boilerplate import junk_of, weight, within
from leadline.read.boilerplate_phrases import SENTENCE_END, leads_away
from leadline.read.trimming import trimmed
from leadline.read.webblocks import Block, Frame, Outline

_ITEMS = frozenset({"div", "li", "article", "section", "tr"})
_COLUMNS = frozenset({"div", "section", "td", "aside"})
_LOOSE = frozenset(
    {"div", "td", "th", "body", "section", "article", "main", "header", "center", "span"}
)
_NOTE = re.compile(r"foot-?note|end-?note")
_SIGNATURE = re.compile(r"\w\(|\w::\w|->")
_MUCH = 1000  # characters of prose; of a small page a footer may be the half
_WHOLE_ARTICLE = 500  # characters of prose; a teaser is shorter
SHORT_HEAD = 8  # letters up to which a heading, such as News, may be in any title
_LARGEST_CARD = 1500  # characters; what is larger is told apart by other means


@dataclass(slots=True)
class _Sums:
    """What an element holds."""

    value: float = 0.0
    chars: int = 0
    linked: int = 0
    blocks: int = 0
    good: int = 0  # characters of prose


def main_blocks(page: Outline, title: str = "") -> list[Block]:
    """The blocks of the main content, in reading order; empty when nothing reads like one.

    The page's title tells its article where several stand one under the other.
    """
    junk = junk_of(page)
    values = [_value(block, junk[block.frame]) for block in page.blocks]
    sums = _sums(page, values)
    _discount(page, values, sums)
    sums = _sums(page, values)
    best = _titled(page, sums, title)
    best = _best(page, sums) if best is None else best
    if best is None:
        return []
    inside = _inside(page, best, _columns_of_links(page, sums, best))
    headers = _in_headers(page, sums)
    chosen = [
        (block, value)
        for block, value in zip(page.blocks, values, strict=True)
        if inside[block.frame]
        and not junk[block.frame]
        and (value > 0 or not headers[block.frame])  # of a header, only prose is the article's
    ]
    return trimmed(page, chosen)


def all_but_named(page: Outline) -> list[Block]:
    """Every block that is not named as something beside the article, and is not mostly links."""
    junk = junk_of(page)
    kept = [b for b in page.blocks if not junk[b.frame] and b.kind != "caption"]
    return kept if 2 * sum(b.linked for b in kept) <= sum(len(b.text) for b in kept) else []


# ── worth ───────────────────────────────────────────────────────────────────────────────────


def _value(block: Block, junk: int) -> float:
    if junk or block.kind == "caption":
        return 0.0
    if block.kind == "heading":
        return -10.0 if block.link_share > 0.5 else 0.0
    size = weight(block.text)
    if block.kind in ("code", "table"):
        return 0.5 * min(size, 1000) * (1 - 2 * min(1.0, block.link_share))
    return -float(min(size, 150)) if block.link_share > 0.5 else _prose_value(block, size)


def _prose_value(block: Block, size: int) -> float:
    plain = size * (1 - block.link_share)
    if plain >= 80:
        return plain
    if SENTENCE_END.search(block.text) and plain >= 25:
        return plain / 2
    return -15.0 if block.tag in _LOOSE else 0.0


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
    opened_by = page.opened_by()
    against = _repeated(page, sums, whole, opened_by) | _cards(page, sums, whole, opened_by)
    for at, block in enumerate(page.blocks):
        frame: int = block.frame
        while frame >= 0 and sums[frame].chars <= _LARGEST_CARD:
            if frame in against:
                values[at] = -abs(values[at]) - 1
                break
            frame = page.frames[frame].parent


def _cards(
    page: Outline, sums: Sequence[_Sums], whole: int, opened_by: dict[int, Block]
) -> set[int]:
    """Small elements with a class that are links to a good part, and no parts of the article."""
    cards = {
        at
        for at, own in enumerate(sums)
        if own.blocks >= 2
        and own.chars < 500
        and own.linked > 0.25 * own.chars
        and 2 * own.good <= whole
        and _is_made(page.frames[at])
        and not _is_entry(opened_by[at])
    }
    if not cards:
        return cards
    heads = _headed(page, sums, opened_by)
    away = _leading_away(page, sums) if any(heads[at] >= 0 for at in cards) else set()
    return {at for at in cards if heads[at] < 0 or heads[at] in away}


def _headed(page: Outline, sums: Sequence[_Sums], opened_by: dict[int, Block]) -> list[int]:
    """For each element, the part of the article with a heading that it is, or is all of; or -1.

    The heading is no link, as a teaser's is; an element among others of its kind has its own.
    """
    alike = Counter((frame.parent, frame.sign) for frame in page.frames)
    heads: list[int] = []
    for at, frame in enumerate(page.frames):
        first, own = opened_by.get(at), sums[at]
        if first is None or own.chars > _LARGEST_CARD or not frame.in_hint:
            heads.append(-1)
        elif first.kind == "heading":
            heads.append(-1 if first.linked or own.good < 80 else at)
        else:
            only = alike[frame.parent, frame.sign] == 1 and frame.parent >= 0
            heads.append(heads[frame.parent] if only else -1)
    return heads


def _leading_away(page: Outline, sums: Sequence[_Sums]) -> set[int]:
    """Small elements that hold a link such as "Read more"."""
    found: set[int] = set()
    for block in page.blocks:
        if block.linked and leads_away(block.text):
            at = block.frame
            while at >= 0 and at not in found and sums[at].chars <= _LARGEST_CARD:
                found.add(at)
                at = page.frames[at].parent
    return found


def _repeated(
    page: Outline, sums: Sequence[_Sums], whole: int, opened_by: dict[int, Block]
) -> set[int]:
    """Elements that are one of many alike, each of several blocks and opened by a scrap."""
    alike: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, frame in enumerate(page.frames):
        if sums[at].blocks >= 2 and frame.tag in _ITEMS and _is_made(frame):
            alike[frame.parent, frame.sign].append(at)
    found: set[int] = set()
    for group in alike.values():
        scraps = [at for at in group if _is_scrap(opened_by[at])]
        alone = sum(sums[at].good for at in group) > 0.8 * whole
        alone = alone and (len(group) < 20 or page.frames[group[0]].in_article)
        # A chronology has no links; comments have one to answer by and teasers lead elsewhere.
        alone = alone or (
            page.frames[group[0]].in_hint and not any(sums[at].linked for at in group)
        )
        if len(group) >= 4 and 2 * len(scraps) >= len(group) and not alone:
            found.update(group)
    return found


def _is_made(frame: Frame) -> bool:
    """Whether a template made an element, that is, gave it a class; a list someone wrote has none.

    Notes are made too, each with its number and a link, but belong to the text.
    """
    if frame.sign.endswith(".None"):
        return False
    return "note" not in frame.sign or _NOTE.search(frame.sign) is None


def _is_scrap(block: Block) -> bool:
    """A name, a date, a linked headline: how a comment or a teaser begins, and no entry does."""
    if _is_entry(block):
        return False
    if block.kind == "heading":
        return block.link_share > 0.5
    return len(block.text) < 60 and not SENTENCE_END.search(block.text)


def _is_entry(block: Block) -> bool:
    """Whether a reference may begin to tell of something here."""
    return block.kind == "code" or _SIGNATURE.search(block.text) is not None


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
        if at > best and sums[at].good >= share * sums[best].good and within(page, at, best):
            best = at
    # A reference has so many names and links between its entries that the longest one wins.
    most = sums[0].good if sums[0].good >= _MUCH else 0
    while 2 * sums[best].good < most and page.frames[best].parent >= 0:
        best = page.frames[best].parent
    return best


def _titled(page: Outline, sums: Sequence[_Sums], title: str) -> int | None:
    """Of several articles with headings of their own, the one that the page's title names.

    The others are loaded under it, so that a reader goes on to them.
    """
    if not title or sum(frame.tag == "article" for frame in page.frames) < 2:
        return None
    outer: list[int] = []  # for each element the outermost article around it, or -1
    for at, frame in enumerate(page.frames):
        around = outer[frame.parent] if frame.parent >= 0 else -1
        outer.append(at if around < 0 and frame.tag == "article" else around)
    long = {at for at in outer if at >= 0 and sums[at].good >= _WHOLE_ARTICLE}
    if len(long) < 2:
        return None
    heads: dict[int, list[str]] = {at: [] for at in long}
    for block in page.blocks:
        if block.kind == "heading" and block.level == 1 and outer[block.frame] in long:
            heads[outer[block.frame]].append(letters(block.text))
    named = [at for at, own in heads.items() if any(_names(head, title) for head in own)]
    return named[0] if len(named) == 1 and all(heads.values()) else None


def _names(head: str, title: str) -> bool:
    """Whether a page's title, which may name the site too, has a heading that says something."""
    return weight(head) > SHORT_HEAD and head in letters(title)


def letters(text: str) -> str:
    """A text without case, spaces and marks, to tell whether another says the same."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _alone(page: Outline, at: int, sums: Sequence[_Sums]) -> bool:
    """Whether this is the page's one `article`; others are at most a quarter as long."""
    if page.frames[at].tag != "article":
        return False
    return all(
        frame.tag != "article"
        or 4 * sums[other].good <= sums[at].good
        or other == at
        or within(page, other, at)
        for other, frame in enumerate(page.frames)
    )


def _richest(sums: Sequence[_Sums], among: Iterable[int]) -> int | None:
    best = max(among, key=lambda at: (sums[at].value, at), default=None)
    return best if best is not None and sums[best].value > 0 else None


def _in_headers(page: Outline, sums: Sequence[_Sums]) -> list[bool]:
    """For each element, whether it is in a header that is a small part of the page."""
    found: list[bool] = []
    for at, frame in enumerate(page.frames):
        inside = frame.parent >= 0 and found[frame.parent]
        found.append(inside or (_is_header(frame) and 3 * sums[at].chars < sums[0].chars))
    return found


def _is_header(frame: Frame) -> bool:
    if frame.tag == "header":
        return True
    return bool(frame.names) and any(name == "header" for name, _ in frame.names)


def _inside(page: Outline, root: int, without: set[int]) -> list[bool]:
    inside: list[bool] = []
    for at, frame in enumerate(page.frames):
        around = frame.parent >= 0 and inside[frame.parent]
        inside.append(at == root or (around and at not in without))
    return inside


def _columns_of_links(page: Outline, sums: Sequence[_Sums], best: int) -> set[int]:
    """Parts of the chosen element that are links to nearly a half and hold little of its prose."""
    links = [0] * len(sums)
    for block in page.blocks:
        links[block.frame] += block.link_share > 0.9
    for at in range(len(links) - 1, 0, -1):
        links[page.frames[at].parent] += links[at]
    return {
        at
        for at, own in enumerate(sums)
        if links[at] >= 4
        and page.frames[at].tag in _COLUMNS
        and own.linked > 0.4 * own.chars
        and 4 * own.good < sums[best].good
    }


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
