"""How good a report is, computed: its parts answered, nothing twice, nothing hollow, well grounded.

Six dimensions from 0 to 10 and the items that fail, each naming a sentence or what is missing. An
evaluator's opinions may take the place of five of them; groundedness is always what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache

from leadline.check.anchors import anchors
from leadline.frozen import frozen
from leadline.question.analyse import Expects, Part, analyse
from leadline.rank.evidence import evidence
from leadline.rank.near_duplicates import same_text
from leadline.rank.word_coverage import Kin, coverage, kin, matched, rarity, share, weights
from leadline.text.quotes import locate, plain
from leadline.text.words import content_words
from leadline.types import Claim, Grade, Issue, Quality, Scores, Sentence, Tier, Verdict

WEIGHTS = {
    "depth": 0.25,
    "relevance": 0.20,
    "completeness": 0.20,
    "groundedness": 0.15,
    "specificity": 0.10,
    "structure": 0.10,
}
ANSWERED = 0.6  # share of a part's words that its three best claims must have
TOLD = 0.5  # what a part counts that the report says it did not find
CLAIMS = {Tier.SIMPLE: 3, Tier.STANDARD: 6, Tier.DEEP: 12}  # of a report that goes deep enough
EXPLAINED = 0.5  # share of claims with a number, a reason or a way, for full depth
ALIKE = 0.8  # of the content words of two claims that say the same
LONG = 8  # sentences of one paragraph
UNHEADED = 12  # claims that want no heading yet
WORDS_LOST = 0.05  # of the verified words a tighter sentence may cost
_BEST = 3
_SIGNS = (Expects.NUMBER, Expects.REASON, Expects.METHOD)
_STUB = re.compile(
    r"\b(?:TO-?DO|TBD|TBA|FIX-?ME|lorem ipsum|placeholder"
    r"|to be (?:added|completed|determined|written)|coming soon"
    r"|citation needed|as an ai\b|i cannot (?:answer|provide|access)"
    r"|(?:insert|add|fill in) (?:\w+ ){0,3}here)|\[(?:insert|your|add|name|date)\b[^\]]{0,60}\]"
    r"|^\W*(?:n/?a|none|unknown|\.{3,}|…)\W*$|待补充|此处省略",
    re.IGNORECASE,
)


@frozen
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
    faults = [*_count(shown), *_stubs(shown), *_repeated(shown)]
    laid_out = _structure_issues(shown)
    if grade is None:
        once = replace(shown, claims=_once(shown.claims))  # saying it twice earns nothing
        scores = Scores(
            depth=_depth(once),
            relevance=_relevance(once),
            completeness=_completeness(shown, parts),
            groundedness=groundedness(shown.claims),
            specificity=_specificity(once),
            structure=max(0.0, 10.0 - 2.0 * len(laid_out) - 2.0 * len(faults)),
        )
        issues = [*faults, *missing, *laid_out]
    else:
        scores = _judged(grade, shown)
        issues = [*faults, *grade.issues, *_unsaid(missing, grade.issues)]
    scores = _rounded(scores)
    judge = grade.judge if grade else ""
    verified = substance(shown.claims)[0]
    return Quality(total(scores), scores, tuple(issues), verified, judge)


def total(scores: Scores) -> float:
    """The weighted sum, 0–10."""
    told: dict[str, float] = asdict(scores)
    return round(sum(weight * told[name] for name, weight in WEIGHTS.items()), 2)


def groundedness(claims: Sequence[Claim]) -> float:
    """What the check of the claims measured: how well each shipped claim is supported, by half
    where it is so in part, on average."""
    if not claims:
        return 0.0
    counts = {Verdict.SUPPORTED: 1.0, Verdict.PARTLY: 0.5}
    return 10 * sum(counts.get(one.verdict, 0.0) * one.score for one in claims) / len(claims)


def substance(claims: Sequence[Claim]) -> tuple[int, int]:
    """How much is verified: claims that no earlier one repeats, and the distinct words in them."""
    good = [one.text for one in claims if one.verdict is Verdict.SUPPORTED]
    again = {later for later, _ in repeats(good)}
    kept = [text for at, text in enumerate(good) if at not in again]
    return len(kept), len({word for text in kept for word in content_words(plain(text))})


def less_verified(new: Sequence[Claim], best: Sequence[Claim]) -> bool:
    """Whether `new` holds fewer verified claims than `best`, or says clearly less in them."""
    claims, words = substance(new)
    most, told = substance(best)
    return claims < most or words < (1 - WORDS_LOST) * told


def repeats(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of texts that say what an earlier one says, with the earlier one's."""
    return list(_repeats(tuple(texts)))


