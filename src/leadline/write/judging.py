"""A language model as `ports.Judge`: shown the question, claims and their evidence alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from leadline.ports import Model
from leadline.text.quotes import locate
from leadline.types import Opinion, Passage, Verdict
from leadline.values import replace
from leadline.write.ask_model import Tally, Ways, task_section
from leadline.write.prompt_fit import Section, numbered, section

CALL_CLAIMS, CALL_CHARS = 6, 6000  # that are asked about at once, with their evidence
JUDGE_TOKENS, REWRITE_TOKENS, MORE_TOKENS = 150, 200, 800  # the first for each claim
WINDOW, MORE_WINDOW = 2500, 8000  # what mending one claim, or judging and adding to many, may take
NONE = re.compile(r"\W*none\W*", re.IGNORECASE)
_VERDICTS = {
    "yes": Verdict.JUDGED,
    "no": Verdict.NOT_FOUND,
    "contradicted": Verdict.CONTRADICTED,
}
_CITED = re.compile(r"\s*\[\d{1,4}\]")


@dataclass(frozen=True)
class ClaimVerdict:
    """What the model answers about one claim."""

    claim: Annotated[int, Meta(description="its number")]
    verdict: Literal["yes", "no", "contradicted"]
    quote: str = ""


@dataclass(frozen=True)
class ClaimVerdicts:
    """What the model answers about all that it is asked about in one call."""

    verdicts: tuple[ClaimVerdict, ...]


class ModelJudge:
    """Satisfies `ports.Judge` over one model, best another than the one that writes."""

    def __init__(self, model: Model, ways: Ways, *, examined: bool = False) -> None:
        self.name, self.examined = model.name, examined
        self._model, self._ways = model, ways

    async def judge(self, task: str, claims: Mapping[str, Sequence[str]]) -> tuple[Opinion, ...]:
        """The model's verdicts, in one call. A claim without one has no opinion, as has one with
        several, and one that is borne out by a quote which its evidence lacks."""
        tally = Tally(self._model, "evaluator", self._ways)
        shown = [
            f"Claim {number}: {_line(claim)}\nPassage {number}: {_line(*evidence)}"
            for number, (claim, evidence) in enumerate(claims.items(), 1)
        ]
        sections = [section("claims", *shown, needed=True, share=4.0), task_section(task)]
        size = {"max_tokens": JUDGE_TOKENS * len(claims), "most": MORE_WINDOW, "last": True}
        answer = await tally.value(ClaimVerdicts, "verify_claim", sections, task, **size)
        opinions = [
            Opinion(claim, _verdict(answer, number, evidence), judge=self.name)
            for number, (claim, evidence) in enumerate(claims.items(), 1)
        ]
        return (replace(opinions[0], made=tally.made), *opinions[1:])

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        """The claim as the evidence has it; no text when the model has none."""
        sections = [
            section("passage", *evidence),
            section("claim", claim, needed=True),
            section("problem", why or "the source does not say it", outside=False),
        ]
        size = {"max_tokens": REWRITE_TOKENS, "most": WINDOW}
        opinion = await self._in_words("rewrite_claim", sections, claim, **size)
        line = (opinion.text.splitlines() or [""])[0]
        return Opinion(
            claim, text=_CITED.sub("", line.strip('"“” ')), judge=self.name, made=opinion.made
        )

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        """Further items, one a line; no text when the model has none."""
        ids = sorted({passage.source for passage in passages})
        shown = [numbered(one.source, one.section, one.text) for one in passages]
        sections = [
            section("passages", *shown, share=6.0),
            section("items", *items),
            task_section(task),
        ]
        given = {"lacking": str(lacking), "ids": ", ".join(map(str, ids))}
        size = {"max_tokens": MORE_TOKENS, "most": MORE_WINDOW, "given": given}
        return await self._in_words("more_items", sections, task, **size)

    async def _in_words(
        self, prompt: str, sections: Sequence[Section], about: str, **size: Any
    ) -> Opinion:
        """What the writer answers; no text where that is the word NONE."""
        tally = Tally(self._model, "producer", self._ways)
        done = await tally.text(prompt, sections, about, last=True, **size)
        text = "" if NONE.fullmatch(done.text) else done.text.strip()
        return Opinion("", text=text, judge=self.name, made=tally.made)


def _line(*texts: str) -> str:
    """On one line, so that no passage can pretend to be the next claim."""
    return " ".join(" ".join(texts).split())


def _verdict(answer: ClaimVerdicts, number: int, evidence: Sequence[str]) -> Verdict | None:
    given = [one for one in answer.verdicts if one.claim == number]
    if len(given) != 1:
        return None
    verdict, quote = _VERDICTS[given[0].verdict], given[0].quote
    invented = bool(quote.strip()) and locate(quote, " ".join(evidence)) is None
    return None if invented and verdict is Verdict.JUDGED else verdict
