"""The reasoner that needs no model: plans by rule, reflects by counting, writes by quoting.

What plans is imported with it, and the rest when it is needed: the first search should be under way
before numpy is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from leadline.ports import Embedder, PassageReader
from leadline.question.planning import make_plan
from leadline.text.sentences import told
from leadline.types import Draft, Hit, Knowledge, Novelty, Passage, Plan, Reflection, State


class ExtractiveReasoner:
    """Satisfies `ports.Reasoner`. The same inputs always give the same answer."""

    name = "extractive"

    def __init__(self, embedder: Embedder, reader: PassageReader | None = None) -> None:
        self._embedder = embedder
        self._reader = reader

    async def plan(self, task: str, today: datetime, known_facts: Sequence[str]) -> Plan:
        """Queries from the question's own words; the date changes nothing without a model."""
        return make_plan(task, known_facts)

    async def plan_query(self, state: State) -> Reflection:
        """One query towards a gap, never one already asked."""
        from leadline.write.reflecting import gap_query

        query = gap_query(state, self._embedder)
        return Reflection(gaps=state.gaps, new_queries=(query,) if query else ())

    async def reflect(self, state: State) -> Reflection:
        """What no accepted passage supports yet, and the names that lead on."""
        from leadline.write.reflecting import reflection

        return reflection(state, self._embedder, self.name)

    async def compress(
        self, task: str, knowledge: Knowledge, hits: Sequence[Hit], max_chars: int
    ) -> Knowledge:
        """The first accepted batch as it stands; later ones merged in, sentence by sentence."""
        from leadline.rank.knowledge_summary import FIRST_CHARS, first, merge

        bodies = [hit.text for hit in hits]
        if not knowledge.batches:
            room = max(max_chars - len(knowledge.text) - 1, 0)
            text = first(bodies, min(FIRST_CHARS, room))
            return Knowledge(f"{knowledge.text}\n{text}".strip(), 1)
        new = [sentence for body in bodies for sentence in told(body)]
        text = merge(knowledge.text, new, task, self._embedder, max_chars)
        return Knowledge(text, knowledge.batches + 1)

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        """The share of words that are new: there is no model to ask."""
        from leadline.rank.novelty import heuristic

        return Novelty(float(heuristic(knowledge, [findings])))

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft:
        """A report in which every claim is a quotation."""
        from leadline.write.quoting import Quoting

        return Quoting(state, passages, self._embedder, self._reader, self.name).draft()
