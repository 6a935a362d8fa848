"""Sentences: cuts a page into the smallest spans a report may quote, with exact offsets.

Headings, list items, table rows, code and block quotes are spans of their own and are never
glued to the paragraph after them. Every rule looks at a bounded stretch of text, so the time is
linear in the length of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from leadline.text.blocks import Block, Kind, blocks
from leadline.text.cjk import count_cjk
from leadline.text.words import STOPWORDS

MAX_SPAN = 2000  # longer runs without a stop (minified text, endless lists) are cut at a space

_STOP = re.compile(
    r"(?<![.!?…])[.!?…]++(?:[\"'”’»)\]*_`]|\[\d{1,3}\])*+(?=\s|$)"
    r"|[。！？｡]++[」』”’）】]*+"
)
_LAST_STOP = re.compile(r"[.!?…。！？｡][\"'”’»)\]*_`」』）】]*(?:\[\d{1,3}\])*$")
_NEWLINE = re.compile(r"\n")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«*_`]*$")
_NEXT_WORD = re.compile(r"[\s\"'“‘«(\[*_`>]*([^\W_][\w’']*|\S)?")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?$")
_LOOK = 40

_NEVER_LAST = frozenset(
    """mr mrs ms messrs dr prof st ste gen sen sens rep lt col capt cpt cmdr adm sgt maj rev hon
    gov govs pres supt det insp mt ft intl natl govt v vs viz cf eg ie e.g i.e approx incl esp
    resp dept univ assoc bzw usw ca str nr mme mlle""".split()  # noqa: SIM905
)
_BEFORE_NUMBER = frozenset(
    """no nos p pp vol vols fig figs eq eqs ch chap sec sect art ref refs tab ver v c ca para
    jan feb mar apr jun jul aug sep sept oct nov dec""".split()  # noqa: SIM905
)
_MAY_BE_LAST = frozenset(
    """inc corp ltd co llc plc jr sr etc al ph.d phd bros u.s u.k u.n e.u a.m p.m am pm b.c a.d
    jan feb mar apr jun jul aug sep sept oct nov dec ave blvd rd est
    ed eds trans min max avg""".split()  # noqa: SIM905
)


class Span(NamedTuple):
    """A piece of a page: `page[start:end] == text`. `kind` is that of the block it stands in."""

    text: str
    start: int
    end: int
    kind: Kind = "prose"


@lru_cache(maxsize=1024)  # gate, reflection and writer look at the same passages again and again
def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of `text` in reading order."""
    return tuple(span for block in blocks(text) for span in _of_block(text, block))


def is_prose(text: str) -> bool:
    """Whether `text` reads as a sentence: it ends like one, and is made of words."""
    line = " ".join(text.split())
    if not _LAST_STOP.search(line):
        return False
    letters = sum(char.isalnum() or char == " " for char in line)
    return count_cjk(line) >= 6 or (len(line.split()) >= 4 and letters >= 0.75 * len(line))


@lru_cache(maxsize=1024)
def told(text: str) -> tuple[str, ...]:
    """What `text` tells in sentences; where it has none, whatever stands there."""
    spans = tuple(span.text for span in sentences(text))
    return tuple(span for span in spans if is_prose(span)) or spans


def flat(text: str) -> str:
    """`text` on one line: what a reader is shown of a span that was wrapped in its page."""
    return " ".join(re.sub(r"\n[ \t]*>[ \t>]*", "\n", text).split())


def _of_block(text: str, block: Block) -> Iterator[Span]:
    start = block.start
    if block.kind in {"prose", "item", "quote"}:
        caseless = text[block.start : block.end].islower()
        for cut in _cuts(text, block, caseless):
            yield from _spans(text, start, cut, block.kind)
            start = cut
    yield from _spans(text, start, block.end, block.kind)


def _spans(text: str, start: int, end: int, kind: Kind) -> Iterator[Span]:
    """`start:end` without the white space around it, in pieces of at most `MAX_SPAN`."""
    while start < end:
        stop = _bounded(text, start, end)
        piece = text[start:stop].lstrip()
        first, piece = stop - len(piece), piece.rstrip()
        if piece:
            yield Span(piece, first, first + len(piece), kind)
        start = stop


def _bounded(text: str, start: int, end: int) -> int:
    if end - start <= MAX_SPAN:
        return end
    limit = start + MAX_SPAN
    found = (text.rfind(mark, start + MAX_SPAN // 2, limit) for mark in ("\n", " "))
    return next((cut for cut in found if cut > 0), limit)


def _cuts(text: str, block: Block, caseless: bool) -> Iterator[int]:
    """Where one sentence of a paragraph ends and the next begins."""
    places: list[tuple[int, re.Match[str] | None]] = [
        *((match.end(), match) for match in _STOP.finditer(text, block.start, block.end)),
        *((end, None) for end in _line_breaks(text, block)),
    ]
    last = block.start
    for at, match in sorted(places, key=lambda place: place[0]):
        if at > last and (match is None or _ends(text, match, last, block, caseless)):
            yield at
            last = at


def _line_breaks(text: str, block: Block) -> Iterator[int]:
    """Line ends inside a paragraph that were meant, such as a title above text or a menu.

    A wrapped line ends because the next word did not fit; one that ends long before the width
    of its paragraph, with a capital after it, was ended on purpose.
    """
    ends = [m.start() for m in _NEWLINE.finditer(text, block.start, block.end)]
    if not ends:
        return
    edges = [block.start - 1, *ends, block.end]
    widths = [after - before - 1 for before, after in pairwise(edges)]
    width = max(widths)
    for number, end in enumerate(ends):
        word = _first_word(text, end, block.end)
        if not word or word[0].islower() or not word[0].isalnum():
            continue
        if width < 32 or widths[number] + 1 + len(word) <= 0.6 * width:
            yield end


def _first_word(text: str, at: int, end: int) -> str:
    match = _NEXT_WORD.match(text, at, min(end, at + _LOOK))
    return (match.group(1) or "") if match else ""


def _ends(text: str, match: re.Match[str], begin: int, block: Block, caseless: bool) -> bool:
    """Whether the stop in `match` ends the sentence that began at `begin`."""
    stop = match.group()
    if stop[0] in "。！？｡":
        return True
    after = _first_word(text, match.end(), block.end)
    if not after:
        return match.end() < block.end
    if after[0].islower() and not caseless and after.isalpha() and after[1:].islower():
        return False  # but names such as iPhone, miR-203 or p53 may begin a sentence
    if not after[0].isalnum() and after[0] not in "-–—#$€£@&<{|/~+%¿¡\\":
        return False
    if stop[0] != "." or stop.startswith(".."):
        return True
    return _full_stop(text, match.start(), begin, after, caseless)


def _full_stop(text: str, at: int, begin: int, after: str, caseless: bool) -> bool:
    found = _LAST_WORD.search(text, max(begin, at - _LOOK), at)
    before = found.group() if found else ""
    word = before.lower()
    if not before:
        return True
    if at - begin <= 4 and before.isalnum() and not text[begin:at].strip().isalpha():
        return False  # the number of a list item: "3. Open the file."
    if word in _NEVER_LAST:
        return False
    if after[0].isdigit() and word in _BEFORE_NUMBER:
        return False
    initial = len(before) == 1 and before.isalpha() and (before.isupper() or caseless)
    if initial or word in _MAY_BE_LAST or _DOTTED.match(before):
        opens = len(after) > 1 and after.lower() in STOPWORDS
        return opens and (after[0].isupper() or len(before) > 1)
    return True
