"""Support: does a page say what a claim says? Computed, no model, in milliseconds.

Anchors decide first: a number, date, name or quotation that the page lacks is a mismatch, and so is
a denial or a swap. Then a few features of how the claim's words are covered, each by the nearest
word of the page, are weighed by what `train_support.py` found. All of it together says that the
names, numbers and words of a claim stand on the page (`sourced`), not how they are related.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leadline.check.alignment import Alignment, Evidence, align, lay_out, times
from leadline.check.anchors import FIGURES, Anchor, Held, Kind, anchors, folded, holding, holdings
from leadline.check.exchanged import exchanged
from leadline.check.negation import at_odds, denies, turned
from leadline.ports import Embedder
from leadline.question.entities import entities
from leadline.rank.near_duplicates import same_text
from leadline.text.quotes import locate
from leadline.text.words import STOPWORDS, stem, words
from leadline.types import Verdict

# As `train_support.py` prints them.
SCORE = {
    "window": 1.956,
    "predicate": 1.304,
    "meaning": 1.036,
    "figures": -0.472,
    "names": -0.684,
    "lacking": 0.228,
    "swapped": -1.237,
    "denied": -1.168,
    "length": 0.424,
}
SCORE_BIAS = -3.093
BEARING = {"exact": 4.350, "lacking": -0.946, "meaning": 3.809}
BEARING_BIAS = -3.100

# Measured by `bench verify` on WiCE's development part (349 claims): at SUPPORTED 79 % of the
# supported claims pass and 77 % of the others do not (balanced .78; .77 at .45 and at .55). BEARS
# finds 79 % of the claims of which nothing is said and takes 3 % of the supported ones for such.
# Between .30 and SUPPORTED people call 9 supported, 27 partly and 3 not.
SUPPORTED = 0.5
BEARS = 0.4

TOP = 5  # sentences looked at closely
FEW = 3  # sentences that may say a claim together
REACH = 2  # sentences on either side that belong to one
SPEAKS = 0.55  # of the claim in one sentence: from here on its polarity and order are compared
STRANGE = 0.3  # likeness to the nearest word of the page: below it, a word is not said there
SHORT = 6  # words of a claim that describes: its describing word must be said
DESCRIBES = frozenset(words("a an the its their very most"))
_MOST_LACKING = 3
_OPENING = 4  # characters before the subject: "The "
_PRONOUNS = frozenset(words("he she it they his her its their this these that we i our"))


@dataclass(frozen=True)
class Support:
    """What a page says of a claim. `score` is the probability that it says all of it, where half
    of all claims are supported; `bearing` that it says any of it; `best` are the sentences that
    speak for it, best first, each with its score."""

    score: float
    bearing: float
    verdict: Verdict
    best: tuple[tuple[int, float], ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """A claim on a page: alignment, the best sentences, and the claim's anchors by how held."""

    claim: str
    page: Evidence
    words: Alignment
    scores: NDArray[np.float32]
    order: NDArray[np.intp]
    anchors: tuple[tuple[Anchor, Held], ...]

    @property
    def top(self) -> str:
        return self.page.sentences[int(self.order[0])]

    @property
    def nearby(self) -> list[str]:
        """The few best sentences in reading order."""
        return [self.page.sentences[at] for at in sorted(self.order[:FEW].tolist())]

    def lacking(self, *kinds: Kind) -> list[Anchor]:
        return [one for one, held in self.anchors if held is Held.MISSING and one.kind in kinds]


def support(claim: str, sentences: Sequence[str], embedder: Embedder) -> Support:
    """What `sentences` say of `claim`. For many claims on one page, `lay_out` it once."""
    return support_on(claim, lay_out(sentences, embedder))


def support_on(claim: str, page: Evidence) -> Support:
    """What a page that was laid out says of `claim`."""
    if not page.sentences or not claim.strip():
        return Support(0.0, 0.0, Verdict.NOT_FOUND)
    view = look(claim, page)
    best = tuple((int(at), float(view.scores[at])) for at in view.order[:TOP])
    verbatim = locate(claim, page.text) is not None
    lacking, odds = _lacking(view), ""
    if not lacking:
        odds = _other_way_round(view, verbatim)
    if verbatim and not lacking and not odds:
        return Support(1.0, 1.0, Verdict.SOURCED, best)
    found = features(view)
    score = _probability(found, SCORE, SCORE_BIAS)
    bearing = _probability(found, BEARING, BEARING_BIAS)
    if odds or (lacking and same_text(claim, view.top) == "numbers_differ"):
        verdict = Verdict.CONTRADICTED if bearing >= BEARS else Verdict.NOT_FOUND
    else:
        verdict = Verdict.NOT_FOUND if lacking or score < SUPPORTED else Verdict.SOURCED
    reasons = (odds,) if odds else tuple(lacking)
    return Support(score, bearing, verdict, best, reasons)


def look(claim: str, page: Evidence) -> View:
    """`claim` on `page`, which has at least one sentence."""
    aligned = align(claim, page)
    scores = aligned.scores
    held = tuple((one, holding(one, page.held)) for one in anchors(claim))
    return View(claim, page, aligned, scores, np.argsort(-scores, kind="stable"), held)


