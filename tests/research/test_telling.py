"""What a model that steers is reminded of: the best sources at length, the others in short."""

from __future__ import annotations

import pytest

from leadline.fakes.run import START
from leadline.question.planning import make_plan
from leadline.reader.static import StaticEmbedder
from leadline.research.agent.tool_results import BEST_NOTES, LAST_NOTE_CHARS, NOTE_CHARS, notes_of
from leadline.research.state import begin
from leadline.types import Hit, Limits, Source, State
from leadline.values import replace

TASK = "How much copper does the harbour of Quern trade?"


def _state(sources: int) -> State:
    told = " ".join(
        f"In {year} the harbour traded {year} tons of copper." for year in range(1500, 1600)
    )
    hits = tuple(Hit(f"https://{n}.example/", f"Page {n}", told) for n in range(1, sources + 1))
    state = begin(TASK, make_plan(TASK, ()), Limits(), START)
    listed = tuple(Source(n, hit.url, hit.title) for n, hit in enumerate(hits, 1))
    return replace(state, search_results=hits, sources=listed, kept=tuple(range(1, sources + 1)))


@pytest.mark.contract("D5")
def test_the_best_sources_found_earlier_keep_more_words_than_the_rest() -> None:
    notes = notes_of(_state(BEST_NOTES + 2), (), StaticEmbedder())
    sizes = [len(note) for note in notes]
    assert all(NOTE_CHARS < size <= LAST_NOTE_CHARS + 40 for size in sizes[:BEST_NOTES])
    assert all(size <= NOTE_CHARS + 40 for size in sizes[BEST_NOTES:])


@pytest.mark.contract("D5")
def test_what_is_shown_anyway_is_not_told_twice() -> None:
    notes = notes_of(_state(2), ("https://1.example/",), StaticEmbedder())
    assert [note.split("\n")[1] for note in notes] == ["[2]"]
