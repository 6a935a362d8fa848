"""Quotes: what a reader sees of a Markdown sentence, and where such a quote stands in its page.

`plain` makes the words that a report prints; `locate` finds them again, whatever the page has in
between of white space, emphasis, link targets, footnote marks, tags and template macros. Every
pattern looks at a bounded stretch, so the time is linear in the length of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_MARK = re.compile(
    r"(?::[A-Za-z][\w:+-]{0,40}:)?(?P<code>``[^\s`][^`\n]{0,300}``|(?<!`)`(?!`)[^`\n]{1,300}`(?!`))"
    r"|(?P<image>!\[[^\]\n]{0,300}\]\([^)\n]{0,500}\))"
    r"|\[(?P<label>(?:[^\[\]]|\[[^\[\]]{0,60}\]){1,300})\]"
    r"(?:\((?:[^()\s]|\([^()\s]{0,100}\)){0,500}(?:\s+\"[^\"\n]{0,200}\")?\)|\[[^\[\]\n]{0,100}\])"
    r"|(?P<note>\[\^?\d{1,4}\])"
    r"|(?P<macro>\{\{[^{}\n]{0,300}\}\})"
    r"|(?P<tag></?[A-Za-z](?:[\w-]{0,20})(?:\s[^<>\n]{0,300})?/?>)"
)
_ARGUMENT = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_EMPHASIS = re.compile(
    r"(?<![\w*_])(?:\*{1,3}|_{1,3})(?=[^\s*_])|(?<=[^\s*_])(?:\*{1,3}|_{1,3})(?![\w*_])"
)
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_LINE_MARK = re.compile(r"(?:\A|\n)[ \t]*>[ \t>]*")
_HOLE = "\ue000"  # stands for a piece of code while emphasis is taken out
_FILL = re.compile(_HOLE)
_MARKED = re.compile(rf"[`\[{{<>*_\\{_HOLE}]")  # without any of these a text is as it is read
_SOLID = re.compile(r"[^\s*_~`\\\[\]|#>]+")


class _Piece(NamedTuple):
    """A stretch of the page that a reader sees."""

    start: int
    text: str
    code: bool = False


@lru_cache(maxsize=4096)  # candidates, disputes, verdicts and scores look at the same sentences
def plain(text: str) -> str:
    """`text` as a reader sees it, on one line, without link targets, emphasis, notes or tags."""
    if not _MARKED.search(text):
        return " ".join(text.split())
    shown: list[str] = []
    codes: list[str] = []
    for piece in _pieces(text, 0):
        shown.append(_HOLE if piece.code else piece.text.replace(_HOLE, ""))
        codes += [piece.text] * piece.code
    bare = _EMPHASIS.sub("", _ESCAPE.sub("", _LINE_MARK.sub("\n", "".join(shown))))
    code = iter(codes)
    return " ".join(_FILL.sub(lambda _: f"`{next(code)}`", bare).split())


def locate(quote: str, page: str) -> tuple[int, int] | None:
    """Where `quote` stands in `page`, markup and white space aside; None when it does not."""
    wanted = _solid(quote)
    if not wanted:
        return None
    solid, offsets = _skeleton(page)
    at = solid.find(wanted)
    if at < 0:
        return None
    return offsets[at], offsets[at + len(wanted) - 1] + 1


def around(passage: str, start: int, end: int, room: int = 240) -> tuple[str, str]:
    """What stands before and after `start:end` of a passage: whole words, `room` of each."""
    before, after = passage[max(0, start - room) : start], passage[end : end + room]
    if start > room and passage[start - room - 1].isalnum():
        before = re.sub(r"^\w+", "", before, count=1) if " " in before else before
    if end + room < len(passage) and passage[end + room].isalnum():
        after = re.sub(r"\w+$", "", after, count=1) if " " in after else after
    return before.lstrip(), after.rstrip()


@lru_cache(maxsize=4096)  # the same sentences are looked for by candidates, verdicts and scores
def _solid(quote: str) -> str:
    pieces = _pieces(quote, 0) if _MARKED.search(quote) else (_Piece(0, quote),)
    return "".join([run for piece in pieces for run in _SOLID.findall(piece.text)])


@lru_cache(maxsize=64)
def _skeleton(text: str) -> tuple[str, tuple[int, ...]]:
    """The characters that count for finding a quote, and where each stands in `text`."""
    solid: list[str] = []
    offsets: list[int] = []
    for piece in _pieces(text, 0):
        for run in _SOLID.finditer(piece.text):
            solid.append(run.group())
            offsets.extend(range(piece.start + run.start(), piece.start + run.end()))
    return "".join(solid), tuple(offsets)


def _pieces(text: str, base: int) -> Iterator[_Piece]:
    """What a reader sees of `text`, which stands at `base` of its page."""
    last = 0
    for match in _MARK.finditer(text):
        if match.start() > last:
            yield _Piece(base + last, text[last : match.start()])
        last = match.end()
        if match["code"]:
            ticks = 2 if match["code"].startswith("``") else 1
            start, end = match.start("code") + ticks, match.end("code") - ticks
            yield _Piece(base + start, text[start:end], code=True)
        elif match["label"]:
            yield from _pieces(match["label"], base + match.start("label"))
        elif match["macro"]:
            yield from _argument(match, base)
    if last < len(text):
        yield _Piece(base + last, text[last:])


def _argument(match: re.Match[str], base: int) -> Iterator[_Piece]:
    """The words a template macro shows: its second argument, or the first."""
    found = [one for one in _ARGUMENT.finditer(match.group()) if one[1] or one[2]][:2]
    for shown in found[-1:]:
        group = 1 if shown[1] else 2
        yield _Piece(base + match.start() + shown.start(group), shown[group])
