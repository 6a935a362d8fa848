"""Finds the proof of a claim among the passages of a run: the words themselves, else the sentences
of one source, of two or of three that hold its names and figures together.

A `Prover` lays each source out once, so that many claims are cheap. Pure: the same claim and
passages give the same verdict anywhere, which is what checking an exported report again rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from leadline.check.alignment import Evidence, lay_out
from leadline.check.anchors import Anchor, Held, anchors, holding
from leadline.check.quoted import is_quoted, opening_name
from leadline.check.support import BEARS, FEW, support_on
from leadline.ports import Embedder
from leadline.text.quotes import around, locate, plain
from leadline.text.sentences import Span, sentences
from leadline.text.words import content_words
from leadline.types import Claim, Passage, Quote, Verdict
from leadline.values import replace

LIKELY = 5  # sources that a claim is held against beside those it cites
TOGETHER = 3  # sources that may bear a claim out together
PLAINLY = 0.58  # what a source must score to be given to a claim that does not cite it
NOT_JUDGED = "its names and figures stand there; nobody judged how they are related"
_MOST_GROUPS = 6  # of two or three sources that are tried
_LINK_END = re.compile(r"\A\](?:\([^()\s]{0,500}\)|\[[^\[\]\n]{0,100}\])")
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"']+")


@dataclass(frozen=True)
class Proof:
    """A claim with its verdict. `bears` says whether its sources speak of it at all; `evidence`
    are the sentences a judge would be shown."""

    claim: Claim
    bears: bool = False
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Layout:
    """Passages laid out for many claims; `spans` says where each sentence stands, `names` what
    the pronouns of each may stand for."""

    passages: tuple[Passage, ...]
    spans: tuple[tuple[int, Span], ...]  # the number of the passage, the place in it
    names: tuple[tuple[str, ...], ...]
    evidence: Evidence

    def quote(self, at: int) -> Quote | None:
        """The sentence `at`; None for a title."""
        if at >= len(self.spans):
            return None
        number, span = self.spans[at]
        return quote_from(self.passages[number], span.start, span.end)


class Prover:
    """The passages of a run, ready for claims that cite them."""

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Embedder,
        titles: Mapping[int, str] | None = None,
    ) -> None:
        self._embedder, self._titles = embedder, titles or {}
        self._by_source: dict[int, list[Passage]] = {}
        for passage in passages:
            self._by_source.setdefault(passage.source, []).append(passage)
        self._layouts: dict[tuple[int, ...], _Layout] = {}
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
                    quote = quote_from(passage, *at)
                    return Claim(text, (number,), Verdict.QUOTED, 1.0, quote)
        return None

    def prove(self, text: str, ids: Sequence[int] = (), near: Sequence[int] = ()) -> Proof:
        """What the sources `ids` say of `text`; where they do not say it, or none is given, the
        fewest sources that do: of those cited `near` it, then of all."""
        known = tuple(dict.fromkeys(number for number in ids if number in self._by_source))
        if ids and not known:
            stray = " ".join(f"[{number}]" for number in ids)
            return _not_found(text, f"it cites {stray}, which is no source")
        near = known or tuple(number for number in near if number in self._by_source)
        exact = self.exact(text, near) if near else None
        if exact := exact or (None if known else self.exact(text)):
            return Proof(replace(exact, sources=self._backing(exact, known)), True)
        alone = [self._on(text, (number,)) for number in near]
        best = max(alone, key=_merit, default=_not_found(text, "no passage says it"))
        if _is_plain(best.claim):
            return replace(best, claim=replace(best.claim, sources=_good(alone)))
        if len(known) > 1:
            best = max(best, self._on(text, known), key=_merit)
        said = best.claim.verdict
        if known and (said.may_ship or said is Verdict.CONTRADICTED):
            return best
        for proof in self._elsewhere(text, near):
            if _is_plain(proof.claim):
                return proof
            best = best if known else max(best, proof, key=_merit)
        claim = replace(best.claim, sources=known)
        if claim.verdict.may_ship:
            claim = replace(claim, verdict=Verdict.NOT_FOUND, why="no passage plainly says it")
        return replace(best, claim=claim)

    def _backing(self, exact: Claim, ids: tuple[int, ...]) -> tuple[int, ...]:
        """The cited sources that say it, where one of them says it word for word."""
        others = [self._on(exact.text, (n,)) for n in ids if n not in exact.sources]
        good = {*exact.sources, *_good(others)}
        return tuple(number for number in ids if number in good) or exact.sources

    def _elsewhere(self, text: str, ids: tuple[int, ...]) -> Iterator[Proof]:
        """The claim on the likeliest other source, then on two or three together."""
        likely = [(number,) for number in self._likely(text) if number not in ids][:LIKELY]
        if likely:
            yield max((self._on(text, one) for one in likely), key=_merit)
        yield from self._together(text, ids)

    def _together(self, text: str, ids: Sequence[int]) -> Iterator[Proof]:
        """The claim on pairs, then triples, of the likeliest sources that hold all its anchors,
        each of them one that the others lack; those with a source that is cited first."""
        wanted = set(anchors(plain(text) or text))
        likely = [*ids, *(number for number in self._likely(text) if number not in ids)]
        held = {number: self._held(wanted, number) for number in likely[: LIKELY + len(ids)]}
        groups = [
            group
            for size in range(2, TOGETHER + 1)
            for group in combinations(held, size)
            if _covers(wanted, [held[number] for number in group])
        ]
        groups.sort(key=lambda some: (len(some), set(ids).isdisjoint(some)))
        return (self._on(text, group) for group in groups[:_MOST_GROUPS])

    def _held(self, wanted: set[Anchor], number: int) -> frozenset[Anchor]:
        held = self._layout((number,)).evidence.held
        return frozenset(one for one in wanted if holding(one, held) is not Held.MISSING)

    def _on(self, text: str, ids: tuple[int, ...]) -> Proof:
        """What these sources say of `text` together, with the quote that says it."""
        layout = self._layout(ids)
        if not layout.spans:
            return _not_found(text, "no passage is cited")
        claim = plain(text) or text
        page = layout.evidence
        found = support_on(claim, page)
        best = [at for at, _ in found.best if at < len(layout.spans)]
        evidence = tuple(page.sentences[at] for at in sorted(best[:FEW]))
        if address := self._stray_address(text, ids):
            return _not_found(text, f"no cited passage has the address {address}")
        match = is_quoted(
            claim, [page.sentences[at] for at in best], [layout.names[at] for at in best]
        )
        if match is not None:
            quote = _verbatim(text, layout.passages) or layout.quote(best[match.at])
            return Proof(Claim(text, ids, Verdict.QUOTED, 1.0, quote), True, evidence)
        quote = _verbatim(text, layout.passages) if found.score == 1.0 else None
        quote = quote or (layout.quote(best[0]) if best else None)
        why = "; ".join(found.reasons) or (
            NOT_JUDGED if found.verdict.may_ship else "the source does not say it"
        )
        score = min(0.99, round(found.score, 4))
        return Proof(
            Claim(text, ids, found.verdict, score, quote, why), found.bearing >= BEARS, evidence
        )

    def _layout(self, ids: tuple[int, ...]) -> _Layout:
        if ids not in self._layouts:
            passages = [one for number in ids for one in self._by_source[number]]
            titles = [title for number in ids if (title := self._titles.get(number))]
            self._layouts[ids] = _lay_out(passages, self._embedder, titles)
        return self._layouts[ids]

    def _likely(self, text: str) -> list[int]:
        """The sources by how many of the claim's words they hold, those without any left out."""
        asked = set(content_words(plain(text)))
        for number, passages in self._by_source.items():
            if number not in self._words:
                said = [self._titles.get(number, ""), *(one.text for one in passages)]
                self._words[number] = frozenset(content_words(" ".join(said)))
        shares = {number: len(asked & held) for number, held in self._words.items()}
        return sorted((n for n in shares if shares[n]), key=lambda n: -shares[n])

    def _stray_address(self, text: str, ids: tuple[int, ...]) -> str:
        """An address that no cited passage has: the writer sees none, so it is invented."""
        held = [one.text for number in ids for one in self._by_source[number]]
        addresses = (match.group() for match in _ADDRESS.finditer(text))
        return next(
            (one for one in addresses if not any(one.rstrip(".,;:") in text for text in held)), ""
        )


