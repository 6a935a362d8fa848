"""Paragraphs: what a page is cut into to be ranked and shown, each under its headings.

A paragraph keeps what belongs together: a sentence that ends in a colon and the list, table or code
below it, a term and its definition; and short ones under one heading stand together. It is cut
where a heading or a new term stands, and where it grows too long. What more is said of a term
stands under it as under a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leadline.text.blocks import Block, blocks
from leadline.text.sentences import sentences
from leadline.text.windows import BELOW
from leadline.types import Passage

LONGEST = 700  # characters of a paragraph
SHORTEST = 350  # less than this joins what follows it under the same heading
_TERM = 90  # a line as short as this, without a full stop, is a term that what follows defines
_LEADS_ON = (":", "：")
_INDENTED = re.compile(r"(?:(?: {4}|\t).*(?:\n|$))+")  # code, as Markdown and manuals show it
_MARKERS = frozenset("-*+•>")  # of a list or a quotation; they stand before a sentence
_INDENTED_LINE = re.compile(r"^(?: {4}|\t)", re.MULTILINE)
_REMARK = re.compile(r"\w[a-z]+:?")  # "Note", "Warning": a word over a remark, no term
_STOPPED = re.compile(r"[.!?;,。！？…][\"'”’»)\]*_`]*$")


@dataclass(frozen=True)
class Paragraph:
    """`passages[passage].text[start:end]`, and the headings that it stands under."""

    passage: int
    source: int
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()

    @property
    def is_running(self) -> bool:
        """Is it running text, which can stand on one line?"""
        found = blocks(self.text)
        prose = all(block.kind == "prose" for block in found)
        return prose and not (_INDENTED_LINE.search(self.text) or self.term)

    @property
    def term(self) -> str:
        """The term that it opens with and explains, or nothing."""
        return next((_term(self.text, one) for one in blocks(self.text)[:1]), "")

    def stretches(self, longest: int) -> list[tuple[int, int]]:
        """Where whole sentences, rows and lines of code stand together for at most `longest`
        characters; one for each place to begin, as long as it can be."""
        units = list(self._units())
        found: list[tuple[int, int]] = []
        for at, (start, end) in enumerate(units):
            ends = [stop for _, stop in units[at:] if stop - start <= longest]
            found.append((start, max(ends, default=end)))
            if found[-1][1] == units[-1][1]:
                break  # what begins later would only be shorter
        return found

    def _units(self) -> Iterator[tuple[int, int]]:
        spans = sentences(self.text)
        for block in blocks(self.text):
            if block.kind in {"code", "table"} or _INDENTED.match(self.text, block.start):
                lines = re.finditer(r"[^\n]*\S[^\n]*", self.text[block.start : block.end])
                yield from (
                    (block.start + line.start(), block.start + line.end()) for line in lines
                )
            else:
                inside = [span for span in spans if block.start <= span.start < block.end]
                for span in inside:
                    line = self.text.rfind("\n", 0, span.start) + 1
                    marker = self.text[line : span.start]
                    yield (span.start if marker.strip() not in _MARKERS else line), span.end


def paragraphs(passages: Sequence[Passage]) -> list[Paragraph]:
    """All that the passages hold, in reading order, no text twice."""
    found: dict[str, Paragraph] = {}
    for number, passage in enumerate(passages):
        for start, end, headings in cut(passage.text, passage.section):
            text = passage.text[start:end]
            key = " ".join(text.split())
            found.setdefault(key, Paragraph(number, passage.source, start, end, text, headings))
    return list(found.values())


def cut(text: str, section: str = "") -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where the paragraphs of `text` stand, and the headings above each; `section` stands above
    them all."""
    path = [(0, label) for label in section.split(BELOW)] if section else []
    run: list[Block] = []
    term = ""
    for block in _pieces(text):
        ends = block.kind in {"heading", "meta", "markup"}
        if ends or (run and not _joins(text, run, block)):
            yield from _closed(text, run, path, term)
            term = _term(text, run[0]) or term if run else term
            run = []
        if block.kind == "heading":
            term, label = "", text[block.start : block.end].strip("# \t=~^-*`")
            path = [above for above in path if above[0] < block.level and above[1] != label]
            path.append((block.level, label))
        elif block.kind not in {"meta", "markup"}:
            run.append(block)
    yield from _closed(text, run, path, term)


def _closed(
    text: str, run: Sequence[Block], path: Sequence[tuple[int, str]], term: str
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    shown = text[run[0].start : run[-1].end].rstrip() if run else ""
    if run and not shown.endswith(_LEADS_ON):  # what it leads on to stands beyond the passage
        labels = [label for _, label in path]
        above = [term] if term and not _term(text, run[0]) else []
        yield run[0].start, run[-1].end, (*labels, *above)


def _term(text: str, block: Block) -> str:
    """The first line of a block, where it ends long before it is full: what the rest explains."""
    first, _, rest = text[block.start : block.end].partition("\n")
    if block.kind != "prose" or not rest.split() or _REMARK.fullmatch(first):
        return ""
    full = max(len(line) for line in rest.split("\n"))
    is_term = 2 * len(first) < full and not _STOPPED.search(first)
    return first.strip() if is_term else ""


def _joins(text: str, run: Sequence[Block], block: Block) -> bool:
    """Whether `block` goes on with what `run` says."""
    start, last = run[0].start, run[-1]
    if block.end - start > LONGEST:
        return False
    if block.kind == "code" or all(one.kind == "code" for one in run):
        return not _term(text, block)  # it stays with what explains it
    if last.kind == block.kind and block.kind in {"item", "table"}:
        return True
    short = text[last.start : last.end].strip()
    if last.kind == "prose" and len(short) <= _TERM and not _STOPPED.search(short):
        return True
    if short.endswith(_LEADS_ON):
        return True
    return last.end - start < SHORTEST and not _term(text, block)


def _pieces(text: str) -> Iterator[Block]:
    """The blocks of `text`; one that is too long by itself in stretches of whole sentences or
    lines."""
    for found in blocks(text):
        is_code = found.kind == "prose" and _INDENTED.fullmatch(text[found.start : found.end])
        block = found._replace(kind="code") if is_code else found
        if block.end - block.start <= LONGEST:
            yield _whole_lines(text, block)
            continue
        start = block.start
        for stop in _stops(text, block):
            if stop - start > LONGEST // 2:
                yield block._replace(start=start, end=stop)
                start = stop
        if text[start : block.end].strip():
            yield block._replace(start=start)


def _whole_lines(text: str, block: Block) -> Block:
    """The block with the marker of its list item or quotation."""
    if block.kind not in {"item", "quote"}:
        return block
    return block._replace(start=text.rfind("\n", 0, block.start) + 1)


def _stops(text: str, block: Block) -> Iterator[int]:
    """Where a block may be parted: at ends of lines, or of sentences as the check finds them."""
    if block.kind in {"code", "table"}:
        inside = text[block.start : block.end]
        yield from (block.start + match.end() for match in re.finditer(r"\n", inside))
    else:
        yield from (span.end for span in sentences(text) if block.start < span.end <= block.end)
