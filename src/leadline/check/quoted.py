"""Quoted: do a claim's own words stand in a source, exactly or nearly?

Nearly means: one clause of a sentence, another inflection or form of a number, a pronoun for its
name or the name for its pronoun, an opening phrase that has moved. Every word of the claim is found
in the order of the sentence, and nothing is exchanged, denied or made certain by what is left out.
What passes here is proven by code alone; what does not may still be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leadline.check.negation import NEGATIONS
from leadline.check.sentence_tokens import BE, Token, same, tokens
from leadline.text.cjk import has_cjk
from leadline.text.quotes import locate
from leadline.text.words import STOPWORDS

LEAST_WORDS = 3
_MOST_TOKENS = 120  # of a sentence: what is longer is a table or a list
_MOVED = 8  # words of an opening phrase that may stand at the end
_ARTICLES = frozenset("a an the that".split())  # noqa: SIM905
_LINKS = frozenset("also however then thus therefore too indeed".split())  # noqa: SIM905
_WHEN = frozenset("in on since by until during".split())  # noqa: SIM905
_JOINTS = frozenset("and but while whereas".split())  # noqa: SIM905
_PRONOUNS = frozenset("he she it they him her them his its their hers theirs".split())  # noqa: SIM905
# What is left out together with one of these may turn what is kept.
_DOUBT = NEGATIONS | frozenset(
    """n't if unless whether until except only may might could would should likely probably
    perhaps possibly allegedly reportedly supposedly according claim claimed claims believe
    believes believed said says say denied deny denies alleged rumored rumoured thought myth
    hypothetical false falsely former formerly almost nearly half""".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class QuoteMatch:
    """Where a claim's words stand: `start:end` of the sentence `at`."""

    at: int
    start: int
    end: int
    exact: bool = False


def is_quoted(
    claim: str, sentences: Sequence[str], names: Sequence[Sequence[str]] = ()
) -> QuoteMatch | None:
    """The first of `sentences` that says `claim` in its words. `names` are, for each sentence, what
    its pronouns may stand for: the title of its page, the name that opens the sentence before."""
    forms = _forms(claim)
    if not forms or len(forms[0]) < LEAST_WORDS:
        return None
    for at, sentence in enumerate(sentences):
        if has_cjk(claim):
            found = locate(claim.rstrip("。.！!"), sentence)
            if found and not _rest(sentence, *found):
                return QuoteMatch(at, *found, exact=True)
            continue
        mine = names[at] if at < len(names) else ()
        for theirs in _forms(sentence):
            if any(_says(ours, theirs, mine) for ours in forms):
                place = locate(claim.rstrip(".!"), sentence)
                start, end = place or _stretch(forms[0], theirs)
                return QuoteMatch(at, start, end, exact=place is not None)
    return None


def opening_name(sentence: str) -> str:
    """The name that a sentence begins with, which a pronoun in the next one may stand for."""
    run: list[str] = []
    for token in tokens(sentence)[:6]:
        if token.breaks or not token.text[0].isupper() or token.word in STOPWORDS:
            break
        run.append(token.text)
    return " ".join(run)


def _forms(text: str) -> list[tuple[Token, ...]]:
    """The words of `text`, and again with its opening phrase at the end: "In 1920, …"."""
    row = tokens(text)
    if not row or len(row) > _MOST_TOKENS:
        return []
    forms = [row]
    first = _dated(row) or next((at for at, one in enumerate(row) if one.breaks), 0)
    if 1 < first <= _MOVED and row[0].word in STOPWORDS - _DOUBT:
        forms.append((*row[first:], *row[:first]))
    return forms


def _dated(row: Sequence[Token]) -> int:
    """How many words of an opening date there are: "In 1931 the bridge …"."""
    if len(row) < LEAST_WORDS or row[0].word not in _WHEN or row[1].value is None:
        return 0
    return 2


