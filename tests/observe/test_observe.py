"""The log, `runs.jsonl` and the trace: all of it from the rows of the journal."""

from __future__ import annotations

import json
import logging
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import BadInput
from leadline.observe.folder import open_data_dir
from leadline.observe.logs import PhaseLog, configure
from leadline.observe.record import FILE_NAME, append_record, run_record
from leadline.observe.trace import trace
from leadline.ports import Row
from leadline.types import AgentResponse, Stop, Usage
from leadline.values import replace

START = datetime(2026, 1, 1, tzinfo=UTC)


def row(seq: int, name: str, value: Any, start: float, end: float, error: str = "") -> Row:
    def at(seconds: float) -> datetime:
        return START + timedelta(seconds=seconds)

    return Row(seq, name, at(start), at(end), end, value, error)


def batch(query: str, hits: int) -> dict[str, Any]:
    return {
        "query": {"text": query, "intent": "know", "origin": "plan"},
        "hits": [{"url": f"u{n}", "ref": f"u{n}#0"} for n in range(hits)],
        "provider": "documents",
        "cached": False,
        "error": "",
    }


VERDICT = {"threshold": 3.0, "hits": 2, "repeated": 0.5}
ROWS = [
    row(1, "plan", {"search_queries": [{"text": "a"}]}, 0, 1),
    row(2, "search", batch("b", 1), 1, 1.5),
    row(3, "search", batch("a", 2), 1, 2),
    row(
        4,
        "gate",
        [
            {"query": "a", "score": 9.0, "accepted": True, "reason": "first", **VERDICT},
            {"query": "b", "score": 1.0, "accepted": False, "reason": "discarded", **VERDICT},
        ],
        2,
        2.25,
    ),
    row(5, "read", None, 3, 4, "SourceLost: gone"),
]
RESPONSE = AgentResponse(
    run_id="r1",
    task="t",
    summary="s",
    final_answer="s",
    sources=(),
    claims=(),
    confidence=0.5,
    gaps=(),
    stop_reason=Stop.SATURATED,
    degraded=False,
    usage=Usage(searches=2),
)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def log_file(tmp_path: Path) -> Path:
    return configure(tmp_path, "info")


@pytest.mark.contract("O1")
def test_the_log_has_a_line_a_phase_with_iteration_budget_and_results(log_file: Path) -> None:
    log = PhaseLog("r1", token_budget=500)
    for each in ROWS:
        log.row(each)
    told = lines(log_file)
    assert [(line["event"], line["iteration"], line["results"]) for line in told] == [
        ("plan", 0, 1),
        ("search", 0, 1),
        ("search", 0, 2),
        ("gate", 1, 2),
        ("read", 1, 0),
    ]
    assert {line["token_budget"] for line in told} == {500}
    assert {line["run_id"] for line in told} == {"r1"}
    assert told[-1]["level"] == "warning"
    assert told[-1]["error"] == "SourceLost: gone"


