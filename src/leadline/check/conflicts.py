"""Sources that contradict each other: two sentences of different sources, however short, that say
the same of one thing but for one figure, or but for a "not".

What only dates or numbers a thing (a version, an edition, a page) is no contradiction, nor is the
same amount in other words, nor what held in another year.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from leadline.check.anchors import folded
from leadline.check.negation import NEGATIONS, denied, opposed, root, spelled_out
from leadline.check.quoted import opening_name
from leadline.check.sentence_tokens import tokens
from leadline.question.entities import entities
from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.text.values import Date, Number, Value, agree, values
from leadline.text.words import STOPWORDS, words
from leadline.types import Dispute, Passage, Quote

MOST = 4  # shown
ALIKE = 0.7  # of the words of both, figures aside
BEARING = 0.5  # of the words of the question, or of a statement, that the other has
FEW = 4  # words that both have: with fewer, all must be the same
LONGEST = 320  # characters of a sentence
_MOST_SENTENCES = 3000
_CROWD = 40  # sentences that share a rare word: with more, it is not rare
_KEYS = 3  # rarest words by which sentences are brought together
_BEFORE = 24
_OPENING = 12
_CONTEXT = 200  # characters before a statement that may name what it is about
_POINTING = frozenset(
    """this these that those it its he she they his her their there here such both each another
    we our i my you your one some if when for example see""".split()  # noqa: SIM905
)
_LABEL = re.compile(r"([^\W\d_]+)[\s-]$|#\s?$")
_LEAD = re.compile(r"^[^\W\d_]+:\s+")  # "Correction: …"
# What says from when on something holds, before what it says.
_FROM_WHEN = re.compile(
    r"(?:(?:since|as of|from|starting with|beginning with|with|after)\s+(?:the\s+)?"
    r"(?:release|version|revision|update|v\.?)?\s*v?\d[\w.-]*(?:\s+on(?:wards?)?)?,?|now,?)\s+",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+(?:\.\d+)*")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CODE = re.compile(r"`[^`]*`|\b[\w-]*[a-z][A-Z]\w*|\b\w+(?:[._:/]\w+)+|\w+\(\)|\b\w*_\w+|--[\w-]+")


@dataclass(frozen=True)
class Statement:
    """A sentence of a source as what it speaks of, and its figures and denials. `code` are the
    things it names as code does, or those that the text right before it names."""

    quote: Quote
    text: str
    words: frozenset[str]  # roots, figures and negations aside
    figures: tuple[Value, ...]
    denied: frozenset[str]
    names: frozenset[str]
    code: frozenset[str]
    about: frozenset[str]  # what the page is about, where the statement does not say it itself
    is_update: bool = False  # says from when on it holds


def conflicts(
    passages: Sequence[Passage],
    task: str = "",
    titles: Mapping[int, str] | None = None,
    published: Mapping[int, str] | None = None,
    answer: str = "",
) -> tuple[Dispute, ...]:
    """The plainest contradictions between sources that bear on `task` or on its `answer`, best
    first."""
    titles = titles or {}
    asked = _roots(task) | _roots(plain(answer))
    on_it = _on_the_subject(passages, task, titles)
    told = [one for one in _statements(passages, titles) if one.quote.source in on_it]
    found: dict[tuple[str, str], tuple[int, Dispute]] = {}
    for one, two in _pairs(told[:_MOST_SENTENCES]):
        bearing = len(asked & one.words & two.words)
        least = BEARING * min(len(asked), len(one.words), len(two.words))
        if bearing < least or _numbered(one, two, titles):
            continue
        if why := contradiction(one, two):
            newer = _newer(one, two, titles, published or {})
            dispute = Dispute(one.quote, two.quote, why, newer)
            found.setdefault((one.text, why), (-bearing, dispute))
    best = sorted(found.values(), key=lambda row: row[0])
    return tuple(dispute for _, dispute in best[:MOST])


def contradiction(one: Statement, two: Statement) -> str:
    """How the two contradict each other; "" when it cannot be told that they do."""
    if not _same_subject(one, two):
        return ""
    left, right = _apart(one.figures, two.figures), _apart(two.figures, one.figures)
    if not (left and right) and (thing := _denied(one, two)):
        return f"one says what the other denies: {thing}"
    if len(left) != 1 or len(right) != 1 or one.denied != two.denied:
        return ""
    if opposed(one.text, two.text):
        return ""
    return _rivals(one, left[0], two, right[0])


def _on_the_subject(
    passages: Sequence[Passage], task: str, titles: Mapping[int, str]
) -> frozenset[int]:
    """The sources that name what the question names; all, where it names nothing or none does."""
    named = {word for name in entities(task) for word in words(name) if word not in STOPWORDS}
    texts: dict[int, str] = {}
    for one in passages:
        texts[one.source] = f"{texts.get(one.source, titles.get(one.source, ''))} {one.text}"
    naming = {source for source, text in texts.items() if named & set(words(text))}
    return frozenset(naming or texts)


def _numbered(one: Statement, two: Statement, titles: Mapping[int, str]) -> bool:
    """Whether the titles tell two things apart by a number that is no year: Lock 3 and Lock 4."""
    numbers = [
        {figure for figure in _DIGITS.findall(title) if not _YEAR.fullmatch(figure)}
        for title in (titles.get(one.quote.source, ""), titles.get(two.quote.source, ""))
    ]
    return numbers[0] != numbers[1] and all(numbers)


def _statements(passages: Sequence[Passage], titles: Mapping[int, str]) -> Iterator[Statement]:
    for passage in passages:
        spans = sentences(passage.text)
        about = _roots(titles.get(passage.source, ""))
        if not spans or about.isdisjoint(_roots(opening_name(plain(spans[0].text)))):
            about = frozenset()
        for span in spans:
            said_in_full = _LEAD.sub("", plain(span.text))
            text = _FROM_WHEN.sub("", said_in_full, count=1)
            first = words(text)[:1]
            if span.kind not in ("prose", "item") or len(text) > LONGEST or not first:
                continue
            if text.endswith(("?", ":")):
                continue
            start, end = passage.start + span.start, passage.start + span.end
            quote = Quote(passage.source, span.text, passage.page, start, end)
            before = passage.text[max(0, span.start - _CONTEXT) : span.start]
            code = frozenset(_CODE.findall(text)) or frozenset(_CODE.findall(before)[-1:])
            figures = values(text)
            names = frozenset(one.key for one in tokens(text)[1:] if one.is_name)
            roots = _roots(text)
            if first[0] in _POINTING:
                if not (earlier := _roots(before)):
                    continue
                roots |= earlier
            subject = about if about.isdisjoint(roots) else frozenset()
            is_update = text != said_in_full
            denies = denied(text)
            yield Statement(quote, text, roots, figures, denies, names, code, subject, is_update)


def _roots(text: str) -> frozenset[str]:
    bare = folded(spelled_out(text))
    for one in reversed(values(bare)):
        bare = f"{bare[: one.start]} {bare[one.end :]}"
    dull = STOPWORDS | NEGATIONS
    return frozenset(root(word) for word in words(bare) if word not in dull and word.isalpha())


def _pairs(told: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Statements of different sources that share a word rare among all of them."""
    counts = Counter(word for one in told for word in one.words)
    by_word: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(told):
        for word in sorted(one.words, key=lambda w: (counts[w] < 2, counts[w], w))[:_KEYS]:
            by_word[word].append(at)
    pairs = {
        pair
        for some in by_word.values()
        if len(some) <= _CROWD
        for pair in combinations(some, 2)
        if told[pair[0]].quote.source != told[pair[1]].quote.source
    }
    for a, b in sorted(pairs):
        yield told[a], told[b]


