"""The reasoner that asks language models, with the extractive one behind it at every stage.

A model that is down, refuses, answers nothing usable or may not be paid for costs that stage its
help and nothing else: the rules do the stage, and what they return says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, cast

from leadline.errors import BudgetSpent
from leadline.ports import Embedder, Model, PassageReader, Reasoner
from leadline.text.sentences import sentences
from leadline.text.tokens import Counter
from leadline.types import Draft, Hit, Knowledge, Made, Novelty, Passage, Plan, Reflection, State
from leadline.values import replace
from leadline.write.answer_first import Writer, Written, as_draft
from leadline.write.ask_model import (
    Tally,
    Ways,
    attempt,
    task_section,
)
from leadline.write.model_answers import (
    PlanAnswer,
    ReflectionAnswer,
    as_plan,
    as_reflection,
    first_query,
)
from leadline.write.prompt_fit import Section, numbered, section

T = TypeVar("T")


@dataclass(frozen=True)
class Stage:
    """A cheap stage: whom it asks, what it did where the model did not, the tokens of its answer,
    and what all of it may take beside the question itself."""

    role: str
    what: str
    max_tokens: int
    most: int = 4000
    temperature: float = 0.0


STAGES = {
    "plan": Stage("planner", "Planned", 900),
    "gap_query": Stage("planner", "The gap query was written", 60, temperature=0.3),
    "reflect": Stage("planner", "Reflected", 700, 6000),
    "compress": Stage("compressor", "Compressed", 400, temperature=0.1),
    "novelty": Stage("planner", "Novelty was scored", 3),
}
NOVELTY_CHARS = 800
UNREADABLE_NOVELTY = 5
NOVELTY_S = 20.0
PLAN_SHARE = 0.33  # of the run's time; a plan that takes longer is made by rule
CHECKING_S = 6.0  # kept back from the writer so that what it wrote can still be checked
SMALLER = (1.0, 0.5, 0.25)  # shares of the material that the writer is given when it is too dear
SHOWN_CHARS = 500  # of a source, to reflection
LATEST = 5  # sources of the last round that reflection sees whatever their rank
MOST_BULLETS = 8


class ModelReasoner:
    """Satisfies `ports.Reasoner` over one model a role; `rules` does what no model can."""

    def __init__(
        self,
        models: Mapping[str, Model],
        rules: Reasoner,
        embedder: Embedder,
        ways: Ways,
        *,
        plans: bool = True,
        reader: PassageReader | None = None,
    ) -> None:
        """Without `plans` rules make every query and reflect: the model only writes, in one call
        where one will do. `reader` ranks what the writer is shown."""
        self._plans, self._reader = plans, reader
        self._models, self._rules, self._embedder, self._ways = models, rules, embedder, ways
        self.name = " + ".join(dict.fromkeys(model.name for model in models.values()))

    async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan:
        """The rules' queries first, then what a model adds to them; never the task itself."""
        plain = await self._rules.plan(task, today, known_facts)
        if not self._plans:
            return plain
        known = section("known_facts", *known_facts, empty="(nothing)")
        seconds = PLAN_SHARE * self._ways.seconds
        answer, made = await self._ask("plan", PlanAnswer, [known], task, seconds=seconds)
        plan = as_plan(answer, task, plain) if answer else plain
        return replace(plan, made=replace(made, stop=None))

    async def plan_query(self, state: State) -> Reflection:
        """One query that fills a gap, never one already asked."""
        plain = await self._rules.plan_query(state)
        if not self._plans:
            return plain
        sections = [
            _asked(state),
            section("knowledge", state.knowledge.text, empty="(nothing)"),
            section("gaps", *state.gaps, empty="(unknown)"),
        ]
        text, made = await self._ask("gap_query", str, sections, state.task)
        query = first_query(text, state, self._embedder) if text else None
        if query is None:
            return replace(plain, made=made)
        return replace(plain, new_queries=(query,), model=self._models["planner"].name, made=made)

    async def reflect(self, state: State) -> Reflection:
        """Is it enough, what is open, what to ask next. A model that brought no new query once is
        not asked again."""
        plain = await self._rules.reflect(state)
        if not (self._plans and state.model_reflects):
            return plain
        failed = section("failed", *state.failed_queries)
        sections = [_findings(state), _asked(state), failed]
        answer, made = await self._ask("reflect", ReflectionAnswer, sections, state.task)
        if answer is None:
            return replace(plain, made=made)
        return replace(
            as_reflection(answer, state, plain, self._embedder),
            model=self._models["planner"].name,
            tokens=sum(call.prompt_tokens + call.completion_tokens for call in made.calls),
            timestamp=self._ways.today.isoformat(),
            made=made,
        )

    async def compress(
        self, task: str, knowledge: Knowledge, hits: Sequence[Hit], max_chars: int
    ) -> Knowledge:
        """Merged into a few bullet points by the compressor where there is one, else by rule."""
        plain = await self._rules.compress(task, knowledge, hits, max_chars)
        if "compressor" not in self._models or not knowledge.batches:
            return replace(plain, made=knowledge.made)
        new = section("findings", *(hit.text for hit in hits))
        sections = [section("knowledge", knowledge.text), new]
        given = {"max_chars": f"{max_chars:,}"}
        text, made = await self._ask("compress", str, sections, task, given=given)
        before = knowledge.made
        made = Made(before.calls + made.calls, before.notes + made.notes, made.stop)
        bullets = as_bullets(text, max_chars) if text else ""
        return replace(plain, text=bullets or plain.text, made=made)

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        """One number from 0 to 10, and the middle when none can be read."""
        sections = [
            section("knowledge", knowledge[:NOVELTY_CHARS], empty="(nothing)"),
            section("findings", findings[:NOVELTY_CHARS]),
        ]
        text, made = await self._ask("novelty", str, sections, "", seconds=NOVELTY_S)
        score = first_number(text or "")
        return Novelty(float(UNREADABLE_NOVELTY if score is None else score), made)

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft:
        """The model's answer over the excerpts that would be shown without it; those alone where
        it gives none."""
        quoted = await self._rules.write(state, passages)
        model = self._models.get("producer")
        if not passages or model is None:
            return quoted

        writer = Writer(state, passages, self._embedder, self._reader, able=self._plans)

        async def ask(tally: Tally) -> Written:
            for share in SMALLER:
                try:
                    return await replace(writer, share=share).write(tally)
                except BudgetSpent as spent:
                    refused = spent
            raise refused

        left = state.limits.max_execution_time_s - state.elapsed - CHECKING_S
        tally = Tally(model, "producer", self._ways)
        without = "The report was quoted together without a model"
        said, made = await attempt(tally, ask, without, left)
        if said is None:
            return replace(quoted, made=made)
        return as_draft(said, quoted, state, passages, made)

    async def _ask(
        self,
        prompt: str,
        schema: type[T],
        sections: Sequence[Section],
        task: str,
        *,
        seconds: float | None = None,
        given: Mapping[str, str] | None = None,
    ) -> tuple[T | None, Made]:
        """What the model of a stage answers, in words where `schema` is `str`; None where it is of
        no help."""
        stage = STAGES[prompt]
        model = self._models.get(stage.role)
        if model is None:
            return None, Made()
        size = {
            "max_tokens": stage.max_tokens,
            "most": stage.most + Counter(model.chars_per_token).count(task),
            "given": given,
            "temperature": self._ways.temperature(stage.role, stage.temperature),
        }
        about = task or sections[-1].texts[0]
        sections = [*sections, task_section(task)] if task else sections

        async def ask(tally: Tally) -> T:
            if schema is not str:
                return await tally.value(schema, prompt, sections, about, **size)
            attempts = 1 if prompt == "novelty" else 2
            done = await tally.text(prompt, sections, about, attempts=attempts, **size)
            return cast(T, done.text)

        tally = Tally(model, stage.role, self._ways)
        return await attempt(tally, ask, f"{stage.what} without a model", seconds)


