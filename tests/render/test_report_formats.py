"""Reports: the same bytes for the same response, safe to print, and plain about what was done."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.render.json import as_json
from leadline.render.markdown import markdown, source_line
from leadline.render.safe import code, escaped, one_line, plain
from leadline.types import (
    AgentResponse,
    Citation,
    Claim,
    GateVerdict,
    Loss,
    Quote,
    Stop,
    Usage,
    Verdict,
)
from leadline.values import field_names, replace

ANSWER = "## Refunds\n\nThe head of finance approves refunds. [1]"
RESPONSE = AgentResponse(
    run_id="261116-065948-58a0bd",
    task="Who may approve a refund?",
    summary=ANSWER,
    final_answer=ANSWER,
    sources=(
        Citation(1, "Handbook", "document", "handbook/refunds.md"),
        Citation(2, "Law", "web", "https://law.example/refund?x=1"),
    ),
    claims=(
        Claim(
            "The head of finance approves refunds.",
            (1,),
            Verdict.QUOTED,
            1.0,
            Quote(1, "The head of finance approves refunds.", "p", 0, 37),
        ),
    ),
    confidence=0.8,
    gaps=("within how many days",),
    stop_reason=Stop.SUFFICIENT,
    degraded=False,
    usage=Usage(searches=2, pages=1),
    verdicts=(
        GateVerdict("refund approve", 10, 3, True, "first", hits=5),
        GateVerdict("refund days", 4.2, 3, True, "first", hits=3, repeated=0.58),
    ),
)


@pytest.mark.contract("R8")
def test_the_report_does_not_depend_on_the_run() -> None:
    again = replace(RESPONSE, run_id="another")
    assert markdown(again) == markdown(RESPONSE)
    assert RESPONSE.run_id not in markdown(RESPONSE)


def test_the_answer_comes_first_then_the_sources() -> None:
    text = markdown(RESPONSE)
    assert text.startswith("# Who may approve a refund?\n\n## Refunds\n\nThe head of finance")
    assert text.index("[1]") < text.index("## Sources")
    assert "- [1] **Handbook** — `handbook/refunds.md`\n" in text
    assert "- [2] **Law** — <https://law.example/refund?x=1>\n" in text


@pytest.mark.contract("G9")
def test_progress_is_told_in_plain_counts_and_never_as_coverage() -> None:
    text = markdown(RESPONSE)
    assert "2 searches, 8 results, 1 source read, 2 cited; 58 % of the last batch" in text
    assert "58 % of the last batch had been seen before (repetition)." in text
    assert "No accepted passage supports yet: within how many days." in text
    assert "coverage" not in text.lower()


@pytest.mark.contract("R4")
@pytest.mark.parametrize("stop", [stop for stop in Stop if stop not in ("sufficient", "saturated")])
def test_a_run_that_ended_early_says_what_limited_it(stop: Stop) -> None:
    assert "## What limited this answer" in markdown(replace(RESPONSE, stop_reason=stop))
    assert "## What limited this answer" not in markdown(RESPONSE)


@pytest.mark.contract("W8")
def test_a_loss_that_was_met_twice_is_told_once() -> None:
    lost = Loss("search", "tide tables", "the server answered 503")
    text = markdown(replace(RESPONSE, error_log=(lost, lost)))
    assert text.count("the server answered 503") == 1


@pytest.mark.contract("S6")
def test_a_degraded_run_says_that_it_rests_on_partial_information() -> None:
    lost = (Loss("search", "refund", "timed out"),)
    text = markdown(replace(RESPONSE, degraded=True, error_log=lost))
    assert "partial information" in text
    assert "search: `refund`: timed out" in text


@pytest.mark.contract("W4")
def test_what_was_dropped_is_listed_with_the_reason() -> None:
    dropped = (
        Claim("Cats approve refunds.", (), Verdict.NOT_FOUND),
        Claim("Dogs do.", (2,), Verdict.CONTRADICTED),
    )
    text = markdown(replace(RESPONSE, dropped=dropped))
    assert "- “Cats approve refunds.” — no passage says it\n" in text
    assert "- “Dogs do.” — contradicted in [2]\n" in text


def test_a_long_question_is_a_short_title() -> None:
    title = markdown(replace(RESPONSE, task="why " * 500)).splitlines()[0]
    assert len(title) < 220
    assert title.endswith("…")


def test_a_writer_that_gives_its_own_title_keeps_it() -> None:
    text = markdown(replace(RESPONSE, final_answer="# Mine\n\nText. [1]"))
    assert text.startswith("# Mine\n")


def test_chinese_and_arabic_survive_and_keep_the_order_of_the_line() -> None:
    cjk = source_line(Citation(1, "返金の手引き", "document", "手引き.md"))
    assert cjk == "[1] **返金の手引き** — `手引き.md`"
    arabic = source_line(Citation(2, "دليل", "document", "a.md"))
    assert arabic == "[2] **\u2068دليل\u2069** — `a.md`"


def test_terminal_codes_in_a_source_never_reach_the_screen() -> None:
    evil = Citation(1, "\x1b[2J\x1b]0;owned\x07Title", "document", "a\x1b[31m\n.md")
    text = markdown(replace(RESPONSE, sources=(evil,), final_answer="ok\x1b[2J \x9b31m [1]"))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\x9b" not in text


@given(st.text())
def test_any_title_stays_on_its_line(title: str) -> None:
    line = source_line(Citation(1, title, "document", "a.md"))
    assert len(line.splitlines()) == 1
    assert line.endswith("** — `a.md`")


@given(st.text())
def test_any_location_is_one_code_span(location: str) -> None:
    span = code(location)
    fence = len(span) - len(span.lstrip("`"))
    assert fence >= 1
    assert span.endswith("`" * fence)
    assert "`" * fence not in span[fence:-fence].strip() or not location
    assert len(span.splitlines()) == 1


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_becomes_printable(text: str) -> None:
    plain(text).encode("utf-8")
    escaped(text).encode("utf-8")
    assert "\n" not in one_line(text)


@given(st.text(), st.integers(2, 50))
def test_a_shortened_line_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(one_line(text, limit)) <= limit


@pytest.mark.contract("H2")
def test_json_holds_every_field_and_any_script() -> None:
    text = as_json(replace(RESPONSE, task="誰が？"))
    read = json.loads(text)
    assert "誰が？" in text
    assert read["stop_reason"] == "sufficient"
    assert read["claims"][0]["quote"]["text"] == "The head of finance approves refunds."
    assert list(read) == list(field_names(AgentResponse))


def test_json_survives_file_names_that_are_no_text() -> None:
    odd = Citation(1, "caf\udce9", "document", "caf\udce9.md")
    text = as_json(replace(RESPONSE, sources=(odd,)))
    text.encode("utf-8")
    assert json.loads(text)["sources"][0]["title"] == "caf\udce9"
