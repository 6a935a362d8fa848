"""The reasoner that asks language models, with the extractive one behind it at every stage.

A model that is down, refuses, answers nothing usable or may not be paid for costs that stage its
help and nothing else: the rules do the stage, and what they return says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.frozen import frozen
from leadline.ports import Embedder, Model, Reasoner
from leadline.prompts import load
from leadline.question.language import language, named
from leadline.text.tokens import Counter
from leadline.types import (
    Ask,
    Completion,
    Draft,
    Hit,
    Knowledge,
    Made,
    Novelty,
    Passage,
    Plan,
    Reflection,
    State,
)
from leadline.write.ask_model import Build, structured, written
from leadline.write.call_count import Tally
from leadline.write.model_answers import (
    PlanAnswer,
    ReflectionAnswer,
    as_plan,
    as_reflection,
    first_query,
)
from leadline.write.prompt_fit import Section, assemble, section
from leadline.write.prompt_sections import (
    as_bullets,
    first_number,
    found_so_far,
    lead_lines,
    limits_of,
    sources_shown,
)
from leadline.write.report import as_draft, form_of

T = TypeVar("T")

PLAN_TOKENS, REFLECT_TOKENS, GAP_TOKENS, COMPRESS_TOKENS = 900, 700, 60, 400
NOVELTY_TOKENS, REPORT_TOKENS = 3, 2000
PLAN_WINDOW, REFLECT_WINDOW, COMPRESS_WINDOW = 4000, 6000, 4000  # what a cheap stage may take
NOVELTY_CHARS = 800
UNREADABLE_NOVELTY = 5
NOVELTY_S = 20.0
PLAN_SHARE = 0.33  # of the run's time; a plan that takes longer is made by rule
QUOTING_S = 6.0  # kept back from the writer so that the report can still be quoted together
SMALLER = (1.0, 0.5, 0.25)  # shares of the window that the writer tries when it may not be paid


@frozen
class Ways:
    """What shapes a model's prompts and never changes within a run."""

    today: datetime
    salt: str = ""
    prompts: Path | None = None
    seconds: float = 120.0  # how long the whole run may take
    temperature: Callable[[str, float], float] = lambda role, default: default


