"""The reasoner that asks language models, with the extractive one behind it at every stage.

A model that is down, refuses, answers nothing usable or may not be paid for costs that stage its
help and nothing else: the rules do the stage, and what they return says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from leadline.errors import BudgetSpent
from leadline.ports import Embedder, Model, Reasoner
from leadline.text.tokens import Counter
from leadline.types import (
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
from leadline.values import replace
from leadline.write.ask_model import (
    Answer,
    Build,
    Tally,
    Ways,
    attempt,
    request,
    structured,
    task_section,
    written,
)
from leadline.write.model_answers import (
    PlanAnswer,
    ReflectionAnswer,
    as_plan,
    as_reflection,
    first_query,
)
from leadline.write.prompt_fit import Section, section
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

# Tokens of the answer of a cheap stage, and what all of it may take beside the question itself.
SIZES = {
    "plan": (900, 4000),
    "gap_query": (60, 4000),
    "reflect": (700, 6000),
    "compress": (400, 4000),
    "novelty": (3, 4000),
}
REPORT_TOKENS = 2000
NOVELTY_CHARS = 800
UNREADABLE_NOVELTY = 5
NOVELTY_S = 20.0
PLAN_SHARE = 0.33  # of the run's time; a plan that takes longer is made by rule
QUOTING_S = 6.0  # kept back from the writer so that the report can still be quoted together
SMALLER = (1.0, 0.5, 0.25)  # shares of the window that the writer tries when it may not be paid


class ModelReasoner:
    """Satisfies `ports.Reasoner` over one model a role; `rules` does what no model can."""

    def __init__(
        self, models: Mapping[str, Model], rules: Reasoner, embedder: Embedder, ways: Ways
    ) -> None:
        self._models, self._rules, self._embedder, self._ways = models, rules, embedder, ways
        self.name = " + ".join(dict.fromkeys(model.name for model in models.values()))

    async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan:
        """Three to six queries with intents; never the task itself."""
        plain = await self._rules.plan(task, today, known_facts)
        known = section("known_facts", *known_facts, empty="(nothing)")
        build = self._stage("plan", [known], task)
        seconds = PLAN_SHARE * self._ways.seconds
        answer, made = await self._value("planner", "Planned", build, PlanAnswer, seconds)
        plan = as_plan(answer.value, task, plain) if answer else plain
        return replace(plan, made=replace(made, stop=None))

    async def plan_query(self, state: State) -> Reflection:
        """One query that fills a gap, never one already asked."""
        plain = await self._rules.plan_query(state)
        sections = [
            section("asked", *(query.text for query in state.asked)),
            section("knowledge", state.knowledge.text, empty="(nothing)"),
            section("gaps", *state.gaps, empty="(unknown)"),
        ]
        build = self._stage("gap_query", sections, state.task, 0.3)
        done, made = await self._text("planner", "The gap query was written", build)
        query = first_query(done.text, state, self._embedder) if done else None
        if query is None:
            return replace(plain, made=made)
        model = self._models["planner"].name
        return replace(plain, new_queries=(query,), model=model, made=made)

    async def reflect(self, state: State) -> Reflection:
        """Is it enough, what is open, what to ask next."""
        plain = await self._rules.reflect(state)
        sections = [
            found_so_far(state, self._embedder),
            section("asked", *(query.text for query in state.asked)),
            section("failed", *state.failed_queries),
        ]
        build = self._stage("reflect", sections, state.task)
        answer, made = await self._value("planner", "Reflected", build, ReflectionAnswer)
        if answer is None:
            return replace(plain, made=made)
        return replace(
            as_reflection(answer.value, state, plain, self._embedder),
            model=self._models["planner"].name,
            tokens=answer.spent.prompt_tokens + answer.spent.completion_tokens,
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
        sections = [
            section("knowledge", knowledge.text),
            section("findings", *(hit.text for hit in hits)),
        ]
        build = self._stage("compress", sections, task, 0.1, {"max_chars": f"{max_chars:,}"})
        done, made = await self._text("compressor", "Compressed", build)
        text = as_bullets(done.text, max_chars, cut=done.cut) if done else ""
        made = Made(knowledge.made.calls + made.calls, knowledge.made.notes + made.notes, made.stop)
        return replace(plain, text=text or plain.text, made=made)

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        """One number from 0 to 10, and the middle when none can be read."""
        sections = [
            section("knowledge", knowledge[:NOVELTY_CHARS], empty="(nothing)"),
            section("findings", findings[:NOVELTY_CHARS]),
        ]
        build = self._stage("novelty", sections, "")

        async def ask(model: Tally) -> Completion:
            return await model.complete(build(model)(model.window))

        done, made = await self._try("planner", "Novelty was scored", ask, NOVELTY_S)
        score = first_number(done.text) if done else None
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
        done, made = await self._try("producer", "The report was quoted together", ask, left)
        if done is None:
            return replace(await self._rules.write(state, passages), made=made)
        return replace(as_draft(done, state, passages), made=made)

    # ── asking ──────────────────────────────────────────────────────────────────────────────

    async def _value(
        self,
        role: str,
        what: str,
        build: Callable[[Tally], Build],
        schema: type[T],
        seconds: float | None = None,
    ) -> tuple[Answer[T] | None, Made]:
        async def ask(model: Tally) -> Answer[T]:
            return await structured(model, build(model), schema, prompts=self._ways.prompts)

        return await self._try(role, what, ask, seconds)

    async def _text(
        self, role: str, what: str, build: Callable[[Tally], Build]
    ) -> tuple[Completion | None, Made]:
        return await self._try(role, what, lambda model: written(model, build(model)))

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
        return await attempt(model, role, ask, f"{what} without a model", seconds)

    def _stage(
        self,
        prompt: str,
        sections: Sequence[Section],
        task: str,
        temperature: float = 0.0,
        given: Mapping[str, str] | None = None,
    ) -> Callable[[Tally], Build]:
        """The request of a cheap stage, for whichever model is asked."""
        max_tokens, most = SIZES[prompt]
        return lambda model: request(
            model,
            prompt,
            [*sections, task_section(task)] if task else sections,
            self._ways,
            about=task or sections[-1].texts[0],
            max_tokens=max_tokens,
            most=most + Counter(model.chars_per_token).count(task),
            given=given,
            temperature=self._ways.temperature(model.role, temperature),
        )

    def _report(
        self, model: Tally, state: State, passages: Sequence[Passage], share: float
    ) -> Build:
        counter = Counter(model.chars_per_token)
        ids = sorted({passage.source for passage in passages})

        def sections(window: int) -> list[Section]:
            shown = sources_shown(state, passages, window // 2, counter, self._embedder)
            leads, limits = lead_lines(state, passages), limits_of(state)
            return [leads, limits, replace(shown, share=6.0), task_section(state.task)]

        return request(
            model,
            "write",
            sections,
            self._ways,
            about=state.task,
            max_tokens=REPORT_TOKENS,
            most=_affordable(state) if share == 1 else int(model.window * share),
            given={"ids": ", ".join(map(str, ids)), "form": form_of(state.plan)},
            temperature=self._ways.temperature(model.role, 0.2),
            last=True,
        )


def _affordable(state: State) -> int:
    """Tokens that are left for the report as the journal has it; 0 sets no ceiling."""
    if not state.limits.token_budget:
        return 0
    spent = state.usage.prompt_tokens + state.usage.completion_tokens
    return max(1, state.limits.token_budget - spent)
