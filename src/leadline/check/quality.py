"""How good a report is, computed: how much of it is proven, which parts of the question it answers,
what it says twice or leaves hollow.

Six dimensions from 0 to 10 and the items that fail, each naming a sentence or what is missing. An
evaluator's opinions may take the place of five of them; groundedness is always what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leadline.check.anchors import anchors
from leadline.codec import dumped
from leadline.question.analyse import Part, analyse
from leadline.rank.near_duplicates import same_text
from leadline.rank.word_coverage import coverage, held
from leadline.text.quotes import locate, plain
from leadline.text.words import content_words
from leadline.types import Claim, Grade, Issue, Quality, Scores, Sentence, Tier, Verdict
from leadline.values import replace

WEIGHTS = {
    "depth": 0.25,
    "relevance": 0.20,
    "completeness": 0.20,
    "groundedness": 0.15,
    "specificity": 0.10,
    "structure": 0.10,
}
ANSWERED = 0.6  # share of a part's words that its three best claims must have
NOTED = 0.5  # what a part counts that the report says it did not find
CLAIMS = {Tier.SIMPLE: 3, Tier.STANDARD: 6, Tier.DEEP: 12}  # of a report that goes deep enough
ALIKE = 0.8  # of the content words of two claims that say the same
WORDS_LOST = 0.05  # of the verified words a tighter sentence may cost
_BEST = 3
_STUB = re.compile(
    r"\b(?:TO-?DO|TBD|TBA|FIX-?ME|lorem ipsum|placeholder"
    r"|to be (?:added|completed|determined|written)|coming soon"
    r"|citation needed|as an ai\b|i cannot (?:answer|provide|access)"
    r"|(?:insert|add|fill in) (?:\w+ ){0,3}here)|\[(?:insert|your|add|name|date)\b[^\]]{0,60}\]"
    r"|^\W*(?:n/?a|none|unknown|\.{3,}|…)\W*$|待补充|此处省略",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Shown:
    """A checked report as it is judged. `titles` say what its sources are about."""

    task: str
    sentences: tuple[Sentence, ...]
    claims: tuple[Claim, ...]
    titles: Mapping[int, str]
    tier: Tier = Tier.STANDARD
    wanted: int = 0  # items asked for
    lacking: int = 0  # and how many of them are missing


def quality(shown: Shown, grade: Grade | None = None) -> Quality:
    """Scores and failed items; `grade` is an evaluator's opinion, where there is one."""
    parts = _parts(shown)
    missing = [_missing(part, shown) for part, answered in parts if not answered]
    faults = [*_too_few(shown), *_stubs(shown), *_repeated(shown)]
    if grade is None:
        scores, others = _computed(shown, parts, len(faults)), missing
    else:
        five = (grade.depth, grade.relevance, grade.completeness)
        scores = Scores(*five, groundedness(shown.claims), grade.specificity, grade.structure)
        others = [*grade.issues, *_unsaid(missing, grade.issues)]
    bounded = {name: round(min(max(one, 0.0), 10.0), 2) for name, one in dumped(scores).items()}
    scores = Scores(**bounded)
    judge = grade.judge if grade else ""
    verified, _ = substance(shown.claims)
    return Quality(total(scores), scores, (*faults, *others), verified, judge)


def total(scores: Scores) -> float:
    """The weighted sum, 0–10."""
    by_name: dict[str, float] = dumped(scores)
    return round(sum(weight * by_name[name] for name, weight in WEIGHTS.items()), 2)


def groundedness(claims: Sequence[Claim]) -> float:
    """The share of the claims that is proven; what is only sourced counts half its score."""
    half = {Verdict.SOURCED: 0.5}
    return 10 * _mean(
        [1.0 if one.verdict.is_proven else half.get(one.verdict, 0.0) * one.score for one in claims]
    )


def substance(claims: Sequence[Claim]) -> tuple[int, int]:
    """How much is verified: claims that no earlier one repeats, and the distinct words in them."""
    good = [one.text for one in claims if one.verdict.may_ship]
    again = {later for later, _ in repeats(good)}
    kept = [text for at, text in enumerate(good) if at not in again]
    return len(kept), len({word for text in kept for word in content_words(plain(text))})


def less_verified(new: Sequence[Claim], best: Sequence[Claim]) -> bool:
    """Whether `new` holds fewer claims, or fewer proven ones, than `best`, or says clearly less."""
    claims, words = substance(new)
    most, known = substance(best)
    proven, before = ([one for one in some if one.verdict.is_proven] for some in (new, best))
    return (
        claims < most
        or substance(proven)[0] < substance(before)[0]
        or words < (1 - WORDS_LOST) * known
    )