@pytest.mark.contract("O1")
def test_logs_stay_off_the_terminal(log_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    PhaseLog("r1").started("question", "extractive")
    logging.getLogger("leadline.store").error("from below")
    assert capfd.readouterr() == ("", "")
    assert [line["event"] for line in lines(log_file)] == ["run started", "from below"]


def test_verbose_shows_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    configure(tmp_path, "info", verbose=True)
    PhaseLog("r1").started("question", "extractive")
    assert '"event": "run started"' in capfd.readouterr().err
    configure(tmp_path, "info")


def test_the_level_is_kept(tmp_path: Path) -> None:
    path = configure(tmp_path, "warning")
    PhaseLog("r1").started("question", "extractive")
    assert path.read_text() == ""


def test_a_log_that_grew_too_long_is_put_aside(tmp_path: Path) -> None:
    path = configure(tmp_path, "info")
    with path.open("wb") as file:
        file.truncate(30_000_000)
    configure(tmp_path, "info")
    assert path.stat().st_size == 0
    assert path.with_suffix(".log.1").stat().st_size == 30_000_000


@pytest.mark.contract("O1", "G8")
def test_the_record_holds_every_query_score_verdict_and_call() -> None:
    record = run_record(RESPONSE, ROWS, {"seed": 0})
    assert [(s["query"], s["score"], s["verdict"], s["reason"]) for s in record["searches"]] == [
        ("a", 9.0, "accepted", "first"),
        ("b", 1.0, "discarded", "discarded"),
    ]
    assert record["searches"][0]["hits"] == ["u0#0", "u1#0"]
    assert [call["step"] for call in record["calls"]] == [each.name for each in ROWS]
    assert record["calls"][-1]["error"] == "SourceLost: gone"
    assert record["active_seconds"] == 4
    assert record["stop_reason"] == "saturated"
    json.dumps(record)


def test_the_same_query_asked_twice_gets_both_verdicts() -> None:
    twice = [ROWS[2], ROWS[3], row(6, "search", batch("a", 1), 5, 6)]
    told = run_record(RESPONSE, twice, {})["searches"]
    assert [search["verdict"] for search in told] == ["accepted", "unjudged"]


@pytest.mark.contract("O1")
def test_a_run_is_recorded_once_however_often_it_is_told(tmp_path: Path) -> None:
    record = run_record(RESPONSE, ROWS, {})
    assert append_record(tmp_path, record)
    assert append_record(tmp_path, {**record, "run_id": "r10"})
    assert not append_record(tmp_path, record)
    assert [line["run_id"] for line in lines(tmp_path / "runs.jsonl")] == ["r1", "r10"]


def test_a_torn_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_text('{"run_id": "torn", "ta')
    append_record(tmp_path, {"run_id": "whole"})
    assert (tmp_path / "runs.jsonl").read_text().splitlines()[1] == '{"run_id": "whole"}'


def test_many_writers_leave_whole_lines(tmp_path: Path) -> None:
    def write(name: str) -> None:
        for n in range(10):
            append_record(tmp_path, {"run_id": f"{name}-{n}", "text": "x" * 10_000})

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({line["run_id"] for line in lines(tmp_path / "runs.jsonl")}) == 40


def test_an_id_is_found_across_the_seams_of_a_large_file(tmp_path: Path) -> None:
    for size in (1_048_560, 1_048_570, 1_048_576, 1_048_590):
        path = tmp_path / "runs.jsonl"
        path.write_bytes(b"x" * (size - 1) + b'\n{"run_id": "seam"}\n')
        assert not append_record(tmp_path, {"run_id": "seam"})


@pytest.mark.contract("O1")
def test_searches_at_the_same_time_lie_on_separate_tracks() -> None:
    events = json.loads(trace("t", ROWS))["traceEvents"]
    whole = [event for event in events if event["ph"] == "X"]
    assert [(e["name"], e["ts"], e["dur"]) for e in whole[:3]] == [
        ("plan", 0, 1_000_000),
        ("search: b", 1_000_000, 500_000),
        ("search: a", 1_000_000, 1_000_000),
    ]
    assert whole[1]["tid"] != whole[2]["tid"]
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert names == {"steps 1", "search 1", "search 2", "read 1"}


spans = st.lists(
    st.tuples(
        st.sampled_from(["plan", "search", "read"]),
        st.integers(0, 100),
        st.integers(0, 50),
    ),
    max_size=25,
)


@pytest.mark.contract("O1")
@given(spans)
def test_events_of_one_track_never_overlap(spans: list[tuple[str, int, int]]) -> None:
    rows = [
        row(n, name, None, start, start + length) for n, (name, start, length) in enumerate(spans)
    ]
    events = json.loads(trace("t", rows))["traceEvents"]
    whole = [event for event in events if event["ph"] == "X"]
    assert len(whole) == len(rows)
    for tid in {event["tid"] for event in whole}:
        track = sorted((e["ts"], e["ts"] + e["dur"]) for e in whole if e["tid"] == tid)
        assert all(one[1] <= two[0] for one, two in pairwise(track))


def test_a_data_folder_is_made_and_a_wrong_one_refused(tmp_path: Path) -> None:
    assert open_data_dir(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        open_data_dir(tmp_path / "file")
    with pytest.raises(BadInput, match="cannot make the data folder"):
        open_data_dir(tmp_path / "file" / "under")


@pytest.mark.contract("O1")
def test_a_run_has_one_line_also_where_others_wrote_or_the_file_was_made_anew(
    tmp_path: Path,
) -> None:
    first, other = {"run_id": "a-1", "x": "é" * 300}, {"run_id": "b-2"}
    assert append_record(tmp_path, first)
    with (tmp_path / FILE_NAME).open("a") as file:  # as another process would
        file.write('{"run_id": "c-3"}\n{"run_id": "d-4", "torn')
    assert not append_record(tmp_path, first)
    assert not append_record(tmp_path, {"run_id": "c-3"})
    assert append_record(tmp_path, other)
    assert not append_record(tmp_path, other)
    (tmp_path / FILE_NAME).write_text('{"run_id": "e-5"}\n' * 100)  # the same file, begun anew
    assert append_record(tmp_path, first)
    assert not append_record(tmp_path, {"run_id": "e-5"})


LOST_URL = "https://gone.example/a"
LOST_ROWS = [
    row(1, "search", batch("b", 0) | {"error": "ddgs: HTTP 503; given up after 3 attempts"}, 0, 1),
    replace(row(2, "read", None, 1, 2, "gone.example answered 403"), what=LOST_URL),
]


@pytest.mark.contract("O1", "S6", "E1")
def test_a_page_and_a_search_that_were_lost_are_named_in_trace_record_and_log(
    log_file: Path,
) -> None:
    events = {
        event["name"]: event["args"]
        for event in json.loads(trace("t", LOST_ROWS))["traceEvents"]
        if event["ph"] == "X"
    }
    read, search = events[f"read: {LOST_URL}"], events["search: b"]
    assert (read["what"], read["error"]) == (LOST_URL, "gone.example answered 403")
    assert (search["provider"], search["error"]) == (
        "documents",
        "ddgs: HTTP 503; given up after 3 attempts",
    )
    (page,) = run_record(RESPONSE, LOST_ROWS, {})["pages"]
    assert (page["url"], page["error"]) == (LOST_URL, "gone.example answered 403")
    log = PhaseLog("r")
    for lost in LOST_ROWS:
        log.row(lost)
    told = lines(log_file)
    assert [line["level"] for line in told] == ["warning", "warning"]
    assert (told[0]["query"], told[0]["error"][:14]) == ("b", "ddgs: HTTP 503")
    assert (told[1]["what"], told[1]["error"]) == (LOST_URL, "gone.example answered 403")
