"""Which remembered observations serve a task: meaning and words fused, near copies left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from leadline.frozen import frozen
from leadline.question.analyse import Part, analyse
from leadline.rank.word_coverage import coverage
from leadline.text.sentences import sentences
from leadline.text.words import content_words

# On LoCoMo R@10 is .661 with 0.3 and .658 with 0.4, and only with 0.3 is it better than words alone
# and vectors alone for every kind of question.
KEYWORD_WEIGHT = 0.3
COPY = 0.97  # similarity of two observations that say the same
CANDIDATES = 3  # of each backend, for every one that is wanted


@frozen
class Scored:
    """A candidate with what both backends say of it."""

    key: str
    score: float
    similarity: float
    keyword: float


def fused(
    similarity: Mapping[str, float], keyword: Mapping[str, float], weight: float = KEYWORD_WEIGHT
) -> list[Scored]:
    """Every candidate, best first: similarity + `weight` × its keyword score, the best being 1."""
    most = max(keyword.values(), default=0.0)
    found = []
    for key in {**similarity, **keyword}:
        near = similarity.get(key, 0.0)
        said = max(keyword.get(key, 0.0), 0.0) / most if most > 0 else 0.0
        found.append(Scored(key, near + weight * said, near, said))
    return sorted(found, key=lambda one: (-one.score, one.key))


def diverse(
    ranked: Sequence[Scored], alike: Callable[[str, str], float], count: int
) -> list[Scored]:
    """The best `count` of which no two say the same."""
    kept: list[Scored] = []
    for one in ranked:
        if len(kept) == count:
            break
        if all(alike(one.key, other.key) < COPY for other in kept):
            kept.append(one)
    return kept


def within(texts: Sequence[str], max_chars: int) -> tuple[str, ...]:
    """As many of the texts as fit, in order; one that does not fit is passed over, never cut."""
    kept: list[str] = []
    room = max_chars
    for text in texts:
        if len(text) + 1 <= room:
            kept.append(text)
            room -= len(text) + 1
    return tuple(kept)


# ── what of it serves a task ────────────────────────────────────────────────────────────────

SERVES = 0.5  # share of the task's words that a finding, its title and its question must have
KNOWN = 0.85  # share of a query's words that one sentence must have to answer it
SUPPORTED = 0.75  # share of a part's words that a remembered passage must have to support it
SETTLED = 0.95  # share of a part's words that one sentence must have to settle it
_LEAST_WORDS = 3  # a query of fewer asks for all there is, not for one fact
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_LONG = 2000  # characters of a paragraph that is still one passage
_TELLING = frozenset({"person", "time", "place", "number"})


def serves(task: str, finding: str, title: str, question: str) -> bool:
    """Whether a finding that answered `question` is about what `task` asks."""
    wanted = content_words(task)
    have = {*content_words(finding), *content_words(title), *content_words(question)}
    own = {*content_words(finding), *content_words(title)}
    return bool(own & set(wanted)) and coverage(wanted, have, {}) >= SERVES


def speaking_of(task: str, title: str, text: str) -> list[tuple[int, int, float]]:
    """The paragraphs of a page that have most of a task's words, one not in the title among them:
    where each begins and ends, and the share that it has."""
    wanted, head = list(dict.fromkeys(content_words(task))), content_words(title)
    found = []
    for match in _PARAGRAPH.finditer(text):
        start, end = match.span()
        own = set(content_words(match.group())) if end - start <= _LONG else set()
        if own & (set(wanted) - set(head)):
            share = coverage(wanted, {*head, *own}, {})
            if share >= SUPPORTED:
                found.append((start, end, share))
    return found


def known_query(query: str, told: Sequence[Told]) -> bool:
    """Whether one sentence, with the title of its source, says what a query asks for."""
    wanted = list(dict.fromkeys(content_words(query)))
    if len(wanted) < _LEAST_WORDS:
        return False
    return any(coverage(wanted, one.words, {}) >= KNOWN for one in told)


def speaks(query: str, title: str, text: str) -> bool:
    """Whether a passage, with its title, has at least half of a query's words."""
    wanted = list(dict.fromkeys(content_words(query)))
    return coverage(wanted, {*content_words(title), *content_words(text)}, {}) >= SERVES


def settled(task: str, told: Sequence[Told]) -> bool:
    """Whether each part of a question asks for a person, time, place or number, and has one
    sentence that answers it whole. With "how" and "why" counted too, related questions proved a
    tenth fewer claims; lists and comparisons are never settled by single sentences."""
    question = analyse(task)
    if question.wanted or question.compared or not question.parts:
        return False
    return all(any(_settles(part, one) for one in told) for part in question.parts)


def supported(task: str, passages: Sequence[tuple[str, str]]) -> bool:
    """Whether each part of a question has a passage, given with its title, that has most of its
    words. Lists and comparisons are never so supported."""
    question = analyse(task)
    if question.wanted or question.compared or not question.parts:
        return False
    texts = [{*content_words(title), *content_words(text)} for title, text in passages]
    return all(
        any(coverage(part.words, text, {}) >= SUPPORTED for text in texts)
        for part in question.parts
    )


def _settles(part: Part, told: Told) -> bool:
    if coverage(part.words, told.words, {}) < SETTLED:
        return False
    from leadline.rank.evidence import evidence  # not where nothing is remembered

    return part.expects in _TELLING and evidence(part.expects, told.text, part.label) > 0


@frozen
class Told:
    """A sentence, and its words with those of its source's title."""

    text: str
    words: frozenset[str]


def told(title: str, text: str) -> list[Told]:
    """The sentences of a text under a title."""
    head = content_words(title)
    return [
        Told(span.text, frozenset([*head, *content_words(span.text)])) for span in sentences(text)
    ]
