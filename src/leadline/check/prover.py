"""Finds the proof of a claim among the passages of a run: the words themselves, else the sentences
of one source, of two or of three that bear it out together.

A `Prover` lays each source out once, so that many claims are cheap. Pure: the same claim and
passages give the same verdict anywhere, which is what checking an exported report again rests on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from leadline.check.anchors import FIGURES, Anchor, Held, anchors, holding, holdings
from leadline.check.proof import GOOD, Layout, Proof, check_on, lay_out_passages, quote_from
from leadline.check.quoted import QuoteMatch
from leadline.ports import Embedder
from leadline.rank.near_duplicates import same_text
from leadline.text.quotes import locate, plain
from leadline.text.sentences import sentences
from leadline.text.words import content_words
from leadline.types import Claim, Passage, Verdict
from leadline.values import replace

LIKELY = 5  # sources that a claim without a citation is checked against
TOGETHER = 3  # sources that may bear a claim out together
_MOST_GROUPS = 6  # of two or three sources that are tried
ELSEWHERE = 0.7  # what another source must score to be cited instead of the one that was
# Of WiCE's claims between the threshold and the end of the band as many are supported in part or
# not at all (15) as in whole (14): until a model has decided, they do not pass for supported.
IN_DOUBT = "it is in doubt whether the source says all of it"
_LINK_END = re.compile(r"\A\](?:\([^()\s]{0,500}\)|\[[^\[\]\n]{0,100}\])")
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"']+")


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
        self._layouts: dict[tuple[int, ...], Layout] = {}
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
                    return Claim(text, (number,), Verdict.SUPPORTED, 1.0, quote)
        return None

    def prove(self, text: str, ids: Sequence[int], near: Sequence[int] = ()) -> Proof:
        """What the sources `ids` say of `text`. Without ids, the fewest sources that bear it out:
        of those cited nearby, then of all."""
        known = tuple(dict.fromkeys(number for number in ids if number in self._by_source))
        if ids and not known:
            stray = " ".join(f"[{number}]" for number in ids)
            why = f"it cites {stray}, which is no source"
            return Proof(Claim(text, (), Verdict.UNSUPPORTED, why=why))
        if known:
            return self._cited(text, known)
        return self._uncited(text, tuple(number for number in near if number in self._by_source))

    def elsewhere(self, text: str, ids: Sequence[int]) -> Proof | None:
        """Another source that plainly says what those cited do not, or the fewest that do so
        together with them."""
        for number in [one for one in self._likely(text) if one not in ids][:LIKELY]:
            found = self._on(text, (number,))
            if found.claim.verdict is Verdict.SUPPORTED and found.claim.score >= ELSEWHERE:
                return found
        return self._together(text, ids)

    def _cited(self, text: str, ids: tuple[int, ...]) -> Proof:
        """Each source by itself; those that say nothing of it are no citation. Only when none is
        enough do they speak together."""
        if exact := self.exact(text, ids):
            others = [self._on(text, (number,)) for number in ids if number not in exact.sources]
            good = {one.claim.sources[0] for one in others if one.claim.verdict in GOOD}
            sources = tuple(n for n in ids if n in good or n in exact.sources)
            return _word_for_word(replace(exact, sources=sources))
        alone = [self._on(text, (number,)) for number in ids]
        best = max(alone, key=_merit)
        if best.claim.verdict is Verdict.SUPPORTED:
            backed = [one.claim.sources[0] for one in alone if one.claim.verdict in GOOD]
            return replace(best, claim=replace(best.claim, sources=tuple(backed)))
        if len(ids) > 1:
            best = max(best, self._on(text, ids), key=_merit)
        if best.claim.verdict in GOOD:
            return best
        return self._together(text, ids, only_with=True) or best

    def _uncited(self, text: str, near: tuple[int, ...]) -> Proof:
        exact = (self.exact(text, near) if near else None) or self.exact(text)
        if exact:
            return _word_for_word(exact)
        tried = [self._on(text, (number,)) for number in near]
        if not any(one.claim.verdict is Verdict.SUPPORTED for one in tried):
            likely = [number for number in self._likely(text) if number not in near]
            tried += [self._on(text, (number,)) for number in likely[:LIKELY]]
        if not tried:
            return Proof(Claim(text, (), Verdict.UNSUPPORTED, why="no passage says it"))
        best = max(tried, key=_merit)
        if best.claim.verdict is Verdict.SUPPORTED:
            return best
        if found := self._together(text, near):
            return found
        return replace(
            best,
            claim=replace(best.claim, sources=(), why=best.claim.why or "no passage says it"),
        )

    def _together(self, text: str, ids: Sequence[int], only_with: bool = False) -> Proof | None:
        """The first two or three sources that bear the claim out together; `only_with` one of
        `ids` among them."""
        for group in self._groups(text, ids):
            if only_with and set(ids).isdisjoint(group):
                continue
            found = self._on(text, group)
            if found.claim.verdict is Verdict.SUPPORTED:
                return found
        return None

    def _groups(self, text: str, ids: Sequence[int]) -> list[tuple[int, ...]]:
        """Pairs, then triples, of the likeliest sources that hold all anchors of the claim, each
        of them one that the others lack; those with a source that is cited first."""
        wanted = set(anchors(plain(text) or text))
        likely = [*ids, *(number for number in self._likely(text) if number not in ids)]
        held = {number: self._held(wanted, number) for number in likely[: LIKELY + len(ids)]}
        groups = [
            group
            for size in range(2, TOGETHER + 1)
            for group in combinations(held, size)
            if _covers(wanted, [held[number] for number in group])
        ]
        cited = frozenset(ids)
        return sorted(groups, key=lambda some: (len(some), cited.isdisjoint(some)))[:_MOST_GROUPS]

    def _held(self, wanted: set[Anchor], number: int) -> frozenset[Anchor]:
        held = self._layout((number,)).evidence.held
        return frozenset(one for one in wanted if holding(one, held) is not Held.MISSING)

    def _on(self, text: str, ids: tuple[int, ...]) -> Proof:
        proof = check_on(text, self._layout(ids))
        claim = proof.claim
        if proof.uncertain and claim.verdict is Verdict.SUPPORTED and proof.match is None:
            claim = replace(claim, verdict=Verdict.PARTLY, why=IN_DOUBT)
        wrong = ""
        if claim.verdict in GOOD:
            address = self._stray_address(text, ids)
            wrong = f"no cited passage has the address {address}" if address else ""
            wrong = wrong or ("" if proof.match else _other_figures(claim))
        if wrong:
            claim = replace(claim, verdict=Verdict.MISMATCH, why=wrong)
            return replace(proof, claim=claim, uncertain=False, match=None, reasons=(wrong,))
        return replace(proof, claim=claim)

    def _layout(self, ids: tuple[int, ...]) -> Layout:
        if ids not in self._layouts:
            passages = [one for number in ids for one in self._by_source[number]]
            titles = [title for number in ids if (title := self._titles.get(number))]
            self._layouts[ids] = lay_out_passages(passages, self._embedder, titles)
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


def recheck(
    claim: Claim,
    passages: Sequence[Passage],
    embedder: Embedder,
    titles: Mapping[int, str] | None = None,
) -> Claim:
    """`claim` judged anew on the passages of the sources it cites, as if it had no verdict yet."""
    if not claim.sources:
        return replace(claim, verdict=Verdict.UNSUPPORTED, score=0.0, quote=None, judge="")
    prover = Prover(passages, embedder, titles)
    quoted = prover.exact(claim.text, claim.sources, lines=True)  # as excerpts and code are quoted
    return quoted or prover.prove(claim.text, claim.sources).claim


def agrees(stored: Claim, again: Claim) -> bool:
    """Whether a second check bears the first out: the same verdict and the same proof. What a
    model has decided must at least not be ruled out."""
    if stored.judge:
        return again.verdict in GOOD and bool(again.quote)
    return stored.verdict is again.verdict and _place(stored) == _place(again)


def _place(claim: Claim) -> tuple[str, int, int, str] | None:
    """What is proof in a quote; what stands around it is only shown."""
    one = claim.quote
    return (one.page, one.start, one.end, one.text) if one else None


def _word_for_word(claim: Claim) -> Proof:
    return Proof(claim, 1.0, match=QuoteMatch(0, 0, len(claim.text), exact=True))


def _covers(wanted: set[Anchor], held: Sequence[frozenset[Anchor]]) -> bool:
    """Whether these hold all that is wanted together, and each what the others lack."""
    if frozenset().union(*held) != wanted:
        return False
    return all(
        one - frozenset().union(*(other for at, other in enumerate(held) if at != here))
        for here, one in enumerate(held)
    )


def _other_figures(claim: Claim) -> str:
    """What is wrong with a claim that is its source's own sentence but for a figure: that another
    sentence of the source has the figure does not help."""
    if claim.quote is None:
        return ""
    text, quote = plain(claim.text), plain(claim.quote.text)
    if same_text(text, quote) != "numbers_differ":
        return ""
    for one, other, verb in ((text, quote, "not have"), (quote, text, "have")):
        held = holdings(other)
        for anchor in anchors(one):
            if anchor.kind in FIGURES and holding(anchor, held) is Held.MISSING:
                return f"the sentence of the source does {verb} {anchor.text}"
    return ""


def _merit(one: Proof) -> tuple[int, float]:
    """Verdicts before scores: a mismatch may score high."""
    order = (Verdict.SUPPORTED, Verdict.PARTLY)
    rank = len(order) - order.index(one.claim.verdict) if one.claim.verdict in order else 0
    return rank, one.claim.score


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
