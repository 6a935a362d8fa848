"""Candidates: the sentences of the passages that a report could quote, each able to stand alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leadline.guard.policy import is_flagged
from leadline.text.quotes import locate, plain
from leadline.text.sentences import Span, is_prose, sentences
from leadline.text.words import content_words, stem, words
from leadline.types import Passage
from leadline.values import replace

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
_BACK = 1  # sentences
_LIFE = re.compile(
    r"\([^()]{0,60}\b1?\d{3}\b[^()]{0,20}\s?[–—-]\s?[^()]{0,30}\b[12]\d{3}\b[^()]{0,30}\)"
)
_LIVED = frozenset({stem("born"), stem("died")})  # what "(1886 – 1960)" after a name says


@dataclass(frozen=True)
class Candidate:
    """One quotable claim: `text` as printed; `about` are the words of its title and section."""

    text: str
    source: int
    passage: int
    begins: int  # the first and the last sentence of the passage that it quotes
    at: int
    words: frozenset[str]
    about: frozenset[str]
    title: str = ""
    section: str = ""
    dangling: bool = False  # refers to something said before that could not be brought along
    item: bool = False  # stands in a list
    first: bool = False  # opens its passage


def candidates(
    passages: Sequence[Passage], titles: Mapping[int, str], own: Collection[int] = ()
) -> list[Candidate]:
    """The quotable sentences of `passages` in order, no text twice. `own` are the numbers of the
    user's documents, in which less is taken for an order to a machine."""
    found: dict[str, Candidate] = {}
    for number, passage in enumerate(passages):
        title = titles.get(passage.source, "")
        for one in _in_passage(passage, title, passage.source in own):
            if one.text not in found:
                found[one.text] = replace(one, passage=number)
    return list(found.values())


@lru_cache(maxsize=128)  # most passages are there before the last page has come
def _in_passage(passage: Passage, title: str, own: bool) -> tuple[Candidate, ...]:
    """The candidates of one passage, which has no number yet."""
    spans = sentences(passage.text)
    about = frozenset(stem(word) for word in words(f"{title} {passage.section}"))
    found: list[Candidate] = []
    for at, span in enumerate(spans):
        if span.kind not in {"prose", "item", "quote"} or not is_prose(span.text):
            continue
        begins, text, dangling = _standing(passage.text, spans, at)
        if _unfit(text) or not locate(text, passage.text):
            continue
        if is_flagged(passage.text, spans[begins].start, span.end, own):
            continue
        found.append(
            Candidate(
                text,
                passage.source,
                0,
                begins,
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
    return tuple(found)


def _unfit(text: str) -> bool:
    """Too long, or with something that looks like a citation."""
    return len(text) > _LONGEST or _LOOKS_CITED.search(text) is not None


def _words(text: str) -> frozenset[str]:
    """The words that count; small words count where they are code (`let`)."""
    said = {*content_words(text), *(stem(w) for code in _CODE.findall(text) for w in words(code))}
    return frozenset(said | _LIVED if _LIFE.search(text) else said)


def _standing(text: str, spans: Sequence[Span], at: int) -> tuple[int, str, bool]:
    """The sentence with as many before it as it refers back to; and whether it still dangles."""
    begins = at
    shown = plain(spans[at].text)
    while _REFERS_BACK.match(shown) and at - begins < _BACK and _follows(text, spans, begins):
        longer = plain(text[spans[begins - 1].start : spans[at].end])
        if len(longer) > _LONGEST:
            break
        begins, shown = begins - 1, longer
    loose = _REFERS_BACK.match(shown) or _POINTS.search(shown)
    return begins, shown, bool(loose) or shown.count("(") != shown.count(")")


def _follows(text: str, spans: Sequence[Span], at: int) -> bool:
    """Whether the sentence at `at` goes on from the one before, in the same paragraph."""
    if not at:
        return False
    before, span = spans[at - 1], spans[at]
    gap = text[before.end : span.start]
    return (
        before.kind == span.kind and not gap.strip() and "\n\n" not in gap and is_prose(before.text)
    )
