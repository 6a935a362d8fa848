"""Checks every claim of a run file again, from nothing but the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.bundle.contents import RunFile, opened, parts_of
from leadline.check.claims import Part, cut
from leadline.check.prover import Prover, agrees
from leadline.check.verify import Asked, verify
from leadline.ports import Embedder
from leadline.render.safe import plain
from leadline.text.quotes import locate
from leadline.types import (
    Checked,
    Claim,
    Draft,
    Opinion,
    Passage,
    Quote,
    Source,
    Verdict,
)

_OPINION = frozenset({"claim", "verdict", "judge"})


@dataclass(frozen=True)
class ClaimCheck:
    """A claim with what came out this time. `why` is empty when it holds."""

    claim: Claim
    verdict: Verdict
    why: str = ""

    @property
    def holds(self) -> bool:
        return not self.why


@dataclass(frozen=True)
class Verification:
    """What came of checking a run file."""

    changed: tuple[str, ...]  # parts that are not as they were written
    contradictions: tuple[str, ...]  # parts that do not agree with each other
    checks: tuple[ClaimCheck, ...]
    content: RunFile | None

    @property
    def passed(self) -> bool:
        whole = not self.changed and not self.contradictions and self.content is not None
        return whole and all(check.holds for check in self.checks)


async def verify_file(data: bytes, name: str, embedder: Embedder) -> Verification:
    """Check a file. `BadInput` when it is not a run file at all."""
    found = opened(data, name)
    content = found.content
    if content is None:
        unread = (f"a part cannot be read: {found.unreadable}",)
        return Verification(found.changed, unread, (), None)
    checker = Checker(content, embedder)
    whole = await checker.whole()
    again = {claim.text: claim for claim in whole.claims}
    checks = tuple(checker.check(claim, again) for claim in content.response.claims)
    unproven = [f"the answer says, unproven: {text}" for text in checker.unproven(whole)]
    wrong = (*_contradictions(content), *unproven)
    return Verification(found.changed, wrong, checks, content)


class Checker:
    """Checks claims against the spans of the stored pages that the run checked them against."""

    def __init__(self, content: RunFile, embedder: Embedder) -> None:
        self._response, self._embedder = content.response, embedder
        self._pages = {kept.page.hash: kept.page for kept in content.pages}
        self._passages = tuple(passages_of(content))
        self._titles = {source.id: source.title for source in content.response.sources}
        self._prover = Prover(self._passages, embedder, self._titles)
        self._opinions = {one.claim: one for one in opinions_in(content.records)}
        values = [record["value"] for record in content.records]
        self._values = [value for value in values if isinstance(value, dict)]

    def check(self, claim: Claim, again: Mapping[str, Claim]) -> ClaimCheck:
        """One claim: its ids, its quote at its offsets, its verdict.

        `again` are the claims of the whole answer checked anew; one that comes out there as it
        was need not be judged by itself.
        """
        if why := self._wrong_ids(claim) or self._wrong_quote(claim.quote):
            return ClaimCheck(claim, Verdict.NOT_FOUND, why)
        same = again.get(claim.text)
        if same and _as_it_was(claim, same):
            return ClaimCheck(claim, same.verdict)
        verdict, why = recheck(claim, self._prover, self._opinions)
        return ClaimCheck(claim, verdict, why)

    async def whole(self) -> Checked:
        """The answer checked once more, as a draft is."""
        response = self._response
        sources = tuple(
            Source(one.id, one.location, one.title, one.type) for one in response.sources
        )
        asked = Asked(response.task, language=response.plan.language if response.plan else "en")
        given = tuple(self._opinions.values())
        draft = Draft(response.final_answer, found=response.found)
        return await verify(draft, self._passages, self._embedder, sources, asked, given)

    def unproven(self, whole: Checked) -> list[str]:
        """What the answer asserts although no claim proves it: what was dropped this time."""
        bare = {part.text for part in _unasserted(self._response.final_answer)} & self._noted()
        return [claim.text for claim in whole.dropped if claim.text not in bare]

    def _noted(self) -> set[str]:
        """Headings and notes as steps of the run wrote them. They claim nothing, and a figure in
        one may be from a search or a page that nothing is cited from."""
        drafts = [value["answer"] for value in self._values if "answer" in value]
        return {part.text for text in drafts for part in _unasserted(str(text))}

    def _wrong_ids(self, claim: Claim) -> str:
        unknown = [number for number in claim.sources if number not in self._titles]
        if unknown:
            return f"it cites {unknown}, which the report does not list"
        if not claim.sources:
            return "it cites nothing"
        if claim.quote is not None and claim.quote.source not in claim.sources:
            return f"its quote is of [{claim.quote.source}], which it does not cite"
        return ""

    def _wrong_quote(self, quote: Quote | None) -> str:
        if quote is None:
            return "it has no quote"
        page = self._pages.get(quote.page)
        if page is None:
            return f"the page {quote.page} that it quotes is not in the file"
        if not 0 <= quote.start < quote.end <= len(page.text):
            return f"its offsets {quote.start}–{quote.end} are not in the page"
        if page.text[quote.start : quote.end] != quote.text:
            return f"the words at {quote.start}–{quote.end} of the page are not its quote"
        return ""


def _as_it_was(claim: Claim, again: Claim) -> bool:
    computed = not claim.judge and not again.judge
    return computed and again.sources == claim.sources and agrees(claim, again)


def recheck(claim: Claim, prover: Prover, opinions: Mapping[str, Opinion]) -> tuple[Verdict, str]:
    """The verdict on a claim again, and what is wrong with the one it has.

    Quoted where a source has the claim in whole lines or sentences, else by the whole cascade.
    Where a model decided, its word must be on record, and code must not speak against it.
    """
    if prover.exact(claim.text, claim.sources, lines=True):
        right = claim.verdict.may_ship
        return Verdict.QUOTED, "" if right else f"it is quoted, not {claim.verdict.value}"
    found = prover.prove(claim.text, claim.sources)
    verdict = found.claim.verdict
    if claim.judge:
        said = opinions.get(claim.text)
        if said is None or (said.verdict, said.judge) != (claim.verdict, claim.judge):
            return verdict, f"no step of the run has the word of {claim.judge} on it"
        if verdict is Verdict.SOURCED:
            verdict = claim.verdict
    if not verdict.may_ship:
        return verdict, f"its sources do not say it: {verdict.value}"
    if not claim.judge and not agrees(claim, found.claim):
        return verdict, f"it was {claim.verdict.value}, and comes out otherwise now"
    return verdict, ""


def _unasserted(answer: str) -> Iterator[Part]:
    for unit in cut(answer):
        for stretch in unit.stretches:
            yield from (part for part in stretch if not part.asserted)


def opinions_in(records: Sequence[Any]) -> Iterator[Opinion]:
    """What a model said of single claims, whatever the steps are called."""
    for record in records:
        if isinstance(record["value"], dict | list):
            yield from parts_of(record["value"], Opinion, _OPINION)


def passages_of(content: RunFile) -> Iterator[Passage]:
    """The spans of pages that the report was checked against."""
    texts = {kept.page.hash: kept.page.text for kept in content.pages}
    for one in content.response.grounds:
        if one.page in texts:
            text = texts[one.page][one.start : one.end]
            yield Passage(one.source, text, one.page, one.start, one.end)


def _contradictions(content: RunFile) -> list[str]:
    """Where the report, its claims and its sources do not say the same."""
    response, said = content.response, []
    if plain(response.final_answer).strip() not in content.report_md:
        said.append("report.md does not hold the answer of report.json")
    # A row of a table is a claim whose words stand there cell by cell.
    cut_out = {
        part.text
        for unit in cut(response.final_answer)
        for stretch in unit.stretches
        for part in stretch
    }
    said += [
        f"the claim {claim.text[:60]!r} is not in the answer"
        for claim in response.claims
        if claim.text not in cut_out and locate(claim.text, response.final_answer) is None
    ]
    return said
