"""Nothing the writer says about a source is believed until a passage bears it out.

Every sentence that asserts something is a claim. `prover` finds the sources that serve it and says
what stands behind it. A claim that fails is rewritten where a model has done so, else replaced by
what the source does say, else taken out; each is listed with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from leadline.check.anchors import Held, Kind, anchors, holding, holdings
from leadline.check.claims import Part, Unit, cells, cut, is_count, is_note, is_unproven
from leadline.check.conflicts import conflicts
from leadline.check.prover import Proof, Prover, in_context
from leadline.guard.policy import NOT_QUOTED, is_flagged
from leadline.ports import Embedder
from leadline.text.quotes import plain
from leadline.text.sentences import is_prose
from leadline.text.words import content_words
from leadline.types import (
    Checked,
    Claim,
    Dispute,
    Draft,
    Ground,
    Loss,
    Opinion,
    Passage,
    Quote,
    Source,
    Verdict,
)
from leadline.values import replace
from leadline.write.layout import tidy
from leadline.write.wordings import Phrases, phrases

QUOTED_CHARS = 400  # a longer sentence of a source does not stand in for a claim
_FIGURES = (Kind.NUMBER, Kind.DATE, Kind.QUOTE)


@dataclass(frozen=True)
class Asked:
    """What the check needs to know of the question."""

    task: str = ""
    wanted: int = 0  # items asked for
    language: str = "en"


async def verify(
    draft: Draft,
    passages: tuple[Passage, ...],
    embedder: Embedder,
    sources: tuple[Source, ...] = (),
    asked: Asked | None = None,
    opinions: tuple[Opinion, ...] = (),
) -> Checked:
    """The draft with every unproven claim mended or taken out, and the proof of each that stays.

    `opinions` are what a model said of single claims, by their text. Checking what was checked
    changes nothing.
    """
    asked = asked or Asked()
    titles = {source.id: source.title for source in sources}
    dates = {source.id: source.published for source in sources}
    desk = _Desk(Prover(passages, embedder, titles), phrases(asked.language), passages)
    desk.own = frozenset(source.id for source in sources if source.kind == "document")
    desk.task = asked.task
    desk.opinions = {one.claim: one for one in opinions if not one.error}
    units = [unit for unit in cut(draft.answer) if not is_count(unit.raw)]
    lines = [(unit, desk.shipped(unit)) for unit in units]
    listed = tidy(lines, asked.wanted)
    desk.withdraw(listed.surplus)
    found = draft.found and bool(desk.kept)
    answer = " ".join(claim.text for claim in desk.kept)
    contrary = conflicts(passages, asked.task, titles, dates, answer) if found else ()
    contrary = tuple(
        one for one in contrary if not desk.speaks(one.one) and not desk.speaks(one.other)
    )
    notes = [desk.say.fewer.format(found=listed.items, wanted=asked.wanted)] if listed.short else []
    body = [listed.text, *notes, desk.side_by_side(contrary)]
    return Checked(
        answer="\n\n".join(part for part in body if part),
        claims=in_context(desk.kept, passages),
        dropped=tuple(desk.dropped),
        found=found,
        disputes=contrary,
        grounds=_grounds(passages, desk.kept),
        notes=tuple(desk.notes),
        doubts=tuple(desk.doubts),
        lacking=max(0, asked.wanted - listed.items) if found else 0,
    )


def _grounds(passages: Sequence[Passage], kept: Sequence[Claim]) -> tuple[Ground, ...]:
    cited = {number for claim in kept for number in claim.sources}
    return tuple(
        Ground(one.source, one.page, one.start, one.end) for one in passages if one.source in cited
    )


@dataclass(slots=True)
class _Desk:
    """Where one draft is checked, unit by unit."""

    prover: Prover
    say: Phrases
    passages: tuple[Passage, ...] = ()
    own: frozenset[int] = frozenset()  # the user's documents
    opinions: dict[str, Opinion] = field(default_factory=dict)
    kept: list[Claim] = field(default_factory=list)
    dropped: list[Claim] = field(default_factory=list)
    doubts: list[Claim] = field(default_factory=list)
    notes: list[Loss] = field(default_factory=list)
    seen: set[tuple[str, ...]] = field(default_factory=set)
    task: str = ""
    _held: str = ""

    def shipped(self, unit: Unit) -> str | None:
        """What of `unit` may ship, or None when nothing may."""
        if unit.kind == "other":
            return unit.raw
        part = unit.stretches[0][0] if unit.stretches else Part(unit.raw)
        if unit.kind == "heading" or not unit.stretches:
            shown = unit.lead + part.text if unit.stretches else unit.raw
            return shown if self._is_plain(part.text) or self._strike(part) else None
        if unit.kind in ("quote", "code"):
            return self._word_for_word(unit, part)
        if unit.kind == "row":
            return self._row(unit, part)
        texts = [text for stretch in unit.stretches for text in self._stretch(stretch, unit)]
        if not texts:
            return None
        lead = unit.lead if self._is_plain(unit.lead) else re.sub(r"(?:\*\*|__).*", "", unit.lead)
        return lead + " ".join(texts)

    def withdraw(self, texts: Sequence[str]) -> None:
        """Take back the claims of items beyond those asked for."""
        for claim in list(self.kept):
            if any(claim.text in text for text in texts):
                self.kept.remove(claim)
                self.dropped.append(replace(claim, why="more items than were asked for"))

    def speaks(self, quote: Quote) -> bool:
        """Whether the words quoted read like an instruction to a model, in their passage."""
        own = quote.source in self.own
        return is_flagged(quote.text, own=own) or any(
            is_flagged(one.text, quote.start - one.start, quote.end - one.start, own)
            for one in self.passages
            if one.page == quote.page != "" and one.start <= quote.start < one.end
        )

    def _is_told(self, claim: Claim) -> bool:
        """Whether a claim may not ship because of what it quotes; it is listed with the reason."""
        if claim.quote is None or not self.speaks(claim.quote):
            return False
        self.dropped.append(replace(claim, verdict=Verdict.NOT_FOUND, why=NOT_QUOTED))
        return True

    def side_by_side(self, contrary: Sequence[Dispute]) -> str:
        """The section on sources that contradict each other; its quotations are claims."""
        lines = [
            f"- {self._quoted(one.one, one.newer)} — {self._quoted(one.other, one.newer)}"
            for one in contrary
        ]
        return "\n".join([f"## {self.say.disagree}", "", *lines]) if lines else ""

    def _quoted(self, quote: Quote, newer: int) -> str:
        text = plain(quote.text)
        if self._is_new(text):
            self.kept.append(Claim(text, (quote.source,), Verdict.QUOTED, 1.0, quote))
        mark = f" {self.say.newer}" if quote.source == newer else ""
        return f"“{text}” [{quote.source}]{mark}"

    # ── one part ────────────────────────────────────────────────────────────────────────────

    def _stretch(self, stretch: tuple[Part, ...], unit: Unit) -> Iterator[str]:
        """The sentences up to one that cites: whole where a source has them so, else each."""
        ids = self._known(stretch[-1])
        if len(stretch) > 1 and ids and all(part.asserted for part in stretch):
            text = " ".join(part.text for part in stretch)
            if exact := self.prover.exact(text, ids):
                yield from self._keep(replace(exact, sources=exact.sources))
                return
        for part in stretch:
            if part.asserted and not (unit.missing and not part.ids):
                yield from self._claim(part)
            elif self._is_plain(part.text):
                yield part.text
            else:
                self._strike(part)

    def _claim(self, part: Part) -> Iterator[str]:
        ids = self._known(part)
        if _asks(part.text) and not self.prover.exact(part.text, ids):
            self._reject(part, "it asks, and says nothing")
            return
        found = self._settled(self.prover.prove(part.text, part.ids, part.near))
        if _may_ship(found.claim):
            if ids and set(ids).isdisjoint(found.claim.sources):
                self._note(ids, "the source does not say what the draft cites it for; another does")
            yield from self._keep(found.claim)
            return
        yield from self._instead(found, part)

    def _instead(self, found: Proof, part: Part) -> Iterator[str]:
        """What stands in for a claim that may not ship: the model's words, or what the cited
        source says; nothing when neither will do."""
        mended = self._rewritten(found.claim, part)
        if mended is None and found.bears and part.ids:
            mended = self._source_words(found.claim)
        why = f"{found.claim.why}; mended" if mended else found.claim.why
        self.dropped.append(replace(found.claim, why=why))
        if mended:
            yield from self._keep(mended)

    def _rewritten(self, claim: Claim, part: Part) -> Claim | None:
        opinion = self.opinions.get(part.text)
        if opinion is None or not opinion.text or opinion.text == part.text:
            return None
        again = self.prover.prove(opinion.text, claim.sources or part.near).claim
        return again if _may_ship(again) else None

    def _source_words(self, claim: Claim) -> Claim | None:
        """The best sentence of the cited source as a quotation."""
        if claim.quote is None or len(claim.quote.text) > QUOTED_CHARS:
            return None
        text = plain(claim.quote.text)
        if not is_prose(text) or _key(text) in self.seen:
            return None
        return self.prover.exact(text, (claim.quote.source,))

    def _settled(self, found: Proof) -> Proof:
        """`found` with the word of a judge on it, where it is only sourced and there is one."""
        if found.claim.verdict is not Verdict.SOURCED:
            return found
        self.doubts.append(found.claim)
        opinion = self.opinions.get(found.claim.text)
        if opinion is None or opinion.verdict in (None, Verdict.SOURCED):
            return found
        verdict, judge = opinion.verdict, opinion.judge
        why = "" if verdict is Verdict.JUDGED else f"{judge} says so"
        claim = replace(found.claim, verdict=verdict, judge=judge, why=why)
        return replace(found, claim=claim)

    def _word_for_word(self, unit: Unit, part: Part) -> str | None:
        """A quotation or code: as a source has it, or not at all."""
        ids = self._known(part)
        claim = self.prover.exact(part.text, ids, lines=True) if ids or not part.ids else None
        if claim is None:
            self._reject(part, "no passage has these words")
            return None
        if self._is_told(claim) or not self._is_new(part.text):
            return None
        self.kept.append(claim)
        marks = "".join(f"[{number}]" for number in claim.sources)
        if unit.kind == "code":
            return f"{unit.raw}\n\n{marks}"
        return unit.raw if part.ids == claim.sources else f"{_uncited(unit, part)}\n> {marks}"

    def _row(self, unit: Unit, part: Part) -> str | None:
        self._known(part)
        found = self._settled(self.prover.prove(part.text, part.ids, part.near)).claim
        if not _may_ship(found):
            self.dropped.append(found)
            return None
        if self._is_told(found) or not self._is_new(part.text):
            return None
        self.kept.append(found)
        told = cells(re.sub(r"\s{0,4}\[\d[^\]\n]{0,200}\]", "", unit.raw))
        told[-1] = f"{told[-1]} {self._marks(found)}".strip()
        return "| " + " | ".join(told) + " |"

    def _keep(self, claim: Claim) -> Iterator[str]:
        """The claim as it ships, unless it has been said."""
        if not self._is_told(claim) and self._is_new(claim.text):
            self.kept.append(claim)
            yield f"{claim.text} {self._marks(claim)}"

    def _marks(self, claim: Claim) -> str:
        ids = "".join(f"[{number}]" for number in claim.sources)
        marks = {Verdict.SOURCED: self.say.sourced, Verdict.JUDGED: self.say.judged}
        return f"{ids} {marks.get(claim.verdict, '')}".rstrip()

    def _known(self, part: Part) -> tuple[int, ...]:
        """The ids of `part` that are sources; those that are not are noted."""
        for number in part.ids:
            if number not in self.prover.known:
                why = "the draft cites a source that does not exist; the citation was taken out"
                self._note((number,), why)
        return tuple(number for number in part.ids if number in self.prover.known)

    def _note(self, ids: Sequence[int], why: str) -> None:
        note = Loss("verify", "".join(f"[{number}]" for number in ids), why)
        self.notes += [note] * (note not in self.notes)

    def _strike(self, part: Part) -> bool:
        """Take out what is no claim but holds a figure that no source has; nothing is left."""
        self._reject(part, "no passage has its figures")
        return False

    def _reject(self, part: Part, why: str) -> None:
        known = tuple(number for number in part.ids if number in self.prover.known)
        self.dropped.append(Claim(part.text, known, Verdict.NOT_FOUND, why=why))

    def _is_plain(self, text: str) -> bool:
        """Whether a heading, label or note holds no figure or quotation that no source has.

        What was searched for may have those of the question: it says nothing of them.
        """
        told = [
            one for one in anchors(plain(text)) if one.kind in _FIGURES and _is_written(one.text)
        ]
        if not told or is_unproven(text):
            return True
        self._held = self._held or self.prover.text
        held = holdings(f"{self._held}\n{self.task}" if is_note(text) else self._held)
        return all(holding(one, held) is not Held.MISSING for one in told)

    def _is_new(self, text: str) -> bool:
        key = _key(text)
        if key in self.seen:
            return False
        self.seen.add(key)
        return True


def _asks(text: str) -> bool:
    """Whether a sentence is a question: a model that repeats the task cites it, too."""
    return text.rstrip("*_\"”’') ").endswith(("?", "？", "؟"))


def _may_ship(claim: Claim) -> bool:
    return bool(claim.sources) and claim.verdict.may_ship


def _key(text: str) -> tuple[str, ...]:
    """What makes two claims the same: their content words in order."""
    said = plain(text)
    return tuple(content_words(said)) or (said,)


def _is_written(figure: str) -> bool:
    """Small counts in headings and lead-ins ("three reasons") are the writer's own."""
    return any(char.isdigit() for char in figure) and not re.fullmatch(r"\d", figure.strip())


def _uncited(unit: Unit, part: Part) -> str:
    """A block quote without its line of ids."""
    if not part.ids:
        return unit.raw
    return re.sub(r"(?:\n>)?\s{0,4}(?:\[\d[^\]\n]{0,200}\]\s{0,4})+$", "", unit.raw)
