"""Holds one claim against a set of passages: its own words first, else what is computed.

`prover` decides which passages; here they are given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.check.alignment import Evidence, lay_out
from leadline.check.quoted import QuoteMatch, is_quoted, opening_name
from leadline.check.support import BEARS, FEW, Support, support_on
from leadline.ports import Embedder
from leadline.text.quotes import around, locate, plain
from leadline.text.sentences import Span, sentences
from leadline.types import Claim, Passage, Quote, Verdict
from leadline.values import replace

Standing = Literal["quoted", "sourced", "contradicted", "not_found"]

GOOD = (Verdict.SUPPORTED, Verdict.PARTLY)


@dataclass(frozen=True)
class Layout:
    """Passages laid out for many claims; `spans` says where each sentence stands, `names` what
    the pronouns of each may stand for."""

    passages: tuple[Passage, ...]
    spans: tuple[tuple[int, Span], ...]  # the number of the passage, the place in it
    names: tuple[tuple[str, ...], ...]
    evidence: Evidence


@dataclass(frozen=True)
class Proof:
    """A claim with its verdict. `match` says that its words are quoted, `bearing` whether its
    sources speak of it at all, `evidence` are the sentences a model would be shown."""

    claim: Claim
    bearing: float = 0.0
    uncertain: bool = False
    evidence: tuple[str, ...] = ()
    match: QuoteMatch | None = None
    reasons: tuple[str, ...] = ()

    @property
    def bears(self) -> bool:
        return self.bearing >= BEARS

    @property
    def standing(self) -> Standing:
        """What code alone can say of the claim."""
        if self.match is not None:
            return "quoted"
        if self.claim.verdict in GOOD:
            return "sourced"
        denied = self.reasons and not self.reasons[0].startswith("no cited passage")
        return "contradicted" if denied else "not_found"


def lay_out_passages(
    passages: Sequence[Passage], embedder: Embedder, titles: Sequence[str] = ()
) -> Layout:
    """`passages` ready for claims that cite them. `titles` say what they are about: they may
    name the subject of a claim, and are never quoted."""
    spans: list[tuple[int, Span]] = []
    names: list[tuple[str, ...]] = []
    subjects = tuple(re.sub(r"\s*\(.*?\)", "", title) for title in titles)
    for number, passage in enumerate(passages):
        before = ""
        for span in sentences(passage.text):
            spans.append((number, span))
            names.append((*subjects, before) if before else subjects)
            before = opening_name(plain(span.text)) or before
    texts = [plain(span.text) or span.text for _, span in spans]
    return Layout(tuple(passages), tuple(spans), tuple(names), lay_out([*texts, *titles], embedder))


def check_claim(
    claim: str, passages: Sequence[Passage], embedder: Embedder, titles: Sequence[str] = ()
) -> Proof:
    """What `passages` say of `claim` together, with the quote that says it."""
    return check_on(claim, lay_out_passages(passages, embedder, titles))


def check_on(claim: str, layout: Layout) -> Proof:
    """The same for passages that were laid out, for many claims."""
    sources = tuple(dict.fromkeys(passage.source for passage in layout.passages))
    if not layout.spans:
        why = "no passage is cited"
        return Proof(Claim(claim, sources, Verdict.UNSUPPORTED, why=why), reasons=(why,))
    found = support_on(plain(claim) or claim, layout.evidence)
    best = [at for at, _ in found.best if at < len(layout.spans)]
    text = layout.evidence.sentences
    match = is_quoted(plain(claim), [text[at] for at in best], [layout.names[at] for at in best])
    if match is not None:
        match = replace(match, at=best[match.at])
        found = replace(found, score=1.0, bearing=1.0, verdict=Verdict.SUPPORTED, reasons=())
    quote = _quote_of(claim, found, layout, match)
    why = _why(found)
    judged = Claim(claim, sources, found.verdict, round(found.score, 4), quote, why)
    evidence = tuple(text[at] for at in sorted(best[:FEW]))
    return Proof(judged, found.bearing, found.uncertain, evidence, match, found.reasons)


def _quote_of(claim: str, found: Support, layout: Layout, match: QuoteMatch | None) -> Quote | None:
    """The claim itself where a passage has it, else the sentence nearest to it; for a mismatch
    that shows what the source says instead."""
    if found.verdict in GOOD:
        for passage in layout.passages:
            if place := locate(claim, passage.text):
                return quote_from(passage, *place)
    best = [match.at] if match else [at for at, _ in found.best if at < len(layout.spans)]
    for at in best[:1]:
        number, span = layout.spans[at]
        return quote_from(layout.passages[number], span.start, span.end)
    return None


def _why(found: Support) -> str:
    if found.reasons:
        return "; ".join(found.reasons)
    if found.verdict is Verdict.PARTLY:
        return "the source does not say all of it"
    return "" if found.verdict is Verdict.SUPPORTED else "the source does not say it"


def quote_from(passage: Passage, start: int, end: int) -> Quote:
    """`start:end` of the text of `passage`, with its place in the page."""
    text = passage.text[start:end]
    return Quote(passage.source, text, passage.page, passage.start + start, passage.start + end)


def in_context(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[Claim, ...]:
    """The claims, their quotes with what stands before and after them in the passage."""
    return tuple(
        replace(claim, quote=_placed(claim.quote, passages)) if claim.quote else claim
        for claim in claims
    )


def _placed(quote: Quote, passages: Sequence[Passage]) -> Quote:
    for passage in passages:
        start, end = quote.start - passage.start, quote.end - passage.start
        here = (passage.source, passage.page) == (quote.source, quote.page)
        if here and 0 <= start < end and passage.text[start:end] == quote.text:
            before, after = around(passage.text, start, end)
            return replace(quote, before=before, after=after)
    return quote
