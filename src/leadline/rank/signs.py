"""Signs that a page supports a claim: the features that `support.py` weighs, and the plain reasons
why it cannot, whatever the weights say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.rank.align import Alignment, Evidence, align
from leadline.rank.binding import exchanged, misplaced
from leadline.rank.negation import opposed, turned
from leadline.text.anchors import Anchor, Held, Kind, anchors, folded, holding, holdings
from leadline.text.entities import entities
from leadline.text.quotes import locate
from leadline.text.words import STOPWORDS, stem, words

TOP = 5  # sentences looked at closely
FEW = 3  # sentences that may say a claim together
REACH = 2  # sentences on either side that belong to one
SPEAKS = 0.6  # of the claim in one sentence: from here on its polarity and order are compared
_MOST_LACKING = 3
_PRONOUNS = frozenset(words("he she it they his her its their this these that we i our"))
_FAR = 0.6  # words less alike than this do not stand for each other


@dataclass(frozen=True, slots=True)
class Signs:
    """What was seen: sentences by merit, features by name, and reasons against."""

    order: tuple[int, ...]
    scores: tuple[float, ...]  # of the sentences in `order`
    features: dict[str, float]
    reasons: tuple[str, ...]
    verbatim: bool


@dataclass(frozen=True, slots=True)
class _View:
    """A claim on a page: alignment, the best sentences, and the claim's anchors by how held."""

    claim: str
    page: Evidence
    words: Alignment
    scores: NDArray[np.float32]
    order: NDArray[np.intp]
    anchors: tuple[tuple[Anchor, Held], ...]

    @property
    def top(self) -> int:
        return int(self.order[0])

    @property
    def nearby(self) -> list[str]:
        """The few best sentences in reading order."""
        return [self.page.sentences[at] for at in sorted(self.order[:FEW].tolist())]

    def lacking(self, *kinds: Kind) -> list[Anchor]:
        return [one for one, held in self.anchors if held is Held.MISSING and one.kind in kinds]


def look(claim: str, page: Evidence) -> Signs:
    """The signs of `claim` on `page`, which has at least one sentence."""
    aligned = align(claim, page)
    scores = aligned.scores
    order = np.argsort(-scores, kind="stable")
    held = tuple((one, holding(one, page.held)) for one in anchors(claim))
    view = _View(claim, page, aligned, scores, order, held)
    whole = locate(claim, page.text) is not None
    return Signs(
        order=tuple(int(at) for at in order[:TOP]),
        scores=tuple(float(scores[at]) for at in order[:TOP]),
        features=_features(view),
        reasons=tuple(_reasons(view, whole)),
        verbatim=whole,
    )


def _features(view: _View) -> dict[str, float]:
    aligned, best, few = view.words, view.order[:TOP], view.order[:FEW]
    together = aligned.near[few].max(axis=0)
    window = max(
        float(aligned.near[max(0, at - REACH) : at + REACH + 1].max(axis=0).mean()) for at in best
    )
    lost = view.lacking(*Kind)
    figures = view.lacking(Kind.NUMBER, Kind.DATE)
    swapped = bool(figures) and _has_other_figures(view)
    return {
        "window": window,
        "predicate": float(together @ _without_subject(view)),
        "exact": float(aligned.exact[few].max(axis=0) @ aligned.weights),
        "meaning": float(np.sort(aligned.cosine)[-TOP:].mean()),
        "lacking": len(lost) / max(1, len(view.anchors)),
        "figures": float(min(len(figures), _MOST_LACKING)),
        "names": float(bool(view.lacking(Kind.NAME))),
        "swapped": window if swapped else 0.0,
        "denied": float(np.mean([_is_turned(view, int(at)) for at in best])),
        "length": math.log(1 + len(aligned.stems)),
    }


