"""Which sources the report would be written from now: the best by link ranking."""

from __future__ import annotations

from leadline.research.novelty_gate import MEMORY
from leadline.text.urls import canonical
from leadline.types import State
from leadline.values import replace

PLACES = 0.5  # weight of a web source's places in the searches, beside its link score


def keep(state: State) -> State:
    """The state with `kept` ranked anew; counts the iterations in a row that changed nothing."""
    scores, later = _scores(state), _led_to(state)
    ranked = sorted(scores, key=lambda number: (number in later, -scores[number]))
    kept = tuple(ranked)[: state.limits.max_sources]
    changed = len(set(kept) - set(state.kept))
    same = set(kept) == set(state.kept)
    return replace(state, kept=kept, changed=changed, unchanged=state.unchanged + 1 if same else 0)


def _led_to(state: State) -> frozenset[int]:
    """The sources that only memory led to, where a model writes: what a search has found for this
    very question comes before what was found for another one."""
    if not (state.calls and state.asked):
        return frozenset()
    fresh = _searched(state)
    return frozenset(source.id for source in state.sources if canonical(source.url) not in fresh)


def _searched(state: State) -> frozenset[str]:
    """The sources that a search has found, by address."""
    return frozenset(canonical(hit.url) for hit in state.search_results if hit.provider != MEMORY)


def _scores(state: State) -> dict[int, float]:
    """The best link score of each source; a web source also for how high searches placed it.

    A document's passage is all there is to judge it by. A web snippet is a few words of a page that
    the engine has read whole, so the place it gave the page counts, in each search that found it.
    What memory has of a source that was searched for and found does not count: short paragraphs
    beside whole passages make their words common, and put the best source behind others.
    """
    from leadline.rank.name_links import Held, rank_sources  # not before the first search

    numbers = {canonical(source.url): source.id for source in state.sources}
    fresh = _searched(state)
    held = [
        Held(canonical(hit.url), hit.title, hit.text, hit.score)
        for hit in state.search_results
        if hit.provider != MEMORY or canonical(hit.url) not in fresh
    ]
    scores: dict[int, float] = {}
    for ranked in rank_sources(state.task, held):
        number = numbers[ranked.held.key]
        scores[number] = max(scores.get(number, 0.0), ranked.score)
    for hit in state.search_results:
        if hit.kind == "web":
            scores[numbers[canonical(hit.url)]] += PLACES * hit.score
    return scores
