"""Which sources the report would be written from now: the best by link ranking."""

from __future__ import annotations

from dataclasses import replace

from leadline.rank.links import Held, rank_sources
from leadline.text.urls import canonical
from leadline.types import State


def keep(state: State) -> State:
    """The state with `kept` ranked anew; counts the iterations in a row that changed nothing."""
    numbers = {canonical(source.url): source.id for source in state.sources}
    held = [
        Held(canonical(hit.url), hit.title, hit.text, hit.score) for hit in state.search_results
    ]
    best = dict.fromkeys(numbers[one.held.key] for one in rank_sources(state.task, held))
    kept = tuple(best)[: state.limits.max_sources]
    same = set(kept) == set(state.kept)
    return replace(state, kept=kept, unchanged=state.unchanged + 1 if same else 0)
