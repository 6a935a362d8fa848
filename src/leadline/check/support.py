"""Support: does a page say what a claim says? Computed, no model, in milliseconds.

Anchors decide first: a number, date, name or quotation that the page lacks, or attaches to
something else, is a mismatch. Then a few features of how the claim's words are covered are weighed
by what `bench/train_support.py` found. What is neither a clear yes nor a clear no is `uncertain`:
an `Entailment` model may settle it, and only such a model can say `contradicted`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leadline.check.support_features import FEW, look
from leadline.check.support_weights import BEARING, BEARING_BIAS, SCORE, SCORE_BIAS
from leadline.check.word_alignment import Evidence, lay_out
from leadline.frozen import frozen
from leadline.ports import Embedder, Entailment
from leadline.types import Verdict

# Measured by `bench verify` on WiCE's development part (349 claims): at SUPPORTED 79 % of the
# supported claims pass and 77 % of the others do not (balanced .78; .77 at .45 and at .55). BEARS
# finds 79 % of the claims of which nothing is said and takes 3 % of the supported ones for such.
# Between UNSURE and SURE lie 14 % of the claims; about half of those are supported.
SUPPORTED = 0.5
BEARS = 0.4
UNSURE, SURE = 0.42, 0.58
SETTLED = 0.5  # what an entailment model must at least say


@frozen
class Support:
    """What a page says of a claim. `score` is the probability that it says all of it, where half
    of all claims are supported; `bearing` that it says any of it; `best` are the sentences that
    speak for it, best first, each with its score."""

    score: float
    bearing: float
    verdict: Verdict
    best: tuple[tuple[int, float], ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def uncertain(self) -> bool:
        """Whether a model should be asked, where there is one."""
        return not self.reasons and UNSURE <= self.score < SURE


def support(claim: str, sentences: Sequence[str], embedder: Embedder) -> Support:
    """What `sentences` say of `claim`. For many claims on one page, `lay_out` it once."""
    return support_on(claim, lay_out(sentences, embedder))


def support_on(claim: str, page: Evidence) -> Support:
    """What a page that was laid out says of `claim`."""
    if not page.sentences or not claim.strip():
        return Support(0.0, 0.0, Verdict.UNSUPPORTED)
    signs = look(claim, page)
    best = tuple(zip(signs.order, signs.scores, strict=True))
    if signs.verbatim and not signs.reasons:
        return Support(1.0, 1.0, Verdict.SUPPORTED, best)
    score = _probability(signs.features, SCORE, SCORE_BIAS)
    bearing = _probability(signs.features, BEARING, BEARING_BIAS)
    verdict = _verdict(score, bearing, signs.reasons)
    return Support(score, bearing, verdict, best, signs.reasons)


def settle(claim: str, page: Evidence, found: Support, model: Entailment) -> Support:
    """`found` with the model's word on it where it is uncertain, and as it is elsewhere."""
    if not found.uncertain:
        return found
    at = sorted(number for number, _ in found.best[:FEW])
    yes, no = model.judge(" ".join(page.sentences[number] for number in at), claim)
    if yes >= max(SETTLED, no):
        return replace(found, verdict=Verdict.SUPPORTED, reasons=(f"{model.name}: supported",))
    if no >= SETTLED:
        return replace(found, verdict=Verdict.CONTRADICTED, reasons=(f"{model.name}: denied",))
    return replace(found, verdict=Verdict.PARTLY, reasons=(f"{model.name}: not all of it",))


def _verdict(score: float, bearing: float, reasons: Sequence[str]) -> Verdict:
    if reasons:
        return Verdict.MISMATCH if bearing >= BEARS else Verdict.UNSUPPORTED
    if score >= SUPPORTED:
        return Verdict.SUPPORTED
    return Verdict.PARTLY if bearing >= BEARS else Verdict.UNSUPPORTED


def _probability(values: Mapping[str, float], weights: Mapping[str, float], bias: float) -> float:
    odds = bias + sum(weight * values[name] for name, weight in weights.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
