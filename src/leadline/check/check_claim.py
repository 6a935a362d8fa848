"""Checks one claim of a report against the passages it cites, and finds the words that prove it."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.check.support import Support, settle, support_on
from leadline.check.word_alignment import Evidence, lay_out
from leadline.frozen import frozen
from leadline.ports import Embedder, Entailment
from leadline.text.quotes import locate, plain
from leadline.text.sentences import Span, sentences
from leadline.types import Claim, Passage, Quote, Verdict


@frozen
class Cited:
    """Cited passages laid out for many claims; `spans` says where each sentence stands."""

    passages: tuple[Passage, ...]
    spans: tuple[tuple[int, Span], ...]  # the number of the passage, the place in it
    evidence: Evidence


@frozen
class Proof:
    """A claim with its verdict and quote, and how it was judged."""

    claim: Claim
    support: Support


def cite(passages: Sequence[Passage], embedder: Embedder, titles: Sequence[str] = ()) -> Cited:
    """`passages` ready for claims that cite them. `titles` say what they are about: they may
    name the subject of a claim, and are never quoted."""
    spans = tuple(
        (number, span)
        for number, passage in enumerate(passages)
        for span in sentences(passage.text)
    )
    texts = [plain(span.text) or span.text for _, span in spans]
    return Cited(tuple(passages), spans, lay_out([*texts, *titles], embedder))


def check_claim(
    claim: str,
    passages: Sequence[Passage],
    embedder: Embedder,
    titles: Sequence[str] = (),
    model: Entailment | None = None,
) -> Proof:
    """What the cited `passages` say of `claim`, with the quote that says it."""
    return check_on(claim, cite(passages, embedder, titles), model)


def check_on(claim: str, cited: Cited, model: Entailment | None = None) -> Proof:
    """The same for passages that were laid out, for many claims."""
    sources = tuple(dict.fromkeys(passage.source for passage in cited.passages))
    if not cited.spans:
        found = Support(0.0, 0.0, Verdict.UNSUPPORTED, reasons=("no passage is cited",))
        return Proof(Claim(claim, sources, found.verdict), found)
    found = support_on(claim, cited.evidence)
    if model is not None:
        found = settle(claim, cited.evidence, found, model)
    proven = found.verdict in (Verdict.SUPPORTED, Verdict.PARTLY)
    quote = _whole(claim, cited) or _best(found, cited) if proven else _best(found, cited)
    return Proof(Claim(claim, sources, found.verdict, round(found.score, 4), quote), found)


def _whole(claim: str, cited: Cited) -> Quote | None:
    """The claim itself, where a passage has it word for word."""
    for passage in cited.passages:
        at = locate(claim, passage.text)
        if at is not None:
            return _quote(passage, *at)
    return None


def _best(found: Support, cited: Cited) -> Quote | None:
    """The sentence nearest to the claim; for a mismatch it shows what the source says instead."""
    for at, _ in found.best:
        if at < len(cited.spans):
            number, span = cited.spans[at]
            return _quote(cited.passages[number], span.start, span.end)
    return None


def _quote(passage: Passage, start: int, end: int) -> Quote:
    text = passage.text[start:end]
    return Quote(passage.source, text, passage.page, passage.start + start, passage.start + end)