def _same_subject(one: Statement, two: Statement) -> bool:
    """Whether both say the same of one thing: in few words all must be the same, or all but one
    where both give an amount of the same kind."""
    if one.code != two.code or (one.about and two.about and one.about.isdisjoint(two.about)):
        return False
    if not (one.names <= two.names | two.words or two.names <= one.names | one.words):
        return False
    shared, every = len(one.words & two.words), len(one.words | two.words)
    if shared >= FEW:
        return shared >= ALIKE * every
    units = {getattr(figure, "unit", "") for figure in (*one.figures, *two.figures)}
    spare = len(units) == 1 and units != {""} and shared == min(len(one.words), len(two.words))
    # "runs on port 9090", "is not on port 9090": what is denied is the figure, in other words.
    spare = spare or (shared > 1 and _denies_figure(one, two))
    return 0 < shared >= every - spare


def _denies_figure(one: Statement, two: Statement) -> bool:
    """Whether one of the two denies the very figure that the other gives."""
    return any(
        word.isdigit() and word in words(other.text) and not other.denied
        for here, other in ((one, two), (two, one))
        for word in here.denied
    )


def _denied(one: Statement, two: Statement) -> str:
    """What one of the two denies and the other asserts, in words."""
    for here, other in ((one, two), (two, one)):
        turned = here.denied & {root(word) for word in words(other.text)}
        figures = {word for word in here.denied if word.isdigit()}
        if turned and not other.denied and (not figures or figures & turned):
            return ", ".join(sorted(figures & turned or turned))
    return ""


def _apart(ours: Sequence[Value], theirs: Sequence[Value]) -> list[Value]:
    return [one for one in ours if not any(agree(one, two) for two in theirs)]


def _rivals(one: Statement, mine: Value, two: Statement, other: Value) -> str:
    """Whether the two figures answer the same question differently."""
    if isinstance(mine, Number) != isinstance(other, Number):
        return ""
    if (
        isinstance(mine, Number)
        and isinstance(other, Number)
        and (mine.unit != other.unit or mine.unit == "th" or mine.rounded or other.rounded)
    ):
        return ""
    if (
        isinstance(mine, Date)
        and isinstance(other, Date)
        and (mine.low, other.low)
        != (
            mine.high,
            other.high,
        )
    ):
        return ""  # a decade, a century
    if _labels(one, mine) or _labels(two, other):
        return ""
    return f"{mine.text.strip()} against {other.text.strip()}"


def _labels(said: Statement, figure: Value) -> bool:
    """Whether the figure names or dates a thing instead of saying something of it."""
    if said.text[figure.end : figure.end + 1].isalnum():
        return True
    before = said.text[max(0, figure.start - _BEFORE) : figure.start]
    if isinstance(figure, Date):
        return figure.start <= _OPENING
    label = _LABEL.search(before)
    if not label or figure.unit or (label[1] or "").lower() in STOPWORDS:
        return False
    if not label[1] or label[1][0].isupper():
        return True  # "#3", "Apollo 11"
    earlier, after = len(_roots(said.text[: figure.start])), words(said.text[figure.end :])[:1]
    counts = bool(after) and after[0] not in STOPWORDS
    return earlier < (FEW // 2 if counts else len(said.words))


def _newer(
    one: Statement, two: Statement, titles: Mapping[int, str], published: Mapping[int, str]
) -> int:
    """Which of two sources is newer, by its date, the year in its title or its own words; 0 where
    none tells."""
    sources = (one.quote.source, two.quote.source)
    when = [
        published.get(source, "")[: len("2026-01-01")]
        or max(_YEAR.findall(titles.get(source, "")), default="")
        for source in sources
    ]
    if all(when) and when[0] != when[1]:
        return sources[when[0] < when[1]]
    return sources[two.is_update] if one.is_update != two.is_update else 0