class ModelReasoner:
    """Satisfies `ports.Reasoner` over one model a role; `rules` does what no model can."""

    def __init__(
        self, models: Mapping[str, Model], rules: Reasoner, embedder: Embedder, ways: Ways
    ) -> None:
        self._models, self._rules, self._embedder, self._ways = models, rules, embedder, ways
        self.name = " + ".join(dict.fromkeys(model.name for model in models.values()))

    # ── the stages ──────────────────────────────────────────────────────────────────────────

    async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan:
        """Three to six queries with intents; never the task itself."""
        plain = await self._rules.plan(task, today, known_facts)
        known = section("known_facts", *known_facts, empty="(nothing)")

        async def ask(model: Tally) -> Plan:
            build = self._builder(model, "plan", [known, _task(task)], PLAN_TOKENS, PLAN_WINDOW)
            answer = await structured(model, build, PlanAnswer, prompts=self._ways.prompts)
            return as_plan(answer.value, task, plain)

        seconds = PLAN_SHARE * self._ways.seconds
        found, made = await self._try("planner", "Planned", ask, seconds)
        return replace(found or plain, made=replace(made, stop=None))

    async def plan_query(self, state: State) -> Reflection:
        """One query that fills a gap, never one already asked."""
        plain = await self._rules.plan_query(state)
        sections = [
            section("asked", *(query.text for query in state.asked)),
            section("knowledge", state.knowledge.text, empty="(nothing)"),
            section("gaps", *state.gaps, empty="(unknown)"),
            _task(state.task),
        ]

        async def ask(model: Tally) -> Reflection | None:
            build = self._builder(model, "gap_query", sections, GAP_TOKENS, PLAN_WINDOW, 0.3)
            said = await written(model, build)
            query = first_query(said.text, state, self._embedder)
            return replace(plain, new_queries=(query,), model=model.name) if query else None

        found, made = await self._try("planner", "The gap query was written", ask)
        return replace(found or plain, made=made)

    async def reflect(self, state: State) -> Reflection:
        """Is it enough, what is open, what to ask next."""
        plain = await self._rules.reflect(state)
        sections = [
            found_so_far(state, self._embedder),
            section("asked", *(query.text for query in state.asked)),
            section("failed", *state.failed_queries),
            _task(state.task),
        ]

        async def ask(model: Tally) -> Reflection:
            build = self._builder(model, "reflect", sections, REFLECT_TOKENS, REFLECT_WINDOW)
            answer = await structured(model, build, ReflectionAnswer, prompts=self._ways.prompts)
            found = as_reflection(answer.value, state, plain, self._embedder)
            return replace(
                found,
                model=model.name,
                tokens=answer.spent.prompt_tokens + answer.spent.completion_tokens,
                timestamp=self._ways.today.isoformat(),
            )

        found, made = await self._try("planner", "Reflected", ask)
        return replace(found or plain, made=made)

    async def compress(
        self, task: str, knowledge: Knowledge, hits: Sequence[Hit], max_chars: int
    ) -> Knowledge:
        """Merged into a few bullet points by the compressor where there is one, else by rule."""
        plain = await self._rules.compress(task, knowledge, hits, max_chars)
        if "compressor" not in self._models or not knowledge.batches:
            return replace(plain, made=knowledge.made)
        sections = [
            section("knowledge", knowledge.text),
            section("findings", *(hit.text for hit in hits)),
            _task(task),
        ]
        given = {"max_chars": f"{max_chars:,}"}

        async def ask(model: Tally) -> str:
            build = self._builder(
                model, "compress", sections, COMPRESS_TOKENS, COMPRESS_WINDOW, 0.1, given
            )
            said = await written(model, build)
            return as_bullets(said.text, max_chars, cut=said.cut)

        text, made = await self._try("compressor", "Compressed", ask)
        made = Made(knowledge.made.calls + made.calls, knowledge.made.notes + made.notes, made.stop)
        return replace(plain, text=text or plain.text, made=made)

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        """One number from 0 to 10, and the middle when none can be read."""
        sections = [
            section("knowledge", knowledge[:NOVELTY_CHARS], empty="(nothing)"),
            section("findings", findings[:NOVELTY_CHARS]),
        ]

        async def ask(model: Tally) -> Completion:
            build = self._builder(model, "novelty", sections, NOVELTY_TOKENS, PLAN_WINDOW)
            return await model.complete(build(model.window))

        said, made = await self._try("planner", "Novelty was scored", ask, NOVELTY_S)
        score = first_number(said.text) if said else None
        return Novelty(float(UNREADABLE_NOVELTY if score is None else score), made)

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft:
        """A report whose every sentence cites a passage; quoted together where no model can."""
        if not passages:
            return await self._rules.write(state, passages)

        async def ask(model: Tally) -> Completion:
            for share in SMALLER:
                try:
                    return await written(model, self._report(model, state, passages, share))
                except BudgetSpent as spent:
                    refused = spent
            raise refused

        left = state.limits.max_execution_time_s - state.elapsed - QUOTING_S
        said, made = await self._try("producer", "The report was quoted together", ask, left)
        if said is None:
            return replace(await self._rules.write(state, passages), made=made)
        return replace(as_draft(said, state, passages), made=made)

    # ── asking ──────────────────────────────────────────────────────────────────────────────

    async def _try(
        self,
        role: str,
        what: str,
        ask: Callable[[Tally], Awaitable[T]],
        seconds: float | None = None,
    ) -> tuple[T | None, Made]:
        """What the model of a role makes of it, or None and why."""
        model = self._models.get(role)
        if model is None:
            return None, Made()
        tally, stop = Tally(model, role), None
        try:
            async with asyncio.timeout(seconds):
                return await ask(tally), Made(tuple(tally.calls))
        except ReasonerFailed as failed:
            why = str(failed)
        except BudgetSpent as spent:
            why, stop = str(spent), spent.stop
        except TimeoutError:
            why = f"no answer of {model.name} in the time that was left"
        note = f"{what} without a model: {why}"
        return None, Made(tuple(tally.calls), (note,), stop)

    def _builder(
        self,
        model: Model,
        prompt: str,
        sections: Sequence[Section],
        max_tokens: int,
        most: int,
        temperature: float = 0.0,
        given: Mapping[str, str] | None = None,
    ) -> Build:
        """The request for any window, no larger than `most` and what the question itself takes."""
        counter = Counter(model.chars_per_token)
        task = next((one for one in sections if one.blank == "task"), None)
        most += sum(counter.count(piece.text) for piece in task.pieces) if task else 0
        role = "compressor" if prompt == "compress" else "planner"
        spoken = task.pieces[0].text if task else sections[-1].pieces[0].text

        def build(window: int) -> Ask:
            return assemble(
                load(prompt, self._ways.prompts),
                self._given(spoken) | dict(given or {}),
                sections,
                window=min(window, most),
                counter=counter,
                max_tokens=max_tokens,
                temperature=self._ways.temperature(role, temperature),
                salt=self._ways.salt,
            ).ask

        return build

    def _report(
        self, model: Model, state: State, passages: Sequence[Passage], share: float
    ) -> Build:
        counter = Counter(model.chars_per_token)
        most = int(_affordable(state) * share) if share == 1 else int(model.window * share)

        def build(window: int) -> Ask:
            window = min(window, most) if most else window
            shown = sources_shown(state, passages, window // 2, counter, self._embedder)
            ids = sorted({passage.source for passage in passages})
            return assemble(
                load("write", self._ways.prompts),
                self._given(state.task)
                | {"ids": ", ".join(map(str, ids)), "form": form_of(state.plan)},
                [
                    lead_lines(state, passages),
                    limits_of(state),
                    replace(shown, share=6.0),
                    _task(state.task),
                ],
                window=window,
                counter=counter,
                max_tokens=REPORT_TOKENS,
                temperature=self._ways.temperature("producer", 0.2),
                salt=self._ways.salt,
                last=True,
            ).ask

        return build

    def _given(self, text: str) -> dict[str, str]:
        return {"today": f"{self._ways.today:%Y-%m-%d}", "language": named(language(text))}


def _task(task: str) -> Section:
    return section("task", task, outside=False, needed=True, share=2.0)


def _affordable(state: State) -> int:
    """Tokens that are left for the report as the journal has it; 0 sets no ceiling."""
    if not state.limits.token_budget:
        return 0
    spent = state.usage.prompt_tokens + state.usage.completion_tokens
    return max(1, state.limits.token_budget - spent)
