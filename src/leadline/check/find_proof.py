"""Proves claims against the passages of a run: the exact words first, then the computed cascade.

A `Shelf` holds the passages by the number of their source and lays each source out once, so that
many claims are cheap. Pure: the same claim and passages give the same verdict anywhere, which is
what checking an exported report again rests on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leadline.check.anchors import Held, Kind, anchors, holding, holdings
from leadline.check.check_claim import Cited, Proof, check_on, cite
from leadline.check.support import BEARS
from leadline.check.support_features import FEW
from leadline.frozen import frozen
from leadline.ports import Embedder, Entailment
from leadline.rank.near_duplicates import same_text
from leadline.text.quotes import locate, plain
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import Claim, Passage, Quote, Verdict

LOOKED_AT = 3  # sources that a claim without a citation is checked against
ELSEWHERE = 0.7  # what another source must score to be cited instead of the one that was
# Of WiCE's claims between the threshold and the end of the band as many are supported in part or
# not at all (15) as in whole (14): until a model has decided, they do not pass for supported.
IN_DOUBT = "it is in doubt whether the source says all of it"
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"']+")
_GOOD = (Verdict.SUPPORTED, Verdict.PARTLY)
_FIGURES = (Kind.NUMBER, Kind.DATE)


@frozen
class Proven:
    """A claim with its verdict; `bearing` says whether its sources speak of it at all, and
    `evidence` are the sentences a model would be shown."""

    claim: Claim
    bearing: float = 0.0
    uncertain: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def bears(self) -> bool:
        return self.bearing >= BEARS


class Shelf:
    """The passages of a run, ready for claims that cite them."""

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Embedder,
        titles: Mapping[int, str] | None = None,
        model: Entailment | None = None,
    ) -> None:
        self._embedder, self._titles, self._model = embedder, titles or {}, model
        self._by_source: dict[int, list[Passage]] = {}
        for passage in passages:
            self._by_source.setdefault(passage.source, []).append(passage)
        self._laid: dict[tuple[int, ...], Cited] = {}
        self._words: dict[int, frozenset[str]] = {}

    @property
    def known(self) -> frozenset[int]:
        """The numbers that may be cited."""
        return frozenset(self._by_source)

    @property
    def text(self) -> str:
        return "\n".join(one.text for some in self._by_source.values() for one in some)

    def exact(self, text: str, ids: Sequence[int] = (), *, lines: bool = False) -> Claim | None:
        """The claim where whole sentences of a source, or whole `lines`, say it word for word.
        Without `ids` any source may."""
        for number in ids or self._by_source:
            for passage in self._by_source.get(number, ()):
                at = locate(text, passage.text)
                if at is not None and _is_whole(passage.text, *at, lines):
                    quote = _quote(passage, *at)
                    return Claim(text, (number,), Verdict.SUPPORTED, 1.0, quote)
        return None

    def prove(self, text: str, ids: Sequence[int], near: Sequence[int] = ()) -> Proven:
        """What the sources `ids` say of `text`. Without ids, the source that supports it best:
        of those cited nearby, then of all."""
        known = tuple(dict.fromkeys(number for number in ids if number in self._by_source))
        if ids and not known:
            stray = " ".join(f"[{number}]" for number in ids)
            return Proven(
                Claim(text, (), Verdict.UNSUPPORTED, why=f"it cites {stray}, which is no source")
            )
        if known:
            return self._cited(text, known)
        return self._uncited(text, tuple(number for number in near if number in self._by_source))

    def elsewhere(self, text: str, ids: Sequence[int]) -> Proven | None:
        """Another source that plainly says what the cited ones do not."""
        others = [number for number in self._likely(text) if number not in ids]
        for number in others[:LOOKED_AT]:
            found = self._on(text, (number,))
            if found.claim.verdict is Verdict.SUPPORTED and found.claim.score >= ELSEWHERE:
                return found
        return None

    def _cited(self, text: str, ids: tuple[int, ...]) -> Proven:
        """Each source by itself; those that say nothing of it are no citation. Only when none is
        enough do they speak together."""
        if exact := self.exact(text, ids):
            others = [self._on(text, (number,)) for number in ids if number not in exact.sources]
            good = {one.claim.sources[0] for one in others if one.claim.verdict in _GOOD}
            sources = tuple(n for n in ids if n in good or n in exact.sources)
            return Proven(replace(exact, sources=sources), 1.0)
        alone = [self._on(text, (number,)) for number in ids]
        if len(alone) == 1:
            return alone[0]
        best = max(alone, key=_merit)
        if best.claim.verdict is Verdict.SUPPORTED:
            backed = [one.claim.sources[0] for one in alone if one.claim.verdict in _GOOD]
            return replace(best, claim=replace(best.claim, sources=tuple(backed)))
        together = self._on(text, ids)
        return together if _merit(together) > _merit(best) else best

    def _uncited(self, text: str, near: tuple[int, ...]) -> Proven:
        if exact := self.exact(text, near) if near else None:
            return Proven(exact, 1.0)
        if exact := self.exact(text):
            return Proven(exact, 1.0)
        tried = [self._on(text, (number,)) for number in near]
        if not any(one.claim.verdict is Verdict.SUPPORTED for one in tried):
            likely = [number for number in self._likely(text) if number not in near]
            tried += [self._on(text, (number,)) for number in likely[:LOOKED_AT]]
        if not tried:
            return Proven(Claim(text, (), Verdict.UNSUPPORTED, why="no passage says it"))
        best = max(tried, key=_merit)
        if best.claim.verdict is Verdict.SUPPORTED:
            return best
        bare = replace(best.claim, sources=(), why=best.claim.why or "no passage says it")
        return replace(best, claim=bare)

    def _on(self, text: str, ids: tuple[int, ...]) -> Proven:
        cited = self._layout(ids)
        proof = check_on(plain(text) or text, cited, self._model)
        claim = replace(proof.claim, text=text, why=_why(proof))
        if proof.support.uncertain and claim.verdict is Verdict.SUPPORTED:
            claim = replace(claim, verdict=Verdict.PARTLY, why=IN_DOUBT)
        if claim.verdict in _GOOD and (address := self._stray_address(text, ids)):
            why = f"no cited passage has the address {address}"
            claim = replace(claim, verdict=Verdict.MISMATCH, why=why)
        uncertain = proof.support.uncertain
        if claim.verdict in _GOOD and (why := _other_figures(claim)):
            claim, uncertain = replace(claim, verdict=Verdict.MISMATCH, why=why), False
        few = [at for at, _ in proof.support.best[:FEW] if at < len(cited.spans)]
        evidence = tuple(cited.evidence.sentences[at] for at in sorted(few))
        return Proven(claim, proof.support.bearing, uncertain, evidence)

    def _layout(self, ids: tuple[int, ...]) -> Cited:
        if ids not in self._laid:
            passages = [one for number in ids for one in self._by_source[number]]
            titles = [title for number in ids if (title := self._titles.get(number))]
            self._laid[ids] = cite(passages, self._embedder, titles)
        return self._laid[ids]

    def _likely(self, text: str) -> list[int]:
        """The sources by how many of the claim's words they hold, those without any left out."""
        asked = set(content_words(plain(text)))
        for number, passages in self._by_source.items():
            if number not in self._words:
                said = " ".join(one.text for one in passages)
                self._words[number] = frozenset(content_words(said))
        shares = {number: len(asked & held) for number, held in self._words.items()}
        return sorted((n for n in shares if shares[n]), key=lambda n: -shares[n])

    def _stray_address(self, text: str, ids: tuple[int, ...]) -> str:
        """An address that no cited passage has: the writer sees none, so it is invented."""
        held = [one.text for number in ids for one in self._by_source[number]]
        for address in _ADDRESS.findall(text):
            if not any(address.rstrip(".,;:") in one for one in held):
                return str(address)
        return ""


