"""Bad input: a clear message, the right exit code, no traceback, and nothing spent."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import FakeRuns, Told

Call = Callable[..., Told]
QUESTION = "Who may approve a refund?"


def refused(told: Told, *said: str) -> None:
    assert told.code == 2, told
    assert told.out == ""
    assert "Traceback" not in told.err
    for words in said:
        assert words in told.err, told.err


@pytest.mark.parametrize("task", ["", "   ", "\n\t", "…?"])
def test_an_empty_question(call: Call, handbook: Path, task: str) -> None:
    refused(call(task, "--docs", str(handbook)), "question is empty")


def test_a_question_of_a_hundred_thousand_characters(call: Call, handbook: Path) -> None:
    refused(call("why " * 25_000, "--docs", str(handbook)), "99,999 characters", "20,000")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--max-queries", "-1"], "max_queries must be a whole number, at least 1"),
        (["--max-queries=-1"], "got '-1' with --max-queries"),
        (["--max-time", "soon"], "got 'soon' with --max-time"),
        (["--tier", "huge"], "one of simple, standard, deep"),
        (["--policy", "luck"], "one of fixed, saturation, reflective"),
        (["--gate", "closed"], "one of none, heuristic, semantic"),
        (["--seed", "x"], "seed must be a whole number"),
        (["--max-query", "3"], "--max-queries"),
        (["--nonsense"], "--nonsense"),
        (["another", "word"], "extra argument"),
        (["--project", "../x"], "memory_project must be text like ^[a-z0-9]"),
        (["--project", "../x"], "got '../x' with --project"),
        (["--provider", "wikipedia"], "add --web"),
        (["--model", "ollama:"], "has no name"),
    ],
)
def test_a_wrong_flag(
    call: Call, handbook: Path, fake: FakeRuns, flags: list[str], said: str
) -> None:
    refused(call(QUESTION, "--docs", str(handbook), *flags), said)
    assert not fake.ids()


def test_a_command_with_a_slip_of_the_finger(call: Call) -> None:
    refused(call("dcotor"), "leadline doctor")


@pytest.mark.contract("U2")
@pytest.mark.parametrize("command", [[], ["search"]])
def test_a_question_that_the_shell_took_apart(call: Call, command: list[str]) -> None:
    told = call(*command, "how", "deep", "is", "it")
    refused(told, "Put the question in quotes: leadline " + "".join(f"{one} " for one in command))


def test_a_folder_that_is_not_there(call: Call) -> None:
    refused(call(QUESTION, "--docs", "nowhere"), "nowhere")


@pytest.mark.parametrize("flag", ["-o", "--trace"])
def test_an_output_that_cannot_be_written_is_refused_before_the_run(
    call: Call, handbook: Path, fake: FakeRuns, flag: str
) -> None:
    ask = (QUESTION, "--docs", str(handbook), flag)
    refused(call(*ask, str(handbook / "no" / "report.md")), "does not exist")
    folder = handbook / "folder.md"
    folder.mkdir()
    refused(call(*ask, str(folder)), "that is a folder")
    refused(call(*ask, "/proc/report.md"), "cannot be written")
    assert not fake.ids()


def test_an_output_of_an_unknown_format(call: Call, handbook: Path) -> None:
    refused(
        call(QUESTION, "--docs", str(handbook), "-o", "report.xyz"),
        ".md, .html, .pdf, .docx, .json, .bib, .ris, .csl.json",
    )


def test_a_data_folder_that_is_a_file_or_cannot_be_made(call: Call, handbook: Path) -> None:
    ask = (QUESTION, "--docs", str(handbook), "--data-dir")
    refused(call(*ask, str(handbook / "refunds.md")), "is a file", "RESEARCH_DATA_DIR")
    refused(call(*ask, "/proc/leadline"), "cannot make the data folder", "--data-dir")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_iters = ", "not valid TOML"),
        ('max_iters = "many"', "max_iters must be a whole number"),
        ("max_itters = 3", "did you mean max_iters"),
    ],
)
def test_a_wrong_settings_file(call: Call, handbook: Path, text: str, said: str) -> None:
    config = handbook.parent / "my.toml"
    config.write_text(text)
    refused(call(QUESTION, "--docs", str(handbook), "--config", str(config)), said, str(config))


def test_a_settings_file_that_is_not_there(call: Call, handbook: Path) -> None:
    ask = (QUESTION, "--docs", str(handbook), "--config")
    refused(call(*ask, "none.toml"), "cannot read the settings file")


def test_an_unknown_bench_and_missing_data(call: Call, tmp_path: Path) -> None:
    refused(call("bench", "speed", "--data", str(tmp_path)), "there are index, retrieval")
    refused(call("bench", "index", "--data", "nowhere"), "nowhere does not exist")
    refused(call("bench", "index", "--data", str(tmp_path), "--limit", "-1"), "--limit")
    refused(call("bench", "retrieval", "--data", str(tmp_path), "--qrels", "none"), "is not a file")


# ── in a process of its own ─────────────────────────────────────────────────────────────────


def test_an_unknown_variable(program: Call) -> None:
    refused(program(QUESTION, RESEARCH_MAX_ITER="3"), "did you mean RESEARCH_MAX_ITERS")


def test_a_wrong_variable(program: Call) -> None:
    refused(program(QUESTION, RESEARCH_MAX_ITERS="x"), "in the variable RESEARCH_MAX_ITERS")


def test_the_settings_file_of_the_current_folder_is_read(program: Call, tmp_path: Path) -> None:
    (tmp_path / "leadline.toml").write_text("max_iters = 0\n")
    refused(program(QUESTION), "in leadline.toml", "max_iters must be")


def test_an_argument_that_is_not_utf8(program: Call, handbook: Path) -> None:
    refused(program(b"caf\xe9 prices?", "--docs", str(handbook)), "not valid UTF-8")


def test_a_question_on_stdin_that_cannot_be_asked(program: Call, handbook: Path) -> None:
    refused(program("-", "--docs", str(handbook), stdin=b"caf\xe9"), "not valid UTF-8")
    refused(program("-", "--docs", str(handbook), stdin=b" \n"), "question is empty")


@pytest.mark.contract("U2")
def test_of_a_question_on_stdin_that_is_too_long_only_what_is_known_is_told(
    program: Call, handbook: Path
) -> None:
    endless = program("-", "--docs", str(handbook), stdin=b"why " * 250_000)
    refused(endless, "more than 20,000 characters")
    assert "80,001" not in endless.err
    refused(program("-", "--docs", str(handbook), stdin=b"why " * 6_000), "23,999 characters")


def test_documents_that_cannot_be_searched(program: Call, tmp_path: Path) -> None:
    refused(program(QUESTION, "--docs", "nowhere"), "nowhere")
    (tmp_path / "empty").mkdir()
    refused(program(QUESTION, "--docs", "empty"), "nothing to search in", "there is no file")
    (tmp_path / "empty" / "a.bin").write_bytes(bytes(range(256)))
    refused(program(QUESTION, "--docs", "empty"), "was left out (1)")
    os.mkfifo(tmp_path / "pipe")
    refused(program(QUESTION, "--docs", "pipe"), "pipe")


@pytest.mark.contract("D5", "U2")
def test_agent_mode_without_a_model(program: Call, handbook: Path) -> None:
    told = program(QUESTION, "--docs", str(handbook), "--agent")
    refused(told, "agent mode needs a language model", "--model")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["keys", "create", "--owner", "bob", "--runs-per-day", "9" * 24], "is not in the range"),
        (["cache", "prune", "--older-than", "-5"], "is not in the range"),
        (["cache", "prune", "--older-than", "1h"], "'1h' is not a valid number of seconds"),
        (["search", "tides", "--provider", "nope"], "leadline: no search provider is called"),
        (["search", "tides", "--provider", ""], "must be names of search providers"),
        (["memory", "search", ""], "question is empty"),
        (["search", "refund", "--docs", "x", "--provider", "ddgs"], "add --web"),
        (["experiment", "x.toml", "--data-dir", "x"], "No such option"),
        (["serve", "--port", "soon"], "got 'soon' with --port"),
        (["init", "nowhere", "--provider", "nope"], "no search provider is called 'nope'"),
        (["init", "nowhere", "--model", "foo"], "names no provider"),
    ],
)
def test_a_wrong_value_of_another_command(call: Call, args: list[str], said: str) -> None:
    refused(call(*args), said)