@lru_cache(maxsize=8)  # one report's claims are asked about for several of its scores
def _repeats(texts: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    said = [frozenset(content_words(plain(text))) for text in texts]
    found: list[tuple[int, int]] = []
    for later in range(1, len(texts)):
        for earlier in range(later):
            if _same(texts[earlier], texts[later], said[earlier], said[later]):
                found.append((later, earlier))
                break
    return tuple(found)


def _same(one: str, other: str, words: frozenset[str], others: frozenset[str]) -> bool:
    """The same wording and numbers, or nearly the same words and exactly the same figures."""
    likeness = same_text(plain(one), plain(other))
    if likeness == "same":
        return True
    shared = len(words & others)
    if likeness == "numbers_differ" or not words or shared < ALIKE * len(words | others):
        return False
    return _figures(one) == _figures(other)


def _figures(text: str) -> tuple[str, ...]:
    """Numbers and negations, in any order."""
    found = re.findall(r"\d+(?:[.,]\d+)*|\b(?:not?|never|without)\b", plain(text).lower())
    return tuple(sorted(found))


def _once(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    again = {later for later, _ in repeats([one.text for one in claims])}
    return tuple(one for at, one in enumerate(claims) if at not in again)


# ── what fails ──────────────────────────────────────────────────────────────────────────────


def _parts(shown: Shown) -> list[tuple[Part, bool]]:
    """The parts of the question, and whether the claims answer each."""
    question = analyse(shown.task)
    wanted = [part for part in question.parts if not part.inner and part.words]
    held = [_words(claim, shown.titles) for claim in shown.claims]
    rare = rarity(held) if held else {}
    vocabulary = {word for words in held for word in words}
    found: list[tuple[Part, bool]] = []
    for part in wanted:
        family = kin(part.words, vocabulary)
        found.append((part, _best(family, held, weights(family, rare)) >= ANSWERED))
    return found


def _best(family: Kin, held: Sequence[frozenset[str]], weight: Sequence[float]) -> float:
    """The share of the wanted words that the three best texts have together."""
    rows = sorted((matched(family, words) for words in held), key=lambda r: -share(r, weight))
    if not rows:
        return 0.0
    return share([max(column) for column in zip(*rows[:_BEST], strict=True)], weight)


def _words(claim: Claim, titles: Mapping[int, str]) -> frozenset[str]:
    about = " ".join(titles.get(number, "") for number in claim.sources)
    return frozenset(content_words(f"{plain(claim.text)} {about}"))


def _missing(part: Part, shown: Shown) -> Issue:
    told = _note_on(part, shown)
    what = f"no sentence answers this part of the question: {part.label}"
    return Issue("missing", what, told.number if told else 0, part.label)


def _note_on(part: Part, shown: Shown) -> Sentence | None:
    """The sentence that says that a part was not found."""
    notes = [one for one in shown.sentences if one.kind == "note"]
    for one in notes:
        if coverage(part.words, frozenset(content_words(one.text)), {}) >= ANSWERED:
            return one
    return None


def _count(shown: Shown) -> list[Issue]:
    if not shown.lacking:
        return []
    found = shown.wanted - shown.lacking
    what = f"{shown.wanted} items were asked for and {found} are given: add {shown.lacking}"
    return [Issue("count", what, 0, f"{shown.lacking} more items")]


def _stubs(shown: Shown) -> list[Issue]:
    """Placeholders; what a source has word for word is none."""
    quoted = {
        claim.text for claim in shown.claims if claim.quote and locate(claim.text, claim.quote.text)
    }
    return [
        Issue("stub", "it is a placeholder, not a statement", one.number, one.text)
        for one in shown.sentences
        if one.text not in quoted and _STUB.search(one.text)
    ]


def _repeated(shown: Shown) -> list[Issue]:
    said = [one for one in shown.sentences if one.kind == "claim"]
    return [
        Issue(
            "repeated",
            f"it says again what sentence {said[earlier].number} says",
            said[later].number,
            said[later].text,
        )
        for later, earlier in repeats([one.text for one in said])
    ]


def _structure_issues(shown: Shown) -> list[Issue]:
    claims = [one for one in shown.sentences if one.kind == "claim"]
    found: list[Issue] = []
    if claims and not shown.wanted and not _on_the_point(claims[0].text, shown):
        what = "the report does not begin with the answer"
        found.append(Issue("structure", what, claims[0].number, claims[0].text))
    blocks: dict[int, list[Sentence]] = {}
    for one in claims:
        blocks.setdefault(one.block, []).append(one)
    for some in blocks.values():
        if len(some) > LONG:
            what = f"its paragraph has {len(some)} sentences"
            found.append(Issue("structure", what, some[LONG].number, some[LONG].text))
    headed = any(one.kind == "heading" for one in shown.sentences)
    if len(claims) > UNHEADED and not headed and not shown.wanted:
        what = f"{len(claims)} sentences stand under no heading"
        found.append(Issue("structure", what, claims[UNHEADED].number, claims[UNHEADED].text))
    return found


def _unsaid(missing: Sequence[Issue], said: Sequence[Issue]) -> list[Issue]:
    """Missing parts that the evaluator does not speak of itself."""
    told = [frozenset(content_words(one.what)) for one in said]
    return [
        one
        for one in missing
        if not any(coverage(tuple(content_words(one.text)), has, {}) >= ANSWERED for has in told)
    ]


# ── scores ──────────────────────────────────────────────────────────────────────────────────


def _depth(shown: Shown) -> float:
    if not shown.claims:
        return 0.0
    texts = [plain(claim.text) for claim in shown.claims]
    enough = min(1.0, substance(shown.claims)[0] / max(CLAIMS[shown.tier], shown.wanted))
    telling = sum(any(evidence(sign, text, "") for sign in _SIGNS) for text in texts) / len(texts)
    return 10 * (0.6 * enough + 0.4 * min(1.0, telling / EXPLAINED))


def _relevance(shown: Shown) -> float:
    if not shown.claims:
        return 0.0
    held = [_words(claim, shown.titles) for claim in shown.claims]
    family = kin(analyse(shown.task).words, {word for words in held for word in words})
    return 10 * sum(any(matched(family, words)) for words in held) / len(held)


def _on_the_point(text: str, shown: Shown) -> bool:
    titles = next((c for c in shown.claims if c.text == text), None)
    words = _words(titles, shown.titles) if titles else frozenset(content_words(plain(text)))
    return any(matched(kin(analyse(shown.task).words, words), words))


def _completeness(shown: Shown, parts: Sequence[tuple[Part, bool]]) -> float:
    if not shown.claims:
        return 0.0
    counts = [1.0 if ok else TOLD * (_note_on(part, shown) is not None) for part, ok in parts]
    answered = sum(counts) / len(counts) if counts else 1.0
    given = (shown.wanted - shown.lacking) / shown.wanted if shown.wanted else 1.0
    return 10 * min(answered, given)


def _specificity(shown: Shown) -> float:
    if not shown.claims:
        return 0.0
    held = [bool(anchors(plain(claim.text))) for claim in shown.claims]
    return 10 * sum(held) / len(held)


def _judged(grade: Grade, shown: Shown) -> Scores:
    return Scores(
        depth=grade.depth,
        relevance=grade.relevance,
        completeness=grade.completeness,
        groundedness=groundedness(shown.claims),
        specificity=grade.specificity,
        structure=grade.structure,
    )


def _rounded(scores: Scores) -> Scores:
    held = {name: round(min(max(value, 0.0), 10.0), 2) for name, value in asdict(scores).items()}
    return Scores(**held)