def _says(ours: Sequence[Token], theirs: Sequence[Token], names: Sequence[str]) -> bool:
    """Whether `theirs` has all of `ours` in order, and what is left out between may be."""
    places = {at for at in range(len(theirs)) if _may_begin(theirs, at)}
    reached: list[set[int]] = [places, *(set() for _ in ours)]
    for at, token in enumerate(ours):
        for place in reached[at]:
            if token.word in _ARTICLES | _LINKS:
                reached[at + 1].add(place)
            for to in range(place, len(theirs)):
                if to > place and not _may_go(theirs, place, to):
                    continue
                if same(token, theirs[to]):
                    reached[at + 1].add(to + 1)
                for took, gave in _renamed(ours, at, theirs, to, names):
                    reached[at + took].add(to + gave)
    return any(_may_end(theirs, place) for place in reached[-1])


def _renamed(
    ours: Sequence[Token], at: int, theirs: Sequence[Token], to: int, names: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """How many words of each side are a name on the one and its pronoun on the other."""
    known = {keys for name in names for keys in _last_or_all(name)}
    if theirs[to].word in _PRONOUNS:
        yield from ((len(keys), 1) for keys in known if _begins(ours[at:], keys))
    if ours[at].word in _PRONOUNS and not (to and theirs[to - 1].is_name):
        yield from ((1, len(keys)) for keys in known if _begins(theirs[to:], keys))
        size = to
        while size < len(theirs) and theirs[size].is_name:
            size += 1
        if size > to:
            yield 1, size - to


def _last_or_all(name: str) -> set[tuple[str, ...]]:
    keys = tuple(one.key for one in tokens(name))
    return {keys, keys[-1:]} - {()}


def _begins(row: Sequence[Token], keys: tuple[str, ...]) -> bool:
    return tuple(one.key for one in row[: len(keys)]) == keys


def _doubtful(tokens: Sequence[Token]) -> bool:
    return any(one.word in _DOUBT for one in tokens)


def _may_begin(theirs: Sequence[Token], at: int) -> bool:
    """Whether what stands before `at` may be left out: a clause of its own, without a doubt."""
    if at in (0, _dated(theirs)):
        return True
    joined = theirs[at].breaks or theirs[at - 1].word in _JOINTS
    return joined and not _doubtful(theirs[: at - 1] if not theirs[at].breaks else theirs[:at])


def _may_end(theirs: Sequence[Token], at: int) -> bool:
    """Whether the rest may be left out: it does not go on with the last word's phrase."""
    if at >= len(theirs):
        return True
    clause = [theirs[at]]
    for token in theirs[at + 1 :]:
        if token.breaks or token.word == "and":
            break
        clause.append(token)
    low = theirs[at].word
    if low == "not" and theirs[at].breaks:
        return True  # "it is this, not that"
    participle = low.endswith("ed") and theirs[at + 1 : at + 2]
    if participle and participle[0].word in STOPWORDS:
        return not _doubtful(clause)  # "a film | directed by"
    if low == "but" and not theirs[at].breaks:
        return False  # "nobody but"
    goes_on = theirs[at].breaks or (low in STOPWORDS and low not in BE | _ARTICLES)
    return goes_on and not _doubtful(clause)


def _may_go(theirs: Sequence[Token], start: int, end: int) -> bool:
    """Whether `start:end` may be left out in the middle: an article, a phrase between commas or in
    brackets, or one of two things that are said of the same subject."""
    gone = theirs[start:end]
    if _doubtful(gone):
        return False
    if all(one.word in _ARTICLES | _LINKS for one in gone):
        return True
    low = [one.word for one in gone]
    if gone[0].breaks and theirs[end].breaks:
        return not _JOINTS & set(low)
    return low[-1] in _JOINTS and not theirs[end].is_fact and start > 0


def _stretch(ours: Sequence[Token], theirs: Sequence[Token]) -> tuple[int, int]:
    """From the first to the last word of the sentence that the claim has."""
    held = [one for one in theirs if any(same(token, one) for token in ours)] or list(theirs)
    return min(one.start for one in held), max(one.end for one in held)


def _rest(sentence: str, start: int, end: int) -> str:
    """What of a sentence stands outside `start:end`, marks aside."""
    return "".join(char for char in sentence[:start] + sentence[end:] if char.isalnum())
