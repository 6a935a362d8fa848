"""The commands over a fake engine: what is printed where, and which code comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import click
import pytest
from fake_runs import ANSWER, FakeRuns, Told

from leadline.bounds import choices
from leadline.cli.app import program
from leadline.cli.crash import crash_hook
from leadline.errors import BadInput
from leadline.observe.logs import configure
from leadline.settings import BY_TIER, Settings
from leadline.types import Stop

Call = Callable[..., Told]
QUESTION = "Who may approve a refund?"


@pytest.mark.contract("U2")
def test_a_first_argument_that_is_no_command_is_the_question(call: Call, handbook: Path) -> None:
    told = call(QUESTION, "--docs", str(handbook))
    assert told.code == 0
    assert told.out.startswith(f"# {QUESTION}\n\n{ANSWER}\n")
    assert call("--docs", str(handbook), QUESTION).out == told.out
    assert call("run", QUESTION, "--docs", str(handbook)).out == told.out


@pytest.mark.contract("U2", "L2")
def test_a_pipe_gets_the_report_and_notes_go_to_stderr(call: Call, handbook: Path) -> None:
    told = call(QUESTION, "--docs", str(handbook))
    assert "\x1b" not in told.out
    assert "reasoner: extractive" in told.err
    quiet = call(QUESTION, "--docs", str(handbook), "--quiet")
    assert quiet.err == ""
    assert quiet.out == told.out


@pytest.mark.contract("U2")
def test_json_is_one_object(call: Call, handbook: Path, fake: FakeRuns) -> None:
    told = call(QUESTION, "--docs", str(handbook), "--json")
    response = json.loads(told.out)
    assert response["final_answer"] == ANSWER
    assert response["run_id"] == fake.ids()[0]


@pytest.mark.contract("U2")
@pytest.mark.parametrize("name", ["report.md", "report.json", "REPORT.MD"])
def test_a_report_goes_to_a_file_by_its_suffix(call: Call, handbook: Path, name: str) -> None:
    file = handbook.parent / name
    told = call(QUESTION, "--docs", str(handbook), "-o", str(file))
    assert told.code == 0
    assert told.out == ""
    assert str(file) in told.err
    text = file.read_text("utf-8")
    assert json.loads(text)["task"] == QUESTION if name.endswith("json") else ANSWER in text
    assert [path.name for path in handbook.parent.glob(".*")] == []


def test_an_old_report_is_replaced_and_keeps_its_permissions(call: Call, handbook: Path) -> None:
    file = handbook.parent / "report.md"
    file.write_text("old")
    file.chmod(0o640)
    call(QUESTION, "--docs", str(handbook), "-o", str(file))
    assert ANSWER in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.contract("R4", "W5")
def test_not_found_is_exit_code_three(call: Call, handbook: Path, fake: FakeRuns) -> None:
    fake.found = False
    told = call(QUESTION, "--docs", str(handbook))
    assert told.code == 3
    assert "Not found in the sources." in told.out


def test_a_run_that_stopped_with_an_error_is_exit_code_one(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.stop = Stop.ERROR
    assert call(QUESTION, "--docs", str(handbook)).code == 1


def test_a_run_that_failed_says_how_to_try_again(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.failure = ZeroDivisionError("boom")
    told = call(QUESTION, "--docs", str(handbook))
    assert told.code == 1
    assert told.out == ""
    assert f"leadline runs resume {fake.ids()[0]}" in told.err
    assert "Traceback" not in told.err
    fake.failure = None
    again = call("runs", "resume", fake.ids()[0])
    assert again.code == 0
    assert "2 steps are taken from its record, not done again" in again.err
    assert "(plan, 1 search). It goes on with judging what is new." in again.err
    assert ANSWER in again.out
    assert fake.asked == 2
    assert len(fake.ids()) == 1


@pytest.mark.contract("S2", "U2")
def test_the_end_of_a_run_says_who_was_asked_and_quiet_says_nothing(
    call: Call, handbook: Path
) -> None:
    told = call(QUESTION, "--docs", str(handbook))
    assert "Searched with documents (1 search)." in told.err
    assert "Searched with" not in told.out
    assert "Searched with" not in call(QUESTION, "--docs", str(handbook), "-q").err


@pytest.mark.contract("R9")
def test_a_store_that_breaks_in_the_middle_names_the_run_and_how_to_go_on(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.broken = True
    told = call(QUESTION, "--docs", str(handbook))
    assert told.code == 1
    assert "database or disk is full" in told.err
    assert f"go on with it: leadline runs resume {fake.ids()[0]}" in told.err


@pytest.mark.contract("R9")
def test_resume_goes_on_with_the_same_question_and_else_starts_anew(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.failure = ZeroDivisionError("boom")
    call(QUESTION, "--docs", str(handbook))
    fake.failure = None
    assert call(QUESTION, "--docs", str(handbook), "--seed", "1", "--resume").code == 0
    assert len(fake.ids()) == 2
    assert call(QUESTION, "--docs", str(handbook), "--resume").code == 0
    assert len(fake.ids()) == 2


@pytest.mark.contract("R10")
def test_runs_are_listed_and_shown_by_a_part_of_their_id(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    call(QUESTION, "--docs", str(handbook))
    [run_id] = fake.ids()
    assert run_id in call("runs", "list").out
    assert [run["task"] for run in json.loads(call("runs", "list", "--json").out)] == [QUESTION]
    for part in (run_id, run_id[:8], run_id.rpartition("-")[2][:5]):
        shown = call("runs", "show", part)
        assert shown.code == 0
        assert "10.0  accepted (first): refund approve" in shown.out
        assert ANSWER in shown.out
    whole = json.loads(call("runs", "show", run_id, "--json").out)
    assert whole["response"]["final_answer"] == ANSWER
    assert whole["searches"][0]["verdict"] == "accepted"


def test_a_shown_run_can_be_written_to_files(call: Call, handbook: Path, fake: FakeRuns) -> None:
    report, trace = handbook.parent / "r.md", handbook.parent / "t.json"
    call(QUESTION, "--docs", str(handbook))
    told = call("runs", "show", fake.ids()[0], "-o", str(report), "--trace", str(trace))
    assert told.out == ""
    assert ANSWER in report.read_text()
    assert json.loads(trace.read_text())["traceEvents"]


@pytest.mark.contract("O1")
def test_a_run_leaves_a_trace_a_record_and_a_log(call: Call, handbook: Path) -> None:
    trace, data = handbook.parent / "trace.json", handbook.parent / "data"
    call(QUESTION, "--docs", str(handbook), "--trace", str(trace))
    names = [event["name"] for event in json.loads(trace.read_text())["traceEvents"]]
    assert "search: refund approve" in names
    [record] = [json.loads(line) for line in (data / "runs.jsonl").read_text().splitlines()]
    assert record["searches"][0]["query"] == "refund approve"
    assert record["settings"]["docs"] == [str(handbook)]
    events = [json.loads(line) for line in (data / "logs/leadline.log").read_text().splitlines()]
    assert [event["event"] for event in events] == [
        "run started",
        "start",
        "plan",
        "search",
        "gate",
        "run finished",
    ]


@pytest.mark.contract("R10")
def test_an_unknown_and_an_ambiguous_id_are_refused(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    assert call("runs", "show", "zzz").code == 2
    assert call("runs", "resume", "zzz").code == 2
    assert call("runs", "cancel", "").code == 2
    call(QUESTION, "--docs", str(handbook))
    call(QUESTION + " Really?", "--docs", str(handbook))
    told = call("runs", "show", fake.ids()[0][:2])
    assert told.code == 2
    assert all(run_id in told.err for run_id in fake.ids())


@pytest.mark.contract("R10")
def test_a_finished_run_cannot_be_cancelled_and_an_unfinished_one_can(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    call(QUESTION, "--docs", str(handbook))
    assert call("runs", "cancel", fake.ids()[0]).code == 2
    fake.failure = ZeroDivisionError("boom")
    call("Another question?", "--docs", str(handbook))
    told = call("runs", "cancel", fake.ids()[1])
    assert told.code == 0
    assert "runs resume" in told.err
    shown = call("runs", "show", fake.ids()[1])
    assert "No report: the run is cancelled." in shown.err
    assert shown.code == 0


@pytest.mark.contract("D1")
def test_index_says_what_it_holds_and_what_it_left_out(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.skip("movie.mp4", "format", "no reader for .mp4")
    fake.skip("odd\nname\x1b[2J", "unreadable", "cannot be read")
    told = call("index", str(handbook))
    assert told.code == 0
    changes = "3 files, 5 chunks (3 added, 0 changed, 0 unchanged, 0 deleted, 2 left out: "
    assert f"{changes}1 of a format that is not read, 1 that cannot be read)" in told.out
    assert "left out movie.mp4: no reader for .mp4" in told.out
    assert r"'odd\nname\x1b[2J'" in told.out
    assert json.loads(call("index", str(handbook), "--json").out)["skipped"][0]["what"]
    assert call("index", str(handbook), "--quiet").out == ""
    asked = call(QUESTION, "--docs", str(handbook))
    assert "1 of 4 files cannot be read" in asked.err  # nobody expects a film to be read


@pytest.mark.contract("U2")
def test_help_teaches_by_example_and_tells_the_exit_codes(call: Call) -> None:
    for told in (call("--help"), Told(*_bare())):
        assert told.code == 0
        assert 'leadline "Who may approve a refund?" --docs handbook/' in told.out
        assert "130  interrupted" in told.out
        assert "--max-queries" in told.out
        assert "doctor" in told.out


def _bare() -> tuple[int, str, str]:
    from click.testing import CliRunner

    result = CliRunner().invoke(program, [])
    return result.exit_code, result.output, ""


def test_the_version_is_that_of_the_package(call: Call) -> None:
    from importlib.metadata import version

    assert call("--version").out == f"leadline {version('leadline')}\n"


@pytest.mark.contract("U2")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_each_shell(shell: str) -> None:
    from click.testing import CliRunner

    result = CliRunner().invoke(program, ["completion", shell])
    assert result.exit_code == 0
    assert "_LEADLINE_COMPLETE" in result.output


def test_options_of_the_question_are_completed() -> None:
    from click.shell_completion import ShellComplete

    found = ShellComplete(program, {}, "leadline", "_LEADLINE_COMPLETE").get_completions([], "--m")
    assert {item.value for item in found} >= {"--max-iters", "--max-queries"}
    names = ShellComplete(program, {}, "leadline", "_LEADLINE_COMPLETE").get_completions([], "d")
    assert [item.value for item in names] == ["doctor"]


@pytest.mark.parametrize("name", ["tier", "policy", "gate"])
def test_the_choices_in_the_help_are_those_of_the_settings(name: str) -> None:
    [option] = [each for each in program.commands["run"].params if each.name == name]
    assert option.metavar == "|".join(choices(Settings.declared[name]))


@pytest.mark.parametrize(
    "name", ["max_iters", "max_queries", "max_sources", "max_execution_time_s"]
)
def test_the_help_tells_what_a_tier_allows(name: str) -> None:
    [option] = [each for each in program.commands["run"].params if each.name == name]
    told = ", ".join(f"{tier.value} {number}" for tier, number in BY_TIER[name].items())
    assert isinstance(option, click.Option)
    assert (option.help or "").endswith(f"; {told}.")


def test_a_report_that_does_not_fit_on_the_disk_is_kept(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    told = call(QUESTION, "--docs", str(handbook), "-o", "/dev/full")
    assert told.code == 1
    assert "No space left" in told.err
    assert f"leadline runs show {fake.ids()[0]} -o FILE" in told.err


@pytest.mark.contract("X3", "O1")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_trace_that_cannot_be_written_costs_no_report(call: Call, handbook: Path) -> None:
    told = call(QUESTION, "--docs", str(handbook), "--trace", "/dev/full")
    assert ANSWER in told.out
    assert told.code == 1
    assert "cannot write the trace: No space left on device" in told.err
    assert "--trace FILE" in told.err


def test_an_unexpected_error_is_one_line_and_a_traceback_in_the_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = configure(tmp_path, "info")
    error, trace = _broken()
    crash_hook(show=False)(type(error), error, trace)
    told = capfd.readouterr().err
    assert told == f"leadline: unexpected error: KeyError: 'lost'; the traceback is in {log}\n"
    assert "in _broken" in json.loads(log.read_text())["exception"]
    crash_hook(show=True)(type(error), error, trace)
    assert "Traceback" in capfd.readouterr().err


def _broken() -> tuple[KeyError, TracebackType | None]:
    try:
        raise KeyError("lost")
    except KeyError as error:
        return error, error.__traceback__


@pytest.mark.contract("U2")
def test_bad_input_that_only_the_run_notices_exits_as_bad_input(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.failure = BadInput("the provider brave needs a key")
    told = call(QUESTION, "--docs", str(handbook))
    assert told.code == 2
    assert "needs a key" in told.err


def test_an_expected_error_is_told_without_terminal_codes(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    fake.failure = BadInput("odd \x1b[2J name")
    assert "\x1b" not in call(QUESTION, "--docs", str(handbook)).err


@pytest.mark.contract("R11")
def test_an_estimate_is_told_before_a_run_and_its_error_after_one(
    call: Call, handbook: Path, fake: FakeRuns
) -> None:
    first = call(QUESTION, "--docs", str(handbook), "--estimate")
    assert first.code == 0
    assert "From the limits of the run" in first.out
    assert not fake.ids()
    call(QUESTION, "--docs", str(handbook), "-q")
    told = call(QUESTION, "--docs", str(handbook), "--estimate", "--json")
    foreseen = json.loads(told.out)
    assert (foreseen["basis"], foreseen["runs"]) == ("past runs", 1)
    assert foreseen["searches"]["middle"] == 1
    assert {one["what"] for one in foreseen["off"]} >= {"searches"}
    assert "Past estimates were off by" in call(QUESTION, "--docs", str(handbook), "--estimate").out


@pytest.mark.contract("R11")
def test_no_estimate_for_documents_that_are_not_there(call: Call) -> None:
    told = call(QUESTION, "--docs", "nowhere", "--estimate")
    assert told.code == 2
    assert "nowhere" in told.err
