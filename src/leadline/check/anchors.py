"""Anchors of a sentence: the numbers, dates, names and quotations that cannot be paraphrased.

A claim that holds an anchor which none of its passages hold is wrong or about something else,
however alike the words are. Equality is tolerant: "1,200" is "1.2 thousand", "5 March 1999" is
"1999-03-05", an acronym is the name it stands for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from leadline.question.entities import entities
from leadline.text.values import Date, Number, Value, equal, holds, pieced, rounds, values
from leadline.text.words import STOPWORDS, stem, words


class Kind(StrEnum):
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    QUOTE = "quote"


class Held(StrEnum):
    """How far a text holds an anchor: `near` when rounded, in part or pieced together."""

    EXACT = "exact"
    NEAR = "near"
    MISSING = "missing"


@dataclass(frozen=True)
class Anchor:
    """A span of a sentence that a source must hold; `value` is what it is compared by."""

    kind: Kind
    text: str
    start: int
    end: int
    value: Value | str


@dataclass(frozen=True)
class Holdings:
    """What a text holds to compare anchors with. `flat` is its words with a space all round."""

    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]
    flat: str
    solid: str  # the same without spaces: CTLA-4 is CTLA4
    stems: frozenset[str]
    initials: frozenset[str]
    people: frozenset[tuple[str, str]]  # each capitalised word with the one before it
    capitals: frozenset[str]  # words that stand with a capital wherever they stand


FIGURES = (Kind.NUMBER, Kind.DATE)

_QUOTED = re.compile(
    r"\"([^\"\n]{2,400})\"|“([^”\n]{2,400})”|«([^»\n]{2,400})»|``([^`\n]{2,400})''"
)
_CUT = re.compile(r"\[[^\]]{0,60}\]|\.{3,}|…")
_QUOTE_WORDS = 3  # fewer are a title or a term, and may be declined
_CAPITALS = re.compile(
    r"(?<![\w.’'-])[A-ZÀ-Þ][\w’'.-]{0,60}+"
    r"(?:\s+(?:(?:of|the|and|for|de|la|von|van)\s+){0,3}[A-ZÀ-Þ][\w’'.-]{0,60}+){1,12}"
)
_WORD = re.compile(r"[^\W_]+")
_PAIR = re.compile(r"([A-Z][\w’'-]+)\s+(?:[A-Z]\.\s+)?(?=([A-Z][\w’'-]+))")
_DULL = frozenset(
    """inc corp corporation ltd limited llc plc co company group mr mrs ms dr prof sir lord lady
    jr sr st the new january february march april may june july august september october november
    december monday tuesday wednesday thursday friday saturday sunday i roughly about around
    over under nearly almost approximately some more less fewer at""".split()  # noqa: SIM905
)
_STROKES = str.maketrans("łŁøØđĐħĦıŧŦ", "lLoOdDhHitT")
_ACCENT = re.compile("[\u0300-\u036f]+")
_MOST_INITIALS = 6
_SHORTEST = 3


@lru_cache(maxsize=4096)  # verdicts and scores look at the same claims
def anchors(sentence: str) -> tuple[Anchor, ...]:
    """The anchors of `sentence`, each once: quotations, dates and numbers, then names."""
    quotes = list(_quotes(sentence))
    figures = [
        Anchor(
            Kind.DATE if isinstance(one, Date) else Kind.NUMBER, one.text, one.start, one.end, one
        )
        for one in values(sentence)
    ]
    found = (*quotes, *figures, *_names(sentence, quotes))
    return tuple({(one.kind, one.text): one for one in reversed(found)}.values())[::-1]


def missing(claim: str, passage: str) -> tuple[Anchor, ...]:
    """The anchors of `claim` that `passage`, the text of all it cites, does not hold."""
    held = holdings(passage)
    return tuple(one for one in anchors(claim) if holding(one, held) is Held.MISSING)


@lru_cache(maxsize=512)
def holdings(text: str) -> Holdings:
    """`text` taken apart once for all the anchors that are looked for in it."""
    bare = folded(text)
    text_words, tokens = words(bare), set(_WORD.findall(bare))
    figures = [one for line in text.splitlines() for one in values(line, overlapping=True)]
    numbers = [one for one in figures if isinstance(one, Number)]
    dates = [one for one in figures if isinstance(one, Date)]
    pairs = ((first.lower(), last.lower()) for first, last in _PAIR.findall(bare))
    return Holdings(
        numbers=tuple({(one.value, one.unit): one for one in numbers}.values()),
        dates=tuple({(one.low, one.high, one.month, one.day): one for one in dates}.values()),
        flat=f" {' '.join(text_words)} ",
        solid="".join(text_words),
        stems=frozenset(map(stem, text_words)),
        initials=frozenset(
            letters for match in _CAPITALS.finditer(text) for letters in _initials(match.group())
        ),
        people=frozenset(pair for pair in pairs if pair[0] not in STOPWORDS | _DULL),
        capitals=frozenset(
            word.lower() for word in tokens if word[0].isupper() and word.lower() not in tokens
        ),
    )


def holding(anchor: Anchor, held: Holdings) -> Held:
    """Whether a text with these holdings says the anchor."""
    if isinstance(anchor.value, Number):
        return _number(anchor.value, held)
    if isinstance(anchor.value, Date):
        return _date(anchor.value, held)
    return (_quote if anchor.kind is Kind.QUOTE else _name)(anchor.value, held)


def folded(text: str) -> str:
    """`text` without accents on letters, so that Émile is Emile."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text.translate(_STROKES))
    return unicodedata.normalize("NFC", _ACCENT.sub("", apart))


