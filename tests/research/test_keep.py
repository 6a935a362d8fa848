"""Which sources a report would be written from: a page that only lists others comes last."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leadline.research.choose_sources import keep
from leadline.research.novelty_gate import admit
from leadline.research.run_state import begin
from leadline.types import Batch, GateVerdict, Hit, Limits, Plan, Query, SourceKind

TODAY = datetime(2026, 11, 19, tzinfo=UTC)
TASK = "How are locks waited for?"
ASKED = Query("locks waited for")
LIST = "locks, waited for; locks (class); locks waited() for (method); waited locks"


def ranked(title: str, kind: SourceKind = "web") -> list[str]:
    """The addresses of a page that tells it, and of one so called that has the words more often."""
    found = (
        Hit("https://e.example/list", title, LIST, score=1.0, kind=kind),
        Hit("https://e.example/told", "Queues", "Who wants a lock stands in turn.", kind=kind),
    )
    verdict = GateVerdict(ASKED.text, 9.0, 3.0, True, "first", 2)
    state = begin(TASK, Plan((ASKED,)), Limits(), TODAY)
    state = keep(admit(state, [Batch(ASKED, found, "fake")], [verdict], 1.0))
    urls = {source.id: source.url for source in state.sources}
    return [urls[number].rpartition("/")[2] for number in state.kept]


@pytest.mark.contract("E1")
@pytest.mark.parametrize(
    "title",
    [
        "Index",
        "Index — Python 3.11 documentation",
        "Index of /pub/locks",
        "General Index | Handbook",
        "Python Module Index - Python",
        "Website Keyword Index",
        "Site map",
        "Example Sitemap",
        "Table of Contents",
        "Python Documentation contents — Python",
        "Search results for locks",
        "Tag: locks",
    ],
)
def test_a_page_that_only_lists_others_comes_after_one_that_tells_it(title: str) -> None:
    assert ranked(title) == ["told", "list"]


@pytest.mark.contract("E1")
@pytest.mark.parametrize(
    "title", ["CREATE INDEX", "Index Types", "11.1. Index", "Locks: an index", "Initial Contents"]
)
def test_a_page_about_an_index_keeps_its_place(title: str) -> None:
    assert ranked(title) == ["list", "told"]


@pytest.mark.contract("E1")
def test_a_document_of_ones_own_keeps_its_place_whatever_it_is_called() -> None:
    assert ranked("Index", "document") == ["list", "told"]
