"""Candidates: the sentences of the passages that a report could quote, each able to stand alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadline.text.quotes import locate, plain
from leadline.text.sentences import Span, is_prose, sentences
from leadline.text.words import content_words, stem, words
from leadline.types import Passage

_REFERS_BACK = re.compile(
    r"(?:he|she|it|they|this|these|those|that|his|her|its|their|him|them|such|both|however|but|and|"
    r"or|also|then|thus|so|therefore|instead|otherwise|moreover|furthermore|additionally|likewise|"
    r"similarly|meanwhile|nevertheless|consequently|hence|in addition|for example|"
    r"in (?:this|that|these|such|other|the above) \w+|as such|at this point|for instance|"
    r"as a result|on the other hand|the former|the latter|here|here's|above|below|we|you'll|"
    r"now|again|finally|next|second|third|another|other)\b"
    r"|[他她它这该其此但而]|因此|所以|然而|此外|同时|また|しかし|これ|それ",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"^(?:see|note that|for more|read|refer to|learn)\b"
    r"|\b(?:the following|(?:code|example|snippet|table|figure|section)s? (?:above|below))\b"
    r"|\bas (?:mentioned|described|seen|shown) (?:above|below|previously|earlier|in)\b|[?？]",
    re.IGNORECASE,
)
_CODE = re.compile(r"`([^`]+)`")
_LOOKS_CITED = re.compile(r"\[\d{1,4}\]")
_LONGEST = 600
_LIFE = re.compile(
    r"\([^()]{0,60}\b1?\d{3}\b[^()]{0,20}\s?[–—-]\s?[^()]{0,30}\b[12]\d{3}\b[^()]{0,30}\)"
)
_LIVED = frozenset({stem("born"), stem("died")})  # what "(1886 – 1960)" after a name says


@dataclass(frozen=True, slots=True)
class Candidate:
    """One quotable claim: `text` as printed; `about` are the words of its title and section."""

    text: str
    source: int
    passage: int
    at: int  # which sentence of the passage it is
    words: frozenset[str]
    about: frozenset[str]
    title: str = ""
    section: str = ""
    dangling: bool = False  # refers to something said before that could not be brought along
    item: bool = False  # stands in a list
    first: bool = False  # opens its passage


def candidates(passages: Sequence[Passage], titles: Mapping[int, str]) -> list[Candidate]:
    """The quotable sentences of `passages` in order, no text twice."""
    found: dict[str, Candidate] = {}
    for number, passage in enumerate(passages):
        title = titles.get(passage.source, "")
        for one in _in_passage(passage, number, title):
            found.setdefault(one.text, one)
    return list(found.values())


def _in_passage(passage: Passage, number: int, title: str) -> list[Candidate]:
    spans = sentences(passage.text)
    about = frozenset(stem(word) for word in words(f"{title} {passage.section}"))
    found: list[Candidate] = []
    for at, span in enumerate(spans):
        if span.kind not in {"prose", "item", "quote"} or not is_prose(span.text):
            continue
        text, dangling = _standing(passage.text, spans, at)
        if len(text) > _LONGEST or _LOOKS_CITED.search(text) or not locate(text, passage.text):
            continue
        found.append(
            Candidate(
                text,
                passage.source,
                number,
                at,
                _words(text),
                about,
                title,
                passage.section,
                dangling,
                span.kind == "item",
                not found,
            )
        )
    return found


def _words(text: str) -> frozenset[str]:
    """The words that count; small words count where they are code (`let`)."""
    said = {*content_words(text), *(stem(w) for code in _CODE.findall(text) for w in words(code))}
    return frozenset(said | _LIVED if _LIFE.search(text) else said)


def _standing(text: str, spans: Sequence[Span], at: int) -> tuple[str, bool]:
    """The sentence, with the one before it where it refers back; and whether it still dangles."""
    span = spans[at]
    shown = plain(span.text)
    if not _REFERS_BACK.match(shown):
        return shown, bool(_POINTS.search(shown)) or shown.count("(") != shown.count(")")
    before = spans[at - 1] if at else None
    if before is None or before.kind != span.kind or text[before.end : span.start].strip():
        return shown, True
    both = plain(text[before.start : span.end])
    if not is_prose(before.text) or len(both) > _LONGEST or "\n\n" in text[before.end : span.start]:
        return shown, True
    return both, bool(_REFERS_BACK.match(both))