# ── what is shown, and what is read ─────────────────────────────────────────────────────────


def _asked(state: State) -> Section:
    return section("asked", *(query.text for query in state.asked))


def _findings(state: State) -> Section:
    """The sources a report would be written from now, best first, and what the last round found:
    without it a model could not tell whether its own queries found anything."""
    newest = sorted((source.id for source in state.sources), reverse=True)[:LATEST]
    texts: dict[str, str] = {}
    for hit in state.search_results:
        texts.setdefault(hit.url, hit.text)
    sources = {source.id: source for source in state.sources}
    shown = [sources[number] for number in dict.fromkeys([*state.kept, *newest])]
    pieces = [
        numbered(one.id, one.title, _beginning(texts.get(one.url, ""), SHOWN_CHARS))
        for one in shown
    ]
    return section("findings", *pieces, share=4.0, empty="(nothing yet)")


def _beginning(text: str, chars: int) -> str:
    """The first sentences, within `chars` where one fits."""
    ends = [span.end for span in sentences(text) if span.end <= chars]
    return text[: max(ends, default=chars)]


def as_bullets(text: str, max_chars: int) -> str:
    """A free answer as bullet points of whole sentences within `max_chars`; "" when none fits."""
    kept: list[str] = []
    room = max_chars
    for line in text.splitlines():
        bare = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip()
        ends = [span.end for span in sentences(bare) if span.text.endswith((".", "!", "?", "。"))]
        bullet = f"- {bare[: max(ends, default=0)]}"
        if len(bullet) > len("- ") and len(bullet) + 1 <= room and len(kept) < MOST_BULLETS:
            kept.append(bullet)
            room -= len(bullet) + 1
    return "\n".join(kept)


def first_number(text: str) -> int | None:
    """The first whole number, held to 0–10 (G4)."""
    found = re.search(r"-?\d+", text)
    return min(max(int(found.group()), 0), 10) if found else None
