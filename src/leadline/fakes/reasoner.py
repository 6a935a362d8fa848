"""A reasoner that says what it was told to say, for tests of everything around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from leadline.types import Draft, Hit, Knowledge, Novelty, Passage, Plan, Query, Reflection, State


class ScriptedReasoner:
    """Satisfies `ports.Reasoner`. When a script runs out, its quiet answer is given.

    `calls` has the name of every method called, in order. A reflection that runs out is not
    sufficient and asks nothing; a draft that is not given quotes the opening of each passage.
    """

    def __init__(
        self,
        plan: Plan | None = None,
        *,
        reflections: Iterable[Reflection] = (),
        queries: Iterable[Query] = (),
        write: Callable[[State, Sequence[Passage]], Draft] | Draft | None = None,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.calls: list[str] = []
        self._plan = plan
        self._reflections, self._queries = iter(reflections), iter(queries)
        self._write = write

    async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan:
        self.calls.append("plan")
        if self._plan is not None:
            return self._plan
        words = task.lower().rstrip("?").split()
        queries = tuple(Query(" ".join(words[at:]) or task) for at in range(min(3, len(words))))
        return Plan(queries[1:] or queries, known_facts=tuple(known_facts))

    async def plan_query(self, state: State) -> Reflection:
        self.calls.append("plan_query")
        query = next(self._queries, None)
        return Reflection(gaps=state.gaps, new_queries=(query,) if query else ())

    async def reflect(self, state: State) -> Reflection:
        self.calls.append("reflect")
        return next(self._reflections, Reflection(model=self.name))

    async def compress(
        self, task: str, knowledge: Knowledge, hits: Sequence[Hit], max_chars: int
    ) -> Knowledge:
        self.calls.append("compress")
        text = "\n".join([knowledge.text, *(hit.text for hit in hits)]).strip()
        return Knowledge(text[:max_chars], knowledge.batches + 1)

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        self.calls.append("novelty")
        return Novelty(5.0)

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft:
        self.calls.append("write")
        if isinstance(self._write, Draft):
            return self._write
        if self._write is not None:
            return self._write(state, passages)
        lines = [f"- {one.text.splitlines()[0]} [{one.source}]" for one in passages if one.text]
        return Draft("\n".join(lines), model=self.name, found=bool(lines))
