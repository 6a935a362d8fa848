"""Signs that a page supports a claim: the features that `support.py` weighs, and the plain reasons
why it cannot, whatever the weights say."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from leadline.check.anchors import Anchor, Held, Kind, anchors, folded, holding, holdings
from leadline.check.negation import at_odds, denies, turned
from leadline.check.replaced_words import supplanted
from leadline.check.swapped_facts import crossed, exchanged, misplaced, replaced
from leadline.check.word_alignment import Alignment, Evidence, align, times
from leadline.frozen import frozen
from leadline.question.entities import entities
from leadline.text.quotes import locate
from leadline.text.words import STOPWORDS, stem, words

TOP = 5  # sentences looked at closely
FEW = 3  # sentences that may say a claim together
REACH = 2  # sentences on either side that belong to one
SPEAKS = 0.55  # of the claim in one sentence: from here on its polarity and order are compared
STRANGE = 0.3  # likeness to the nearest word of the page: below it, a word is not said there
_MOST_LACKING = 3
_OPENING = 4  # characters before the subject: "The "
_PRONOUNS = frozenset(words("he she it they his her its their this these that we i our"))
_TOKEN = re.compile(r"[^\W_]+")


@frozen
class Signs:
    """What was seen: sentences by merit, features by name, and reasons against."""

    order: tuple[int, ...]
    scores: tuple[float, ...]  # of the sentences in `order`
    features: dict[str, float]
    reasons: tuple[str, ...]
    verbatim: bool


@frozen
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
    near = [view.page.sentences[at] for at in best]
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
        "denied": float(np.mean([turned(view.claim, one, loose=True) for one in near])),
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


def _reasons(view: _View, whole: bool) -> list[str]:
    """Why the page cannot support the claim, in words for the report."""
    found = [
        f"no cited passage has the {one.kind} {one.text!r}"
        for one in view.lacking(Kind.NUMBER, Kind.DATE, Kind.QUOTE)
    ]
    found += [f"no cited passage names {name!r}" for name in _strangers(view)]
    if found:
        return found
    return _wrong_way(view, whole)


def _speaker(view: _View) -> str:
    """The sentence that speaks of what the claim says, with or without its names; "" when none."""
    named = {stem(word) for one, _ in view.anchors for word in words(folded(one.text))}
    plain = np.array([root not in named for root in view.words.stems], dtype=np.float32)
    weights = view.words.weights * plain if plain.any() else view.words.weights
    best = view.words.near[view.order[:TOP]]
    covered = np.maximum(times(best, weights / weights.sum()), times(best, view.words.weights))
    place = int(np.argmax(covered))
    return view.page.sentences[view.order[place]] if covered[place] >= SPEAKS else ""


def _wrong_way(view: _View, whole: bool) -> list[str]:
    """What the page says the other way round: yes for no, one name or number for another."""
    source = _speaker(view)
    found = _swaps(view, source, whole) if source else []
    return found or ([] if whole else _told_otherwise(view))


def _swaps(view: _View, source: str, whole: bool) -> list[str]:
    """Opposite words and exchanged names undo each other: A is above B, B is below A."""
    odds, names = at_odds(view.claim, source), exchanged(view.claim, source)
    if bool(odds) != bool(names) and not (whole and names):
        return [odds or f"the source has {' and '.join(names or ())} the other way round"]
    if whole:
        return []
    if figures := crossed(view.claim, source):
        return [f"the source has {figures[0]} and {figures[1]} the other way round"]
    if pair := replaced(view.claim, source):
        return [f"the claim has {pair[0]!r} where the source has {pair[1]!r}"]
    if figure := misplaced(view.claim, view.nearby):
        return [f"the source gives {figure!r} for something else"]
    pair = supplanted(view.claim, source, _strange(view))
    return [f"the claim has {pair[0]!r} where the source has {pair[1]!r}"] if pair else []


def _strange(view: _View) -> frozenset[str]:
    """The claim's words to which nothing on the page comes near in meaning."""
    near = view.words.near.max(axis=0)
    return frozenset(
        root for root, most in zip(view.words.stems, near, strict=True) if most < STRANGE
    )


def _told_otherwise(view: _View) -> list[str]:
    """A short sentence that the claim repeats, but for a negation: "Nobody was killed"."""
    near = [view.page.sentences[at] for at in view.order[:TOP]]
    odd = any(denies(view.claim, one) for one in near)
    return ["one of claim and source denies what the other says"] if odd else []


def _strangers(view: _View) -> list[str]:
    """Names of the claim that the page does not know, where it has another or should have this."""
    rivals = _rivals(view)
    found = []
    for one in view.lacking(Kind.NAME):
        opens = one.start <= _OPENING and _is_unnamed(view)
        plain = one.text.istitle() or " " in one.text
        if any(rival.isupper() == one.text.isupper() for rival in rivals) or (plain and not opens):
            found.append(one.text)
    return found or _new_subject(view)


def _is_unnamed(view: _View) -> bool:
    """Whether the best sentence calls its subject "she" or "it"."""
    return words(view.page.sentences[view.top])[:1] in [[word] for word in _PRONOUNS]


def _rivals(view: _View) -> list[str]:
    """The names in the best sentence whose last word the claim lacks."""
    ours = set(words(folded(view.claim)))
    named = _named(view.page.sentences[view.top])
    return [name for name in named if not ours & set(words(folded(name))[-1:])]


def _named(sentence: str) -> tuple[str, ...]:
    """The names of a sentence, its first word included where it may be one."""
    first = sentence.split()[:1]
    opening = [word.strip(".,;:'\"“”‘’()") for word in first if word[0].isupper()]
    likely = [word for word in opening if word.lower() not in STOPWORDS]
    return (*entities(sentence), *likely)


def _new_subject(view: _View) -> list[str]:
    """The claim's first word, when the source has a known name in its very place."""
    ours, theirs = _TOKEN.findall(view.claim), _TOKEN.findall(view.page.sentences[view.top])
    if len(ours) < FEW or len(theirs) < FEW or not ours[0][0].isupper():
        return []
    mine, other = ours[0], theirs[0]
    alike = stem(ours[1].lower()) == stem(theirs[1].lower()) and mine.lower() not in STOPWORDS
    strange = stem(folded(mine).lower()) not in view.page.held.stems
    known = re.search(rf"[a-z,] {re.escape(other)}\b", view.page.text) and other[0].isupper()
    return [mine] if alike and strange and known else []