def features(view: View) -> dict[str, float]:
    """What is weighed, by name."""
    aligned, few = view.words, view.order[:FEW]
    window = max(
        float(aligned.near[max(0, at - REACH) : at + REACH + 1].max(axis=0).mean())
        for at in view.order[:TOP]
    )
    figures = view.lacking(*FIGURES)
    return {
        "window": window,
        "predicate": float(aligned.near[few].max(axis=0) @ _without_subject(view)),
        "exact": float(aligned.exact[few].max(axis=0) @ aligned.weights),
        "meaning": float(np.sort(aligned.cosine)[-TOP:].mean()),
        "lacking": len(view.lacking(*Kind)) / max(1, len(view.anchors)),
        "figures": float(min(len(figures), _MOST_LACKING)),
        "names": float(bool(view.lacking(Kind.NAME))),
        "swapped": window if figures and _has_other_figures(view) else 0.0,
        "denied": float(np.mean([turned(view.claim, s, loose=True) for s in _best(view)])),
        "length": math.log(1 + len(aligned.stems)),
    }


def _probability(values: Mapping[str, float], weights: Mapping[str, float], bias: float) -> float:
    odds = bias + sum(weight * values[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _best(view: View) -> list[str]:
    return [view.page.sentences[at] for at in view.order[:TOP]]


def _without_subject(view: View) -> NDArray[np.float32]:
    """The weights of the claim's words, less those of a subject that the page calls "she"."""
    first = min((one.start for one, _ in view.anchors if one.kind is Kind.NAME), default=0)
    subject = [one.text for one in view.lacking(Kind.NAME) if one.start <= first]
    unsaid = {stem(word) for text in subject for word in words(folded(text))}
    kept = view.words.weights * np.array([root not in unsaid for root in view.words.stems])
    total = float(kept.sum())
    return np.asarray(kept / total if total else kept, dtype=np.float32)


def _has_other_figures(view: View) -> bool:
    """Whether the best sentence has a number or date that the claim has not."""
    ours = holdings(view.claim)
    figures = [one for one in anchors(view.top) if one.kind in FIGURES]
    return any(holding(one, ours) is Held.MISSING for one in figures)


# ── reasons against ─────────────────────────────────────────────────────────────────────────


def _lacking(view: View) -> list[str]:
    """What the page lacks of the claim, in words for the report."""
    found = [
        f"no cited passage has the {one.kind} {one.text!r}"
        for one in view.lacking(*FIGURES, Kind.QUOTE)
    ]
    found += [f"no cited passage names {name!r}" for name in _strangers(view)]
    near = dict(zip(view.words.stems, view.words.near.max(axis=0), strict=True))
    if not found and len(near) < SHORT:
        described = (two for one, two in pairwise(words(view.claim)) if one in DESCRIBES)
        strange = [word for word in described if near.get(stem(word), 1.0) < STRANGE]
        found += [f"no cited passage says anything like {word!r}" for word in strange[:1]]
    return found


def _other_way_round(view: View, verbatim: bool) -> str:
    """What the page says the other way round: yes for no, one name or figure for another."""
    source = _speaker(view)
    if source:
        # Opposite words and exchanged names undo each other: A is above B, B is below A.
        odds = at_odds(view.claim, source)
        swap = "" if verbatim else exchanged(view.claim, view.nearby)
        if bool(odds) != bool(swap):
            return odds or swap
    if not verbatim and any(denies(view.claim, one) for one in _best(view)):
        return "one of claim and source denies what the other says"
    return ""


def _speaker(view: View) -> str:
    """The sentence that speaks of what the claim says, with or without its names; "" when none."""
    named = {stem(word) for one, _ in view.anchors for word in words(folded(one.text))}
    plain = np.array([root not in named for root in view.words.stems], dtype=np.float32)
    weights = view.words.weights * plain if plain.any() else view.words.weights
    best = view.words.near[view.order[:TOP]]
    covered = np.maximum(times(best, weights / weights.sum()), times(best, view.words.weights))
    place = int(np.argmax(covered))
    return view.page.sentences[view.order[place]] if covered[place] >= SPEAKS else ""


def _strangers(view: View) -> list[str]:
    """Names of the claim that the page does not know, where it has another or should have this."""
    rivals = _rivals(view)
    unnamed = words(view.top)[:1] in [[word] for word in _PRONOUNS]  # "she", "it"
    found: list[str] = []
    for one in view.lacking(Kind.NAME):
        opens = one.start <= _OPENING and unnamed
        proper = one.text.istitle() or " " in one.text
        if any(name.isupper() == one.text.isupper() for name in rivals) or (proper and not opens):
            found.append(one.text)
    return found


def _rivals(view: View) -> list[str]:
    """The names in the best sentence whose last word the claim lacks."""
    ours = set(words(folded(view.claim)))
    first = [word.strip(".,;:'\"“”‘’()") for word in view.top.split()[:1] if word[0].isupper()]
    named = (*entities(view.top), *(word for word in first if word.lower() not in STOPWORDS))
    return [name for name in named if not ours & set(words(folded(name))[-1:])]
