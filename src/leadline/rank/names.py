"""Names in text: the capitalised and quoted spans of a passage, and what a document is called.

A span may lead to another document; a name tells when that document has been reached. Names are
compared in lower case and without accents, since one document writes Émile and the other Emile.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from leadline.text.words import STOPWORDS, words

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*\.?|\S")
_QUOTED = re.compile(r'["“]\s?([^"“”\n]{2,80}?)\s?["”]')
_JOINS = frozenset(words("of the de la van von der den du di da and del al bin ibn")) | {"&"}
_MOST_JOINS = 2
_DATES = frozenset(
    words(
        """january february march april may june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday"""
    )
)
_PARENTHESIS = re.compile(r"\s*\([^)]*\)")
_LEAD = re.compile(r'\s*["“]?\s*(.{2,90}?)["”]?\s*(?:\(|,| is | was | are | were | refers )')
_LONGEST_LEAD = 8
_OPENING = 120  # characters of a text that may hold its name
_ABBREVIATION = 3  # "St." and "J." do not end a name, "Paris." does
_STROKES = str.maketrans("łŁøØđĐħĦıŧŦ", "lLoOdDhHitT")


class Span(NamedTuple):
    """A name as it stands in a text: for comparing, where it begins, and as it is written."""

    name: str
    start: int
    written: str


def fold(text: str) -> str:
    """`text` with Latin letters freed of their accents; each character stays where it is."""
    if text.isascii():
        return text
    return "".join(map(_plain, text.translate(_STROKES)))


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    first = unicodedata.normalize("NFKD", character)[0]
    return first if first.isascii() and first.isalpha() else character


@lru_cache(maxsize=65536)
def normal(text: str) -> str:
    """`text` as its words with one space between: lower case, no accents, fit to compare."""
    return " ".join(words(fold(text)))


@lru_cache(maxsize=16384)
def spans(text: str) -> tuple[Span, ...]:
    """The quoted spans of `text`, then its runs of capitalised words; no dates, no stopwords."""
    found = [(match.group(1), match.start(1)) for match in _QUOTED.finditer(text)]
    found.extend(_capitalised(text))
    trimmed = ((_trimmed(written), start) for written, start in found)
    named = (Span(normal(written), start, written) for written, start in trimmed)
    return tuple(span for span in named if _says_something(span.name))


def names(title: str, text: str) -> tuple[str, ...]:
    """What a document is called: its title, the title's head, and the words its text opens with."""
    return _names(title, text[:_OPENING])


@lru_cache(maxsize=16384)
def _names(title: str, opening: str) -> tuple[str, ...]:
    head = _PARENTHESIS.sub("", title)
    found = [normal(title), normal(head), normal(head.split(",")[0]), *_lead(opening)]
    return tuple(dict.fromkeys(name for name in found if _says_something(name)))


def _lead(opening: str) -> list[str]:
    """The subject of the opening sentence: "Ann Mary Lee (born …" is Ann Mary Lee, and Ann Lee."""
    match = _LEAD.match(opening)
    if not match or not (match.group(1)[:1].isupper() or opening.lstrip()[:1] in '"“'):
        return []
    name = normal(match.group(1)).removeprefix("the ")
    parts = name.split()
    if not 1 <= len(parts) <= _LONGEST_LEAD:
        return []
    has_middle = len(parts) == 3
    return [name, f"{parts[0]} {parts[2]}"] if has_middle else [name]


def _capitalised(text: str) -> list[tuple[str, int]]:
    """Runs of capitalised words, small words between them included, each with its place."""
    found: list[tuple[str, int]] = []
    run: list[str] = []
    joins: list[str] = []
    start = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        ends = token.endswith(".") and len(token) > _ABBREVIATION
        if token[:1].isupper():
            start = start if run else match.start()
            run += [*joins, token.rstrip(".")]
            joins = []
        elif run and token.lower() in _JOINS and len(joins) < _MOST_JOINS:
            joins.append(token)
        else:
            ends = True
        if ends and run:
            found.append((" ".join(run), start))
            run, joins = [], []
    if run:
        found.append((" ".join(run), start))
    return found


def _trimmed(span: str) -> str:
    parts = span.removesuffix("'s").removesuffix("’s").split()
    while len(parts) > 1 and (parts[0].lower() in STOPWORDS or parts[0].lower() in _JOINS):
        parts = parts[1:]
    return " ".join(parts)


def _says_something(name: str) -> bool:
    return any(
        len(word) > 1 and not word.isdigit() and word not in STOPWORDS and word not in _DATES
        for word in name.split()
    )