def agrees(stored: Claim, again: Claim) -> bool:
    """Whether a second check bears the first out: a word as strong, and the same proof. What a
    model has decided must at least not be ruled out."""
    if stored.judge:
        return again.verdict.may_ship and bool(again.quote)
    if stored.verdict is Verdict.SOURCED and again.verdict is Verdict.QUOTED:
        return True
    return stored.verdict is again.verdict and _place(stored) == _place(again)


def quote_from(passage: Passage, start: int, end: int) -> Quote:
    """`start:end` of the text of `passage`, with its place in the page."""
    text = passage.text[start:end]
    return Quote(passage.source, text, passage.page, passage.start + start, passage.start + end)


def words_stand_in(words: str, passages: Sequence[Passage]) -> Quote | None:
    """The place of `words` that a writer says it rests on, markup and white space aside; None
    where no passage has them."""
    return _verbatim(words, passages)


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


def _lay_out(passages: Sequence[Passage], embedder: Embedder, titles: Sequence[str]) -> _Layout:
    """`titles` say what the passages are about: they may name the subject of a claim, and are
    never quoted."""
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
    return _Layout(
        tuple(passages), tuple(spans), tuple(names), lay_out([*texts, *titles], embedder)
    )


def _verbatim(text: str, passages: Sequence[Passage]) -> Quote | None:
    for passage in passages:
        if place := locate(text, passage.text):
            return quote_from(passage, *place)
    return None


def _not_found(text: str, why: str) -> Proof:
    return Proof(Claim(text, (), Verdict.NOT_FOUND, why=why))


def _is_plain(claim: Claim) -> bool:
    return claim.verdict.may_ship and claim.score >= PLAINLY


def _good(proofs: Sequence[Proof]) -> tuple[int, ...]:
    return tuple(
        number for one in proofs if one.claim.verdict.may_ship for number in one.claim.sources
    )


def _merit(one: Proof) -> tuple[int, float]:
    """Verdicts before scores: what is contradicted may score high."""
    return -tuple(Verdict).index(one.claim.verdict), one.claim.score


def _place(claim: Claim) -> tuple[str, int, int, str] | None:
    """What is proof in a quote; what stands around it is only shown."""
    one = claim.quote
    return (one.page, one.start, one.end, one.text) if one else None


def _covers(wanted: set[Anchor], held: Sequence[frozenset[Anchor]]) -> bool:
    """Whether these hold all that is wanted together, and each what the others lack."""
    if frozenset().union(*held) != wanted:
        return False
    return all(
        one - frozenset().union(*(other for at, other in enumerate(held) if at != here))
        for here, one in enumerate(held)
    )


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
    """Whether a reader sees no word in `start:end`: where a link ends, its address may stand."""
    return not any(char.isalnum() for char in _LINK_END.sub("", page[start:end]))
