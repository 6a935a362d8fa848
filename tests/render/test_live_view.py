"""The live view: what a person sees while the rows of a run arrive."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import reduce
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from leadline.ports import Row
from leadline.render.terminal import UnderWay, bar, draw
from leadline.render.view import View, advance, ended
from leadline.types import AgentResponse, Skip, Stop, Usage, Variant
from leadline.values import replace

START = datetime(2026, 1, 1, tzinfo=UTC)


def row(seq: int, name: str, value: Any, error: str = "") -> Row:
    at = START + timedelta(seconds=seq)
    return Row(seq, name, at, at + timedelta(seconds=0.5), seq, value, error)


def batch(query: str, hits: int, error: str = "") -> dict[str, Any]:
    return {"query": {"text": query, "intent": ""}, "hits": [{"url": "u"}] * hits, "error": error}


def verdict(query: str, score: float, reason: str, repeated: float = 0.0) -> dict[str, Any]:
    accepted = reason in ("first", "novel", "epsilon")
    return {
        "query": query,
        "score": score,
        "threshold": 3.0,
        "accepted": accepted,
        "reason": reason,
        "repeated": repeated,
    }


PLAN = {
    "search_queries": [{"text": "refund approve"}, {"text": "refund days"}],
    "tier": "simple",
    "task_type": "factual",
    "language": "en",
}
ROWS = [
    row(1, "start", "2026-01-01T00:00:00Z"),
    row(2, "plan", PLAN),
    row(3, "search", batch("refund days", 4)),
    row(4, "search", batch("refund approve", 10)),
    row(
        5,
        "gate",
        [verdict("refund approve", 10.0, "first"), verdict("refund days", 2.0, "discarded", 0.8)],
    ),
    row(6, "reflect", {"sufficient": False, "gaps": ["who signs"], "new_queries": []}),
    row(7, "read", {"title": "Handbook", "url": "h.md"}),
]


def shown(
    rows: list[Row],
    width: int = 100,
    height: int = 30,
    unicode: bool = True,
    now: UnderWay = (),
    reasoner: str = "extractive",
) -> str:
    view = reduce(advance, rows, View(task="Who?", run_id="abc", reasoner=reasoner))
    console = Console(width=width, height=height, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(draw(view, 1.25, width, height, unicode, now))
    return capture.get()


@pytest.mark.contract("U2", "G8")
def test_each_search_shows_its_score_as_a_bar_against_the_threshold() -> None:
    lines = shown(ROWS).splitlines()
    accepted = next(line for line in lines if "refund approve" in line and "10 hits" in line)
    discarded = next(line for line in lines if "refund days" in line and "4 hits" in line)
    assert "███┃███████" in accepted
    assert accepted.rstrip().endswith("accepted")
    assert "██░┃░░░░░░░" in discarded
    assert discarded.rstrip().endswith("repeats")


@pytest.mark.contract("U2", "L2")
def test_the_view_tells_phase_plan_reasoner_pages_and_open_parts() -> None:
    text = shown(ROWS)
    assert "1.2 s" in text
    assert "extractive" in text
    assert "run abc" in text
    assert "refund approve | refund days" in text
    assert "Handbook" in text
    assert "who signs" in text


@pytest.mark.contract("R6", "U2")
def test_the_tier_is_the_runs_and_not_the_planners() -> None:
    chosen = View(task="Who?", tier="deep")
    assert advance(chosen, ROWS[1]).facts.startswith("deep · factual")
    assert advance(View(task="Who?"), ROWS[1]).facts.startswith("simple · factual")
    reviewed = reduce(advance, [ROWS[1], row(3, "review", PLAN | {"tier": "standard"})], chosen)
    assert reviewed.facts.startswith("standard"), "a person who saw the plan has the last word"


@pytest.mark.contract("G9")
def test_repetition_is_told_once_something_can_repeat() -> None:
    assert "80 % of the last batch had been seen before" in shown(ROWS)
    assert "seen before" not in shown(ROWS[:3])


def test_a_search_waits_for_its_verdict() -> None:
    assert "…" in shown(ROWS[:4])
    assert "accepted" not in shown(ROWS[:4])


def test_a_failed_search_is_shown_as_failed() -> None:
    rows = [
        row(1, "search", batch("x", 0, "timed out")),
        row(2, "search", None, "lost"),
        row(3, "gate", [verdict("x", 0.0, "failed")]),
    ]
    text = shown(rows)
    assert text.count("error") == 2
    assert "failed" in text


@pytest.mark.parametrize("width", [20, 40, 69, 70, 200])
@pytest.mark.parametrize("height", [5, 10, 24])
def test_the_view_never_leaves_its_screen(width: int, height: int) -> None:
    many = [row(n, "search", batch(f"query number {n} " * 9, n)) for n in range(1, 60)]
    pages = [row(n, "read", {"title": f"page {n} " * 20}) for n in range(60, 80)]
    lines = shown([*ROWS, *many, *pages], width, height).splitlines()
    assert len(lines) <= max(height, 12)
    assert max(len(line) for line in lines) <= width - len("^C")


def test_wide_characters_are_cut_to_the_column() -> None:
    rows = [row(1, "search", batch("返金を承認できるのは誰ですか" * 20, 3))]
    text = shown(rows, width=60)
    assert "返金" in text
    assert len(text.splitlines()) <= 4


def test_terminal_codes_in_a_page_title_are_not_drawn() -> None:
    assert "\x1b" not in shown([row(1, "read", {"title": "\x1b[2Jboo"})])


def test_a_terminal_without_unicode_gets_plain_bars() -> None:
    assert bar(5, 3, "", unicode=False).plain == "###|##....."
    assert "███" not in shown(ROWS, unicode=False)


def test_scores_outside_the_scale_stay_inside_the_bar() -> None:
    assert len(bar(99, 10, "").plain) == 11
    assert len(bar(-3, 0, "").plain) == 11
    assert len(bar(None, 3, "").plain) == 11


def test_rows_of_steps_nobody_drew_yet_change_nothing() -> None:
    view = View(task="t")
    assert advance(view, row(1, "dance", {"a": 1})) == view


@pytest.mark.contract("E1", "S6", "U2")
def test_the_view_tells_who_answered_what_went_wrong_and_what_was_left_out() -> None:
    notes = [
        {"stage": "retry", "what": "q", "why": "ddgs: HTTP 503; retried"},
        {"stage": "filter", "what": "q", "why": "2 left out: domain denied"},
    ]
    rows = [
        row(1, "search", batch("first", 3) | {"provider": "searxng", "notes": notes}),
        row(2, "search", batch("second", 3) | {"provider": "ddgs", "cached": True}),
        replace(row(3, "read", None, "HTTP 404"), what="https://a.example"),
    ]
    text = shown(rows)
    assert "searxng" in text
    assert "cache" in text
    assert "Trouble  1: q: ddgs: HTTP 503; retried" in text
    assert "Left out 2 left out: domain denied" in text
    assert "Lost     1: https://a.example: HTTP 404" in text


@pytest.mark.contract("E1", "S4")
def test_at_the_end_every_reason_for_leaving_out_is_counted() -> None:
    response = AgentResponse(
        "r",
        "Who?",
        "",
        "",
        (),
        (),
        0.5,
        (),
        Stop.SATURATED,
        False,
        Usage(),
        skipped=(
            Skip("said", "https://a.example", "known"),
            Skip("copy", "https://b.example", "same"),
            Skip("copy", "https://c.example", "same"),
        ),
        variants=(Variant(3, 1, ("57",), ("41",)),),
    )
    view = ended(View(task="Who?"), response)
    assert view.done
    assert view.left_out == (
        "2 copies of what another source says",
        "1 source not read, the snippet being known",
    )
    assert view.trouble == ("[3] says the same as [1] with other numbers (57 and 41)",)


LONG = "https://gone.example/" + "a-rather-long-name-of-a-page-" * 3 + "end"


@pytest.mark.contract("U2", "E1", "S6")
@pytest.mark.parametrize("width", [50, 70, 100, 140])
def test_of_a_lost_page_the_whole_address_and_the_reason_can_be_read(width: int) -> None:
    rows = [
        *ROWS,
        replace(row(8, "read", None, "gone.example answered 403 Forbidden"), what=LONG),
        row(9, "search", batch("x", 0, "searxng: HTTP 503; given up after 4 attempts")),
    ]
    lines = [line.rstrip() for line in shown(rows, width, 40).splitlines()]
    told = "".join(line[9:] for line in lines)
    assert LONG in told
    assert "answered403Forbidden" in told.replace(" ", "")
    assert "givenupafter4attempts" in told.replace(" ", "")
    assert max(len(line) for line in lines) <= width - len("^C")


@pytest.mark.contract("U2", "S6")
def test_more_lost_pages_than_there_is_room_for_are_counted_and_all_told_at_the_end() -> None:
    def lost(n: int) -> Row:
        return replace(row(10 + n, "read", None, "HTTP 403"), what=f"https://{n}.example/")

    rows = [*ROWS, *(lost(n) for n in range(30))]
    text = shown(rows, height=24)
    assert "Lost     30: https://29.example/: HTTP 403" in text
    assert "more" in text
    assert len(text.splitlines()) <= 24
    view = replace(reduce(advance, rows, View(task="Who?")), done=True)
    console = Console(width=100, record=True, file=StringIO())
    console.print(draw(view, 1.0, 100, 24))
    whole = console.export_text()
    assert all(f"https://{n}.example/: HTTP 403" in whole for n in range(30))


def test_what_was_met_several_times_is_told_once() -> None:
    again = {"stage": "retry", "what": "q", "why": "ddgs: HTTP 503; retried"}
    text = shown([row(1, "search", batch("q", 3) | {"notes": [again] * 3})])
    assert "1: q: ddgs: HTTP 503; retried (3 times)" in text


@pytest.mark.contract("U2", "S7")
def test_what_is_searched_for_and_read_now_is_shown() -> None:
    now = [("search", "refund days"), ("read", LONG), ("recall", "")]
    text = shown(ROWS[:2], now=now)
    assert "Now      searching refund days" in text
    assert f"reading {LONG[:40]}" in text
    assert "recall" not in text
    assert "Now" not in shown(ROWS[:2])


@pytest.mark.contract("U2", "G8")
def test_a_narrow_terminal_keeps_the_words_the_provider_and_the_run_and_drops_the_bars() -> None:
    rows = [row(1, "search", batch("who approves a refund", 3) | {"provider": "searxng"})]
    text = shown(rows, 70, reasoner="extractive (no model is to be used; leave out no_model)")
    assert "who approves a refund" in text
    assert "searxng" in text
    assert "run abc" in text
    assert "█" not in shown(ROWS, 99)
    assert "███┃███████" in shown(ROWS, 100)


@pytest.mark.contract("S6")
def test_a_failed_search_says_who_was_asked() -> None:
    asked = [{"provider": "searxng", "seconds": 0.2, "error": "HTTP 503"}]
    rows = [row(1, "search", batch("x", 0, "HTTP 503") | {"provider": "", "asked": asked})]
    assert "searxng" in shown(rows)


def test_memory_that_answers_after_the_plan_does_not_set_the_run_back_to_planning() -> None:
    assert reduce(advance, [*ROWS[:2], row(3, "recall", {})], View("q")).phase == "searching"


# ── compound tasks ──────────────────────────────────────────────────────────────────────────


def of_child(child: str, made: Row) -> Row:
    return replace(made, child=child)


@pytest.mark.contract("P5", "U2")
def test_searches_of_children_are_marked_and_judged_each_by_their_own_gate() -> None:
    rows = [
        row(1, "plan", PLAN | {"subtasks": ["refunds", "holidays"]}),
        of_child("2", row(2, "plan", {"search_queries": [{"text": "other"}]})),
        of_child("1", row(3, "search", batch("same words", 4))),
        of_child("2", row(4, "search", batch("same words", 7))),
        of_child("2", row(5, "gate", [verdict("same words", 2.0, "discarded", 0.8)])),
        of_child("1", row(6, "reflect", {"gaps": ["who signs"]})),
        of_child("2", row(7, "reflect", {"gaps": ["how many days"]})),
        of_child("1", row(8, "reflect", {"gaps": []})),
    ]
    view = reduce(advance, rows, View("q"))
    assert view.plan == ("refund approve", "refund days")
    assert {search.child: search.score for search in view.searched} == {"1": None, "2": 2.0}
    assert view.gaps == ("how many days",)
    console = Console(width=100, record=True, file=StringIO())
    console.print(draw(view, 1.0, 100, 40))
    shown = console.export_text()
    assert "(1) refunds; (2) holidays" in shown
    assert "(2) same words" in shown