def _without_subject(view: _View) -> NDArray[np.float32]:
    """The weights of the claim's words, less those of a subject that the page calls "she"."""
    first = min((one.start for one, _ in view.anchors if one.kind is Kind.NAME), default=0)
    unsaid = {
        stem(word)
        for one in view.lacking(Kind.NAME)
        if one.start <= first
        for word in words(folded(one.text))
    }
    kept = view.words.weights * np.array([root not in unsaid for root in view.words.stems])
    total = float(kept.sum())
    return np.asarray(kept / total if total else kept, dtype=np.float32)


def _has_other_figures(view: _View) -> bool:
    """Whether the best sentence has a number or date that the claim has not."""
    ours = holdings(view.claim)
    return any(
        one.kind in (Kind.NUMBER, Kind.DATE) and holding(one, ours) is Held.MISSING
        for one in anchors(view.page.sentences[view.top])
    )


def _is_turned(view: _View, at: int) -> bool:
    said = set(view.page.stems[at])
    shared = [root for root in view.words.stems if root in said]
    return turned(view.claim, view.page.sentences[at], shared)


def _reasons(view: _View, whole: bool) -> list[str]:
    """Why the page cannot support the claim, in words for the report."""
    found = [
        f"no cited passage has the {one.kind} {one.text!r}"
        for one in view.lacking(Kind.NUMBER, Kind.DATE, Kind.QUOTE)
    ]
    found += [f"no cited passage names {name!r}" for name in _strangers(view)]
    if found:
        return found
    source = view.page.sentences[view.top]
    speaks = float(view.words.near[view.top] @ view.words.weights) >= SPEAKS
    if not speaks:
        return []
    if _is_turned(view, view.top):
        return ["one of claim and source denies what the other says"]
    if whole:
        return []
    return _wrong_way(view, source)


def _wrong_way(view: _View, source: str) -> list[str]:
    """Opposite words and names the other way round undo each other: A is above B, B below A."""
    names, pair = exchanged(view.claim, source), opposed(view.claim, source)
    if pair and not names:
        return [f"the claim says {pair[0]!r} where the source says {pair[1]!r}"]
    if names and not pair:
        return [f"the source has {names[0]!r} and {names[1]!r} the other way round"]
    figure = misplaced(view.claim, view.nearby)
    return [f"the source gives {figure!r} for something else"] if figure else []


def _strangers(view: _View) -> list[str]:
    """Names of the claim that stand where the page has another: who the page does not know."""
    rivals = _rivals(view)
    unnamed = words(view.page.sentences[view.top])[:1]
    called = bool(unnamed) and unnamed[0] in _PRONOUNS
    found = []
    for one in view.lacking(Kind.NAME):
        plain = one.text.istitle() or " " in one.text
        if any(rival.isupper() == one.text.isupper() for rival in rivals) or (plain and not called):
            found.append(one.text)
    return found or _new_subject(view, rivals)


def _rivals(view: _View) -> list[str]:
    """The names in the best sentence that the claim lacks."""
    ours = set(words(folded(view.claim)))
    return [
        name
        for name in _named(view.page.sentences[view.top])
        if not ours & set(words(folded(name)))
    ]


def _named(sentence: str) -> tuple[str, ...]:
    """The names of a sentence, its first word included where it may be one."""
    first = sentence.split()[:1]
    opening = [word.strip(".,;:'\"“”‘’()") for word in first if word[0].isupper()]
    likely = [word for word in opening if word.lower() not in STOPWORDS]
    return (*entities(sentence), *likely)


def _new_subject(view: _View, rivals: Sequence[str]) -> list[str]:
    """The claim's first word, when it is a name that the page lacks and the source has another."""
    opening = _named(view.claim)[-1:] if view.claim[:1].isupper() else ()
    roots = [stem(word) for name in opening for word in words(folded(name))]
    if len(roots) != 1 or roots[0] not in view.words.stems or not rivals:
        return []
    at = view.words.stems.index(roots[0])
    if float(view.words.near[:, at].max()) >= _FAR or opening[0].endswith(("s", "ing", "ed", "ly")):
        return []
    source = view.page.sentences[view.top].lstrip("\"“'(")
    return [opening[0]] if any(source.startswith(rival) for rival in rivals) else []