def repeats(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of texts that say what an earlier one says, with the earlier one's."""
    return list(_repeats(tuple(texts)))


@lru_cache(maxsize=8)  # one report's claims are asked about for several of its scores
def _repeats(texts: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    found = []
    for later, text in enumerate(texts):
        earlier = (at for at in range(later) if _same(texts[at], text))
        found += [(later, at) for at in list(earlier)[:1]]
    return tuple(found)


def _same(one: str, other: str) -> bool:
    """The same wording and numbers, or nearly the same words and exactly the same figures."""
    likeness = same_text(plain(one), plain(other))
    if likeness != "different":
        return likeness == "same"
    words, others = _content(one), _content(other)
    return len(words & others) >= max(1.0, ALIKE * len(words | others)) and (
        _figures(one) == _figures(other)
    )


@lru_cache(maxsize=1024)
def _content(text: str) -> frozenset[str]:
    return frozenset(content_words(plain(text)))


def _figures(text: str) -> list[str]:
    """Numbers and negations, in any order."""
    return sorted(re.findall(r"\d+(?:[.,]\d+)*|\b(?:not?|never|without)\b", plain(text).lower()))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


# ── what fails ──────────────────────────────────────────────────────────────────────────────


def _parts(shown: Shown) -> list[tuple[Part, bool]]:
    """The parts of the question, and whether the best claims have enough of its words."""
    held = [_words(claim, shown.titles) for claim in shown.claims]

    def answered(part: Part) -> bool:
        best = sorted(held, key=lambda words: -coverage(part.words, words, {}))[:_BEST]
        return coverage(part.words, frozenset().union(*best), {}) >= ANSWERED

    parts = (part for part in analyse(shown.task).parts if part.words and not part.inner)
    return [(part, answered(part)) for part in parts]


def _words(claim: Claim, titles: Mapping[int, str]) -> frozenset[str]:
    about = " ".join(titles.get(number, "") for number in claim.sources)
    return _content(f"{claim.text} {about}")


def _missing(part: Part, shown: Shown) -> Issue:
    note = _note_on(part, shown)
    what = f"no sentence answers this part of the question: {part.label}"
    return Issue("missing", what, note.number if note else 0, part.label)


def _note_on(part: Part, shown: Shown) -> Sentence | None:
    """The sentence that says that a part was not found."""
    notes = (one for one in shown.sentences if one.kind == "note")
    enough = (one for one in notes if coverage(part.words, _content(one.text), {}) >= ANSWERED)
    return next(enough, None)


def _too_few(shown: Shown) -> list[Issue]:
    if not shown.lacking:
        return []
    found = shown.wanted - shown.lacking
    what = f"{shown.wanted} items were asked for and {found} are given: add {shown.lacking}"
    return [Issue("count", what, 0, f"{shown.lacking} more items")]


def _stubs(shown: Shown) -> list[Issue]:
    """Placeholders; what a source has word for word is none."""
    quotes = ((one.text, one.quote.text) for one in shown.claims if one.quote)
    quoted = {text for text, quote in quotes if locate(text, quote)}
    return [
        Issue("stub", "it is a placeholder, not a statement", one.number, one.text)
        for one in shown.sentences
        if one.text not in quoted and _STUB.search(one.text)
    ]


def _repeated(shown: Shown) -> list[Issue]:
    claims = [one for one in shown.sentences if one.kind == "claim"]
    pairs = [
        (claims[later], claims[earlier]) for later, earlier in repeats([one.text for one in claims])
    ]
    return [
        Issue("repeated", f"it says again what sentence {two.number} says", one.number, one.text)
        for one, two in pairs
    ]


def _unsaid(missing: Sequence[Issue], issues: Sequence[Issue]) -> list[Issue]:
    """Missing parts that the evaluator does not speak of itself."""
    held = [_content(one.what) for one in issues]
    return [
        one
        for one in missing
        if all(coverage(tuple(content_words(one.text)), words, {}) < ANSWERED for words in held)
    ]


# ── scores ──────────────────────────────────────────────────────────────────────────────────


def _computed(shown: Shown, parts: Sequence[tuple[Part, bool]], faults: int) -> Scores:
    """Saying it twice earns nothing; a report without claims has no score but its structure."""
    again = {later for later, _ in repeats([one.text for one in shown.claims])}
    once = tuple(one for at, one in enumerate(shown.claims) if at not in again)
    said = [_words(claim, shown.titles) for claim in once]
    asked = analyse(shown.task).words
    enough = max(CLAIMS[shown.tier], shown.wanted)
    return Scores(
        depth=10 * min(1.0, substance(once)[0] / enough),
        relevance=10 * _mean([any(held(asked, words)) for words in said]),
        completeness=10 * _answered(replace(shown, claims=once), parts),
        groundedness=groundedness(shown.claims),
        specificity=10 * _mean([bool(anchors(plain(claim.text))) for claim in once]),
        structure=10 - 2.0 * faults,
    )


def _answered(shown: Shown, parts: Sequence[tuple[Part, bool]]) -> float:
    """The share of the parts that are answered, by half where one is said not to be found."""
    if not shown.claims:
        return 0.0
    counts = [1.0 if ok else NOTED * (_note_on(part, shown) is not None) for part, ok in parts]
    given = (shown.wanted - shown.lacking) / shown.wanted if shown.wanted else 1.0
    return min(_mean(counts) if counts else 1.0, given)
