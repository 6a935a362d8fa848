"""A language model as `ports.Judge`: asked about single claims, shown only their evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from leadline.ports import Model
from leadline.text.quotes import locate
from leadline.types import Opinion, Passage, Verdict
from leadline.write.ask_model import Tally, Ways, task_section
from leadline.write.prompt_fit import Section, numbered, section

JUDGE_TOKENS, REWRITE_TOKENS, MORE_TOKENS = 300, 200, 800
WINDOW, MORE_WINDOW = 2500, 8000  # what a question about one claim, or the whole list, may take
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

    verdict: Literal["yes", "no", "contradicted"]
    quote: str = ""


class ModelJudge:
    """Satisfies `ports.Judge` over one model, best another than the one that writes."""

    def __init__(self, model: Model, ways: Ways, *, examined: bool = False) -> None:
        self.name, self.examined = model.name, examined
        self._model, self._ways = model, ways

    async def judge(self, claim: str, evidence: Sequence[str]) -> Opinion:
        """The model's verdict. "Yes" with a quote that the evidence lacks is no opinion."""
        tally = Tally(self._model, "evaluator", self._ways)
        sections = [section("passage", *evidence), section("claim", claim, needed=True)]
        answer = await tally.value(
            ClaimVerdict,
            "verify_claim",
            sections,
            claim,
            max_tokens=JUDGE_TOKENS,
            most=WINDOW,
            last=True,
        )
        verdict = _VERDICTS[answer.verdict]
        invented = bool(answer.quote.strip()) and locate(answer.quote, " ".join(evidence)) is None
        no_opinion = invented and verdict is Verdict.JUDGED
        return Opinion(claim, None if no_opinion else verdict, judge=self.name, made=tally.made)

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