def _quotes(sentence: str) -> Iterator[Anchor]:
    for match in _QUOTED.finditer(sentence):
        group = match.lastindex or 1
        quoted, start, end = match[group], match.start(group), match.end(group)
        if len(words(quoted)) >= _QUOTE_WORDS:
            yield Anchor(Kind.NAME if _is_title(quoted) else Kind.QUOTE, quoted, start, end, quoted)


def _is_title(quoted: str) -> bool:
    """Whether it names a work: "The Old Man and the Sea" may be told in part."""
    telling = [word for word in re.findall(r"[^\W\d_]+", quoted) if word.lower() not in STOPWORDS]
    return len(telling) > 1 and all(word[0].isupper() for word in telling)


def _names(sentence: str, quotes: list[Anchor]) -> Iterator[Anchor]:
    """The names, without those that are whole quotations; a name may stand inside one."""
    quoted = {one.text.strip() for one in quotes}
    for found in entities(sentence):
        gloss = f"({found})" in sentence  # "chronic kidney disease (CKD)"
        if found not in quoted and not gloss and _telling(found):
            start = max(sentence.find(found), 0)
            yield Anchor(Kind.NAME, found, start, start + len(found), found)


def _telling(name: str) -> list[str]:
    """The words of a name that tell it from others."""
    return [
        word
        for word in words(folded(name))
        if len(word) > 1 and word not in STOPWORDS | _DULL and not word.isdigit()
    ]


def _number(claim: Number, held: Holdings) -> Held:
    if any(equal(claim, source) for source in held.numbers):
        return Held.EXACT
    if any(rounds(claim, source) for source in held.numbers):
        return Held.NEAR
    if claim.unit == "th" and any(source.value == claim.value for source in held.numbers):
        return Held.NEAR
    in_date = not claim.unit or claim.unit == "th"
    parts = {part for date in held.dates for part in (date.low, date.day)}
    return Held.NEAR if in_date and claim.value in parts else Held.MISSING


def _date(claim: Date, held: Holdings) -> Held:
    if any(holds(source, claim) for source in held.dates):
        return Held.EXACT
    counted = claim.is_year and not claim.month
    if pieced(held.dates, claim) or (
        counted and any(source.value == claim.low for source in held.numbers)
    ):
        return Held.NEAR
    return Held.MISSING


def _quote(quoted: str, held: Holdings) -> Held:
    """Every stretch between omissions and insertions must stand in the text, in order."""
    at = 0
    for piece in _CUT.split(quoted):
        if stretch := " ".join(words(folded(piece))):
            at = held.flat.find(f" {stretch} ", at)
            if at < 0:
                return Held.MISSING
            at += len(stretch)
    return Held.EXACT


def _name(name: str, held: Holdings) -> Held:
    parts, telling = words(folded(name)), _telling(name)
    solid = "".join(parts).removeprefix("the")
    if f" {' '.join(parts)} " in held.flat:
        return Held.EXACT
    if len(solid) > _SHORTEST and solid in held.solid:
        return Held.NEAR
    lacking = [word for word in telling if stem(word) not in held.stems]
    if not lacking:
        near = not _other_number(parts, held)
    elif _is_short(name, held) or set(_initials(name)) & held.stems:
        near = True
    elif telling[-1] in lacking:
        near = bool(_of_a_place(telling[-1]) & held.stems)
    else:
        near = _is_known_by(telling[-1], name, held)
    return Held.NEAR if near else Held.MISSING


def _is_known_by(last: str, name: str, held: Holdings) -> bool:
    """Whether the text means `name` by its last word: not "copper" for "Pacific Copper", and not
    Ann Lee for Bruce Lee."""
    if last not in held.capitals and name[0].isupper():
        return False
    others = {first for first, second in held.people if second == last}
    return not others or bool(others & set(_telling(name)))


def _other_number(parts: list[str], held: Holdings) -> bool:
    """Whether the text has the name with another number: "iPhone 12" for "iPhone 13"."""
    pairs = [(a, b) for a, b in pairwise(parts) if b.isdigit() and not a.isdigit()]
    return any(
        f" {word} {number} " not in held.flat and re.search(rf" {re.escape(word)} \d", held.flat)
        for word, number in pairs
    )


def _of_a_place(word: str) -> set[str]:
    """Libya for Libyan and Libyan for Libya, as stems."""
    forms = {word + "n", word + "an", word + "ian", word.removesuffix("a") + "ian"}
    for ending in ("n", "an", "ian"):
        base = word.removesuffix(ending)
        forms |= {base, base + "a"} if base != word and len(base) > 2 else set()
    return {stem(form) for form in forms}


def _is_short(name: str, held: Holdings) -> bool:
    """An acronym whose long form the text has, such as WHO."""
    letters = re.sub(r"[^A-Za-z]", "", name)
    return letters.isupper() and letters.lower() in held.initials


def _initials(span: str) -> Iterator[str]:
    """The acronyms a run of capitalised words can have, with and without its small words."""
    parts = re.findall(r"[^\W\d_]+", folded(span))
    capital = [part[0].lower() for part in parts if part[0].isupper()]
    for letters in (capital, [part[0].lower() for part in parts]):
        for size in range(2, min(len(letters), _MOST_INITIALS) + 1):
            yield "".join(letters[:size])
            yield "".join(letters[-size:])
