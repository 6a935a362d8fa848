"""`leadline runs show`: what was lost or skipped is named, with the reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from leadline.cli.history import history, resumed
from leadline.ports import Row, RunInfo
from leadline.types import AgentResponse, Skip, Stop, Usage
from leadline.values import replace

AT = datetime(2026, 1, 1, tzinfo=UTC)
INFO = RunInfo("260101-r", "Who?", "finished", AT, AT, stop_reason="degraded")
LONG = "https://gone.example/" + "a-rather-long-name-of-a-page-" * 4


def row(seq: int, name: str, value: Any, error: str = "", what: str = "") -> Row:
    return Row(seq, name, AT, AT, seq, value, error, what=what)


def batch(query: str, **more: Any) -> dict[str, Any]:
    return {"query": {"text": query}, "hits": [], "provider": "ddgs", **more}


@pytest.mark.contract("S6", "E1", "R10")
def test_every_search_page_and_result_that_was_lost_or_skipped_is_named_with_its_reason() -> None:
    why = "ddgs: HTTP 503 (the service is down for a moment, try again later); given up"
    rows = [
        row(1, "search", batch("first", provider="", error=why)),
        row(2, "search", batch("second", notes=[{"stage": "retry", "why": "HTTP 503; retried"}])),
        row(3, "search", batch("third", cached=True)),
        row(4, "read", None, "gone.example answered 403", LONG),
        row(5, "read", {"url": "https://slow.example/", "notes": ["timed out; fetched again"]}),
    ]
    response = AgentResponse(
        "r", "Who?", "", "", (), (), 0.0, (), Stop.DEGRADED, True, Usage(),
        skipped=(Skip("full", "https://b.example/", "2 better ones were chosen"),),
    )  # fmt: skip
    told = history(INFO, rows, response).splitlines()
    assert (
        "Summary  Searched with no provider (1 search, 1 failed), "
        "ddgs (2 searches, 1 from the cache). Pages: 1 read; 1 could not be had."
    ) in told
    assert f"Search      –  failed: first: {why}" in told
    assert "Search      –  unjudged (unjudged): second [ddgs]" in told
    assert "Trouble  second: HTTP 503; retried" in told
    assert "Search      –  unjudged (unjudged): third [from the cache]" in told
    assert f"Lost     {LONG}: gone.example answered 403" in told
    assert "Trouble  https://slow.example/: timed out; fetched again" in told
    assert "Skipped  https://b.example/: 2 better ones were chosen" in told


def test_a_run_without_a_report_has_a_history_too() -> None:
    info = replace(INFO, status="interrupted", stop_reason="")
    assert "Status   interrupted, 0 steps" in history(info, [], None)


@pytest.mark.contract("R9", "R10")
def test_a_resumed_run_tells_what_is_played_again_and_where_it_goes_on() -> None:
    stopped = replace(INFO, status="interrupted", stop_reason="")
    rows = [
        row(1, "start", "2026-01-01T00:00:00Z"),
        row(2, "recall", {}),
        row(3, "plan", {"search_queries": []}),
        row(4, "search", batch("a")),
        row(5, "search", batch("b", error="HTTP 503")),
        row(6, "gate", []),
        row(7, "read", None, "HTTP 403", LONG),
    ]
    assert resumed(stopped, rows) == (
        "Going on with run 260101-r: 6 steps are taken from its record, not done again "
        "(plan, 2 searches (1 failed), 1 page (1 failed), 2 of other kinds). It goes on with "
        "reading."
    )
    assert resumed(stopped, rows[:1]) == (
        "Run 260101-r had finished no step yet; it begins with its plan."
    )
    assert "nothing is done again" in resumed(INFO, rows)
