"""A language model as `ports.Judge`: asked about single claims, shown only their evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.ports import Model
from leadline.text.quotes import locate
from leadline.types import Opinion, Passage, Verdict
from leadline.write.ask_model import Ways, task_section, text_of, value_of
from leadline.write.prompt_fit import numbered, section

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
        sections = [section("passage", *evidence), section("claim", claim, needed=True)]
        size = {"about": claim, "max_tokens": JUDGE_TOKENS, "most": WINDOW}
        answer, made = await value_of(
            self._model, "evaluator", ClaimVerdict, "verify_claim", sections, self._ways, **size
        )
        verdict = _VERDICTS[answer.verdict]
        invented = bool(answer.quote.strip()) and locate(answer.quote, " ".join(evidence)) is None
        no_opinion = invented and verdict is Verdict.JUDGED
        return Opinion(claim, None if no_opinion else verdict, judge=self.name, made=made)

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        """The claim as the evidence has it; no text when the model has none."""
        sections = [
            section("passage", *evidence),
            section("claim", claim, needed=True),
            section("problem", why or "the source does not say it", outside=False),
        ]
        size = {"about": claim, "max_tokens": REWRITE_TOKENS, "most": WINDOW}
        answer, made = await text_of(
            self._model, "producer", "rewrite_claim", sections, self._ways, **size
        )
        text = _CITED.sub("", answer.splitlines()[0].strip('"“” ')) if answer else ""
        text = "" if NONE.fullmatch(text) else text
        return Opinion(claim, text=text, judge=self.name, made=made)

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        """Further items, one a line; no text when the model has none."""
        ids = sorted({passage.source for passage in passages})
        shown = [numbered(one.source, "", one.text, one.section) for one in passages]
        sections = [
            section("passages", *shown, share=6.0),
            section("items", *items),
            task_section(task),
        ]
        text, made = await text_of(
            self._model,
            "producer",
            "more_items",
            sections,
            self._ways,
            about=task,
            max_tokens=MORE_TOKENS,
            most=MORE_WINDOW,
            given={"lacking": str(lacking), "ids": ", ".join(map(str, ids))},
        )
        text = "" if NONE.fullmatch(text) else text
        return Opinion("", text=text, judge=self.name, made=made)
