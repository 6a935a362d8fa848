"""What HTML shows and what it hides: its text without tags, and the parts that no reader sees.

Style sheets and classes are not evaluated; only comments, attributes and inline styles count.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leadline.guard.disguises import Piece, Plain, plain

_TAG = re.compile(r"<(!--|/?[A-Za-z][^\s<>/]{0,40})([^<>]{0,2000})>?")
_END_OF_CODE = re.compile(r"</(?:script|style)", re.IGNORECASE)
_HIDING = re.compile(
    r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0(?![.\d])"
    r"|opacity\s{0,3}:\s{0,3}0(?![.\d])|text-indent\s{0,3}:\s{0,3}-\d{3}|left\s{0,3}:\s{0,3}-\d{4}"
    r"|(?<![\w-])color\s{0,3}:\s{0,3}(?:#fff(?:fff)?|white|transparent)\b"
    r"|\baria-hidden\s{0,3}=\s{0,3}[\"']?true"
    r"|(?<![\w-])hidden(?![\w-])(?!\s{0,3}=\s{0,3}[\"']?false)",
    re.IGNORECASE,
)
_DARK_GROUND = re.compile(
    r"background(?:-color)?\s{0,3}:(?!\s{0,3}(?:#fff|white|transparent|none))", re.IGNORECASE
)
_SENTENCE_ATTRIBUTE = re.compile(
    r"(?<![\w-])(?:alt|title|aria-label|content|value)\s{0,3}=\s{0,3}"
    r"(?:\"([^\"<>]{12,1000})\"|'([^'<>]{12,1000})')"
)
_COMMENT = "!--"
_CODE = ("script", "style")
_NEVER_CLOSED = (
    "br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track",
    "wbr",
)  # fmt: skip
_INLINE = (
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "u", "wbr",
)  # fmt: skip


@dataclass(frozen=True)
class _Tag:
    """`markup[start:end]`; a comment, a script and a style reach to where they end."""

    name: str
    attributes: str
    start: int
    end: int


def _tags(markup: str) -> Iterator[_Tag]:
    at = 0
    while (match := _TAG.search(markup, at)) is not None:
        name, at = match.group(1).lower(), match.end()
        if name == _COMMENT:
            close = markup.find("-->", match.start() + len("<!--"))
            at = len(markup) if close < 0 else close + len("-->")
        elif name in _CODE:
            code = _END_OF_CODE.search(markup, at)
            at = len(markup) if code is None else code.start()
        yield _Tag(name, match.group(2), match.start(), at)


def shown_text(markup: str) -> Plain:
    """The plain form of HTML without tags, comments and code; what a style hides is in it."""
    texts: list[str] = []
    places: list[range] = []
    at = 0
    for tag in (*_tags(markup), _Tag("", "", len(markup), len(markup))):
        texts.append(markup[at : tag.start])
        places.append(range(at, tag.start))
        if tag.name.lstrip("/") not in _INLINE:  # a block ends a line
            texts.append("\n")
            places.append(range(tag.start, tag.start + 1))
        at = tag.end
    form = plain("".join(texts))
    origin = np.concatenate([np.arange(place.start, place.stop) for place in places])
    return Plain(form.text, origin if form.origin is None else origin[form.origin])


def hidden_parts(markup: str) -> tuple[Piece, ...]:
    """The parts of HTML that a browser does not show: comments, hidden elements, attributes."""
    found: list[Piece] = []
    open_tags: list[str] = []
    hiding: tuple[int, int, str] | None = None  # how many tags were open, where it began, and why
    for tag in _tags(markup):
        if tag.name == _COMMENT:
            found.append(_comment(markup, tag))
        elif tag.name.startswith("/"):
            _close(open_tags, tag.name[1:])
            if hiding and len(open_tags) <= hiding[0]:
                found.append(_element(markup, hiding[1], tag.start, hiding[2]))
                hiding = None
        else:
            found.extend(_sentences_in(tag))
            if tag.name in (*_NEVER_CLOSED, *_CODE) or tag.attributes.endswith("/"):
                continue
            style = _HIDING.search(tag.attributes)
            if hiding is None and style and not _DARK_GROUND.search(tag.attributes):
                hiding = len(open_tags), tag.end, style.group().lower()
            open_tags.append(tag.name)
    if hiding:
        found.append(_element(markup, hiding[1], len(markup), hiding[2]))
    return tuple(piece for piece in found if piece.text.strip())


def _close(open_tags: list[str], name: str) -> None:
    """Take the tags off that end with the nearest one of this name, where there is one near."""
    if name in open_tags[-32:]:
        while open_tags.pop() != name:
            pass


def _comment(markup: str, tag: _Tag) -> Piece:
    words = markup[tag.start + len("<!--") : tag.end].removesuffix("-->")
    return Piece(words, tag.start, tag.end, "comment")


def _element(markup: str, start: int, end: int, reason: str) -> Piece:
    return Piece(html.unescape(_TAG.sub(" ", markup[start:end])), start, end, reason)


def _sentences_in(tag: _Tag) -> Iterator[Piece]:
    """Attributes that hold a sentence."""
    after_name = tag.start + 1 + len(tag.name)
    for match in _SENTENCE_ATTRIBUTE.finditer(tag.attributes):
        value = match.group(1) or match.group(2)
        if value.count(" ") > 2:
            start = after_name + match.start(match.lastindex or 0)
            yield Piece(html.unescape(value), start, start + len(value), "attribute")