def recheck(
    claim: Claim,
    passages: Sequence[Passage],
    embedder: Embedder,
    titles: Mapping[int, str] | None = None,
) -> Claim:
    """`claim` judged anew on the passages of the sources it cites, as if it had no verdict yet."""
    if not claim.sources:
        return replace(claim, verdict=Verdict.UNSUPPORTED, score=0.0, quote=None, judge="")
    return Shelf(passages, embedder, titles).prove(claim.text, claim.sources).claim


def agrees(stored: Claim, again: Claim) -> bool:
    """Whether a second check bears the first out: the same verdict and the same proof. What a
    model has decided must at least not be ruled out."""
    if stored.judge:
        return again.verdict in _GOOD and bool(again.quote)
    return stored.verdict is again.verdict and _place(stored) == _place(again)


def _place(claim: Claim) -> tuple[str, int, int, str] | None:
    """What is proof in a quote; what stands around it is only shown."""
    one = claim.quote
    return (one.page, one.start, one.end, one.text) if one else None


def _other_figures(claim: Claim) -> str:
    """What is wrong with a claim that is its source's own sentence but for a figure: that another
    sentence of the source has the figure does not help."""
    if claim.quote is None:
        return ""
    text, quote = plain(claim.text), plain(claim.quote.text)
    if same_text(text, quote) != "numbers_differ":
        return ""
    for one, other, said in ((text, quote, "not have"), (quote, text, "have")):
        held = holdings(other)
        for anchor in anchors(one):
            if anchor.kind in _FIGURES and holding(anchor, held) is Held.MISSING:
                return f"the sentence of the source does {said} {anchor.text}"
    return ""


def _merit(one: Proven) -> tuple[int, float]:
    """Verdicts before scores: a mismatch may score high."""
    order = (Verdict.SUPPORTED, Verdict.PARTLY)
    rank = len(order) - order.index(one.claim.verdict) if one.claim.verdict in order else 0
    return rank, one.claim.score


def _why(proof: Proof) -> str:
    if proof.support.reasons:
        return "; ".join(proof.support.reasons)
    if proof.claim.verdict is Verdict.PARTLY:
        return "the source does not say all of it"
    return "" if proof.claim.verdict is Verdict.SUPPORTED else "the source does not say it"


def _is_whole(page: str, start: int, end: int, lines: bool) -> bool:
    """Whether `start:end` begins and ends where sentences do: half a sentence may say something
    else than the whole. Marks around it do not count."""
    spans = sentences(page)
    begins = [span.start for span in spans if span.start <= start]
    ends = [span.end for span in spans if end <= span.end]
    if lines:
        begins.append(page.rfind("\n", 0, start) + 1)
        ends.append(page.find("\n", end) % (len(page) + 1))
    return any(_bare(page, at, start) for at in begins[-2:]) and any(
        _bare(page, end, at) for at in (*ends[:2], *ends[-1:])
    )


def _bare(page: str, start: int, end: int) -> bool:
    return not any(char.isalnum() for char in page[start:end])


def _quote(passage: Passage, start: int, end: int) -> Quote:
    text = passage.text[start:end]
    return Quote(passage.source, text, passage.page, passage.start + start, passage.start + end)
