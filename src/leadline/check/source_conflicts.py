"""Sources that contradict each other: two sentences about the same thing, of different sources,
with another figure or with and without a "not".

Meant to be right rather than complete: a sentence must name what it is about, everything but the
one figure must agree, and what only dates or numbers a thing (a version, an edition, a page) does
not count. Copies of one text need no name: where all else is word for word the same, another
number is a disagreement.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations

from leadline.check.anchors import folded
from leadline.check.negation import turned
from leadline.frozen import frozen
from leadline.question.entities import entities
from leadline.text.dates import Date, dates, holds
from leadline.text.numbers import Number, equal, numbers, rounds
from leadline.text.prose import is_prose
from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.text.words import STOPWORDS, content_words, stem, words
from leadline.types import Dispute, Passage, Quote

MOST = 4  # shown
CONTAINED = 0.85  # of the words of the shorter sentence, figures aside
ALIKE = 0.5  # of the words of the longer
LEAST_SHARED = 4
SAME_TITLE = 0.7
_SITE = 3  # titles that have a word in common: it names the site, not the subject
COPIES = 4  # sentences that two sources have word for word, figures aside
LONGEST = 320  # characters
_MOST_SENTENCES = 3000
_KEYS = 3  # rarest words by which sentences are brought together
_CROWD = 40  # sentences that share a rare word: with more, it is not rare
_EARLY = 48  # characters within which a sentence names its subject
_OPENING = 12
_BEFORE = 24
_DIGITS = re.compile(r"\d+(?:[.,:/-]\d+)*")
_POINTING = frozenset(
    """this these that those it its he she they his her their there here such both each another
    we our i my you your one some if when for example e.g note see to""".split()  # noqa: SIM905
)
_LABELLED = re.compile(
    r"(?:\b(?:version|v|ver|release|chapter|section|figure|fig|table|step|page|part|level|phase"
    r"|volume|vol|no|number|item|line|example|exercise|day|week|round|season|episode|issue"
    r"|appendix|rfc|bug|ticket|cve|id|port|type|class|grade|route|highway|model|series)\.?\s*|#\s?)$",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b[A-Z][\w.+-]*[\s-]$")  # Apollo 11, HTTP 404
_LOOSE = re.compile(
    r"\b(?:about|around|roughly|up to|at least|at most|over|under|more than|less than|between"
    r"|approximately|nearly|almost|for example|such as|may|might|could)\b",
    re.IGNORECASE,
)
_SERIAL = re.compile(r"\d{5,}")  # a long number without marks or a unit is an id
_CODE = re.compile(r"`[^`]*`|\b[\w-]*[a-z][A-Z]\w*|\b\w+(?:[._:/]\w+)+|\w+\(\)|:[\w-]+")
_AS_OF = re.compile(r"\b(?:as of|since|until|by)\s+$", re.IGNORECASE)


@frozen
class _Told:
    """A sentence taken apart; its names are looked for in the few that are like another."""

    quote: Quote
    text: str
    bare: str  # without its figures
    masked: str  # its words, every figure the same
    stems: frozenset[str]
    figures: tuple[Number | Date, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        named = [name for name in entities(self.text) if not _DIGITS.search(name)]
        return frozenset(name.lower() for name in (*named, *_CODE.findall(self.bare)))

    @cached_property
    def named(self) -> bool:
        """Whether it says itself what it is about."""
        first = words(self.text)[:1]
        if not first or first[0] in _POINTING:
            return False
        low = self.text.lower()
        early = any(0 <= low.find(name) <= _EARLY for name in self.names)
        return early or _opens_named(self.text)


def disputes(
    passages: Sequence[Passage], task: str = "", titles: Mapping[int, str] | None = None
) -> tuple[Dispute, ...]:
    """The plainest contradictions between sources, those that share most with `task` first."""
    told = list(_sentences(passages))[:_MOST_SENTENCES]
    about = _subjects(titles or {})
    copies = _copies(told)
    asked = {stem(word) for word in content_words(task)}
    found: list[tuple[int, int, Dispute]] = []
    seen: set[tuple[str, str]] = set()
    for number, (one, two) in enumerate(_pairs(told)):
        sources = one.quote.source, two.quote.source
        numbered = _DIGITS.findall((titles or {}).get(sources[0], ""))
        alike = numbered == _DIGITS.findall((titles or {}).get(sources[1], ""))
        titled = alike and _one_subject(about, *sources)
        why = _odds(one, two, alike and sources in copies, titled)
        key = (one.masked, why)
        if why and key not in seen:
            seen.add(key)
            relevant = len(asked & (one.stems | two.stems))
            if relevant or not asked:
                found.append((-relevant, number, Dispute(one.quote, two.quote, why)))
    return tuple(dispute for _, _, dispute in sorted(found, key=lambda row: row[:2])[:MOST])


def _sentences(passages: Sequence[Passage]) -> Iterator[_Told]:
    for passage in passages:
        for span in sentences(passage.text):
            text = plain(span.text)
            if span.kind not in ("prose", "item") or len(text) > LONGEST or not is_prose(text):
                continue
            start, end = passage.start + span.start, passage.start + span.end
            yield _told(Quote(passage.source, span.text, passage.page, start, end), text)


@lru_cache(maxsize=4096)  # most passages are there before the last page has come
def _told(quote: Quote, text: str) -> _Told:
    when = dates(text)
    count = [
        one
        for one in numbers(text)
        if not any(one.start < date.end and date.start < one.end for date in when)
    ]
    told: list[Number | Date] = [*when, *count]
    figures = tuple(sorted(told, key=lambda one: one.start))
    bare = text
    for one in reversed(figures):
        bare = f"{bare[: one.start]} {bare[one.end :]}"
    stems = frozenset(stem(w) for w in content_words(folded(bare)) if not w.isdigit())
    return _Told(quote, text, bare, " ".join(words(_DIGITS.sub("0", bare))), stems, figures)


def _opens_named(text: str) -> bool:
    """Whether the first words are a name: "Basalt Ltd was …", "The Eiffel Tower is …"."""
    first = [word for word in text.split()[:3] if word.lower() not in STOPWORDS]
    return len(first) > 1 and all(word[:1].isupper() for word in first[:2])


def _copies(told: Sequence[_Told]) -> frozenset[tuple[int, int]]:
    """Pairs of sources that have several sentences word for word, figures aside."""
    by_wording: dict[str, set[int]] = defaultdict(set)
    for one in told:
        by_wording[one.masked].add(one.quote.source)
    counts = Counter(
        pair
        for some in by_wording.values()
        if 1 < len(some) <= _CROWD
        for pair in combinations(sorted(some), 2)
    )
    both = [pair for pair, shared in counts.items() if shared >= COPIES]
    return frozenset([*both, *((b, a) for a, b in both)])


def _pairs(told: Sequence[_Told]) -> Iterator[tuple[_Told, _Told]]:
    """Sentences of different sources that share a word rare among all of them."""
    counts = Counter(root for one in told for root in one.stems)
    by_word: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(told):
        for root in sorted(one.stems, key=lambda r: (counts[r] < 2, counts[r], r))[:_KEYS]:
            by_word[root].append(at)
    pairs = {
        (a, b)
        for some in by_word.values()
        if len(some) <= _CROWD
        for a, b in combinations(some, 2)
        if told[a].quote.source != told[b].quote.source
    }
    for a, b in sorted(pairs):
        yield told[a], told[b]


def _subjects(titles: Mapping[int, str]) -> dict[int, frozenset[str]]:
    """The words of each title that tell it from most others."""
    said = {number: frozenset(map(stem, content_words(one))) for number, one in titles.items()}
    counts = Counter(root for some in said.values() for root in some)
    common = {root for root, count in counts.items() if count > max(_SITE, len(said) / 3)}
    return {number: some - common for number, some in said.items()}


def _one_subject(about: Mapping[int, frozenset[str]], one: int, other: int) -> bool:
    """Whether the titles of two sources name the same thing, so that sentences need not."""
    ours, theirs = about.get(one, frozenset()), about.get(other, frozenset())
    return len(ours & theirs) >= max(1.0, SAME_TITLE * len(ours | theirs))


def _odds(one: _Told, two: _Told, copies: bool, titled: bool = False) -> str:
    """How the two contradict each other; "" when it cannot be told that they do."""
    short, long = sorted((one, two), key=lambda told: len(told.stems))
    shared = len(short.stems & long.stems)
    same = copies and one.masked == two.masked
    if not same and not _speak_of_one(short, long, shared, titled):
        return ""
    left, right = _unmatched(short.figures, long.figures), _unmatched(long.figures, short.figures)
    if not left:
        alike = shared == len(long.stems) and not right and not same
        denied = alike and turned(_CODE.sub(" ", one.text), _CODE.sub(" ", two.text))
        return "one says what the other denies" if denied else ""
    if len(left) != 1:
        return ""
    rivals = [figure for figure in right if _kind(figure) == _kind(left[0])]
    return _rival(short, left[0], long, rivals[0]) if len(rivals) == 1 else ""


def _speak_of_one(short: _Told, long: _Told, shared: int, titled: bool) -> bool:
    """Whether the longer sentence has nearly all words and all names of the shorter one, and both
    say what they are about, or their titles do."""
    if shared < LEAST_SHARED - titled:
        return False
    if shared < CONTAINED * len(short.stems) or shared < ALIKE * len(long.stems):
        return False
    if not titled and not (short.named and long.named):
        return False
    names = " ".join(long.names)
    return all(name in names for name in short.names) and _same_code(short, long)


def _same_code(short: _Told, long: _Told) -> bool:
    return set(_CODE.findall(short.text)) == set(_CODE.findall(long.text))


def _kind(figure: Number | Date) -> str:
    return "date" if isinstance(figure, Date) else figure.unit


def _unmatched(
    ours: Sequence[Number | Date], theirs: Sequence[Number | Date]
) -> list[Number | Date]:
    return [one for one in ours if not any(_same(one, two) for two in theirs)]


def _same(one: Number | Date, two: Number | Date) -> bool:
    if isinstance(one, Number) and isinstance(two, Number):
        return equal(one, two) or rounds(one, two) or rounds(two, one)
    if isinstance(one, Date) and isinstance(two, Date):
        return holds(one, two) or holds(two, one)
    return False


def _rival(one: _Told, mine: Number | Date, two: _Told, other: Number | Date) -> str:
    """Whether the two figures answer the same question differently."""
    if isinstance(mine, Number) != isinstance(other, Number):
        return ""
    if _labels(one.text, mine) or _labels(two.text, other):
        return ""
    if isinstance(mine, Number) and isinstance(other, Number):
        if mine.unit != other.unit or mine.unit == "th" or mine.rounded or other.rounded:
            return ""
        if not mine.unit and any(_SERIAL.fullmatch(figure.text) for figure in (mine, other)):
            return ""
        when = [
            *_unmatched(_dates(one), _dates(two)),
            *_unmatched(_dates(two), _dates(one)),
        ]
        if any(not date.day for date in when if isinstance(date, Date)):
            return ""  # what held in one year may not hold in another; a day dates an event
    return f"{mine.text.strip()} against {other.text.strip()}"


def _dates(told: _Told) -> list[Number | Date]:
    return [one for one in told.figures if isinstance(one, Date)]


def _labels(text: str, figure: Number | Date) -> bool:
    """Whether the figure names or dates a thing instead of saying something of it."""
    before = text[max(0, figure.start - _BEFORE) : figure.start]
    if isinstance(figure, Date):
        return figure.start <= _OPENING or bool(_AS_OF.search(before))
    return any(form.search(before) for form in (_LABELLED, _NAMED, _LOOSE))
