"""A language model as `ports.Judge`: asked about single claims, shown only their evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from leadline.frozen import frozen
from leadline.ports import Model
from leadline.prompts import load
from leadline.question.language import language, named
from leadline.text.quotes import locate
from leadline.text.tokens import Counter
from leadline.types import Ask, Made, Opinion, Passage, Verdict
from leadline.write.ask_model import Build, structured, written
from leadline.write.call_count import Tally
from leadline.write.prompt_fit import Section, assemble, numbered, section

JUDGE_TOKENS, REWRITE_TOKENS, MORE_TOKENS = 300, 200, 800
WINDOW, MORE_WINDOW = 2500, 8000  # what a question about one claim, or the whole list, may take
NONE = re.compile(r"\W*none\W*", re.IGNORECASE)
_CITED = re.compile(r"\s*\[\d{1,4}\]")


@frozen
class ClaimVerdict:
    """What the model answers about one claim."""

    verdict: Literal["supported", "partly", "unsupported", "contradicted"]
    quote: str = ""


class ModelJudge:
    """Satisfies `ports.Judge` over one model, best another than the one that writes."""

    def __init__(
        self, model: Model, today: datetime, *, prompts: Path | None = None, salt: str = ""
    ) -> None:
        self.name = model.name
        self._model, self._today, self._prompts, self._salt = model, today, prompts, salt

    async def judge(self, claim: str, evidence: Sequence[str]) -> Opinion:
        """The model's verdict. "Supported" with a quote that the evidence lacks is no opinion."""
        tally = Tally(self._model, "evaluator")
        sections = [section("passage", *evidence), section("claim", claim, needed=True)]
        build = self._build(tally, "verify_claim", sections, JUDGE_TOKENS, WINDOW, claim)
        answer = await structured(tally, build, ClaimVerdict, prompts=self._prompts)
        found, text = answer.value, " ".join(evidence)
        invented = bool(found.quote.strip()) and locate(found.quote, text) is None
        verdict = None if invented and found.verdict == "supported" else Verdict(found.verdict)
        return Opinion(claim, verdict, judge=self.name, made=Made(tuple(tally.calls)))

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        """The claim as the evidence has it; no text when the model has none."""
        tally = Tally(self._model, "producer")
        sections = [
            section("passage", *evidence),
            section("claim", claim, needed=True),
            section("problem", why or "the source does not say it", outside=False),
        ]
        build = self._build(tally, "rewrite_claim", sections, REWRITE_TOKENS, WINDOW, claim)
        said = (await written(tally, build)).text.strip()
        text = _CITED.sub("", said.splitlines()[0].strip('"“” ')) if said else ""
        text = "" if NONE.fullmatch(text) else text
        return Opinion(claim, text=text, judge=self.name, made=Made(tuple(tally.calls)))

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        """Further items, one a line; no text when the model has none."""
        tally = Tally(self._model, "producer")
        ids = sorted({passage.source for passage in passages})
        shown = [numbered(one.source, "", one.text, one.section) for one in passages]
        sections = [
            replace(section("passages", *shown), share=6.0),
            section("items", *items),
            section("task", task, outside=False, needed=True, share=2.0),
        ]
        given = {"lacking": str(lacking), "ids": ", ".join(map(str, ids))}
        build = self._build(tally, "more_items", sections, MORE_TOKENS, MORE_WINDOW, task, given)
        said = (await written(tally, build)).text.strip()
        text = "" if NONE.fullmatch(said) else said
        return Opinion("", text=text, judge=self.name, made=Made(tuple(tally.calls)))

    def _build(
        self,
        model: Model,
        prompt: str,
        sections: Sequence[Section],
        max_tokens: int,
        most: int,
        spoken: str,
        given: Mapping[str, str] | None = None,
    ) -> Build:
        counter = Counter(model.chars_per_token)
        values = {"today": f"{self._today:%Y-%m-%d}", "language": named(language(spoken))}

        def build(window: int) -> Ask:
            return assemble(
                load(prompt, self._prompts),
                values | dict(given or {}),
                sections,
                window=min(window, most),
                counter=counter,
                max_tokens=max_tokens,
                salt=self._salt,
                last=True,
            ).ask

        return build
