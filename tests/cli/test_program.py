"""The real program in a process of its own: pipes, terminals, interruptions, start-up."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fake_runs import Told, clean_environment

Call = Callable[..., Told]
QUESTION = "Who approves a refund above 500 euros?"
HEAVY = ("rich", "pydantic", "numpy", "tantivy", "structlog", "asyncio", "leadline.types")


@pytest.mark.contract("U2", "R1", "R8")
def test_a_question_is_answered_from_a_folder_and_the_same_way_again(
    program: Call, handbook: Path
) -> None:
    options = ("--docs", str(handbook), "--no-memory")  # with it, the second would search less
    told = program(QUESTION, *options)
    assert told.code == 0
    assert "The head of finance approves every refund above 500 euros." in told.out
    assert "`refunds.md`" in told.out
    assert "\x1b" not in told.out + told.err
    again = program("-", *options, "-q", stdin=f"{QUESTION}\n".encode())
    assert (again.code, again.out, again.err) == (0, told.out, "")
    listed = program("runs", "list", "--json")
    assert [run["status"] for run in json.loads(listed.out)] == ["finished", "finished"]


@pytest.mark.contract("W5", "R4")
def test_what_the_documents_do_not_say_is_exit_code_three(program: Call, handbook: Path) -> None:
    told = program("Which submarine discovered penguins in Greenland?", "--docs", str(handbook))
    assert told.code == 3
    assert "ot found" in told.out


@pytest.mark.contract("R9", "R10", "U2")
def test_ctrl_c_leaves_a_run_that_goes_on_where_it_was(
    program: Call, handbook: Path, tmp_path: Path
) -> None:
    whole = program(QUESTION, "--docs", str(handbook), "-q", "--data-dir", "other")
    started = subprocess.Popen(
        [sys.executable, "-m", "leadline", QUESTION, "--docs", str(handbook)],
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert started.stderr is not None
    first = started.stderr.readline().decode()
    run_id = re.findall(r"^Run (\S+),", first)[0]
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=120)
    assert started.returncode == 130
    assert out == b""
    assert f"Interrupted. Go on with it: leadline runs resume {run_id}" in err.decode()
    assert f"leadline runs finish {run_id}" in err.decode()
    resumed = program("runs", "resume", run_id, "-q")
    assert (resumed.code, resumed.out) == (0, whole.out)


@pytest.mark.contract("U2")
def test_a_reader_that_goes_away_is_no_error(handbook: Path, tmp_path: Path) -> None:
    ask = f"{sys.executable} -m leadline '{QUESTION}' --docs '{handbook}' -q"
    shell = f"set -o pipefail; {ask} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.contract("U2", "R10")
def test_a_terminal_is_told_which_run_it_was_when_the_view_has_ended(
    handbook: Path, tmp_path: Path
) -> None:
    noted = tmp_path / "noted.txt"
    in_terminal(tmp_path, QUESTION, "--docs", str(handbook), notes=noted)
    told = noted.read_text()
    assert "Searched with documents (" in told
    assert re.search(r"^Run (\d{6}-\d{6}-\w+): leadline runs show \1$", told, re.MULTILINE)


@pytest.mark.contract("U2", "G8", "G9")
def test_a_terminal_gets_the_live_view_and_then_the_report(handbook: Path, tmp_path: Path) -> None:
    seen = in_terminal(tmp_path, QUESTION, "--docs", str(handbook))
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert "Searches" in text
    assert "███" in text
    assert re.search(r"done  run \d{6}-\d{6}-\w+  extractive", text)
    assert text.index("Searches") < text.index("approves every refund above 500 euros.")
    assert "\x1b[?25h" in seen  # the cursor is given back


def test_a_poor_terminal_gets_plain_text_and_no_error(handbook: Path, tmp_path: Path) -> None:
    (handbook / "more.md").write_text("# 返金\n\nRefunds above 500 euros (返金) wait a day.\n")
    poor = {"TERM": "dumb", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    seen = in_terminal(tmp_path, QUESTION, "--docs", str(handbook), env=poor)
    assert "\x1b" not in seen
    assert "## Sources" in seen
    assert r"\u8fd4\u91d1" in seen


def in_terminal(
    folder: Path, *args: str, env: Mapping[str, str] | None = None, notes: Path | None = None
) -> str:
    """All that a terminal of 100 columns would have shown, but for what goes to stderr."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": "100", "LINES": "40", "PYTHONIOENCODING": "utf-8"}
    with (notes or Path(os.devnull)).open("w") as errors:
        started = subprocess.Popen(
            [sys.executable, "-m", "leadline", *args],
            cwd=folder,
            env={**clean_environment(folder), **size, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=errors,
        )
    os.close(theirs)
    seen = b""
    while piece := _read(ours):
        seen += piece
    os.close(ours)
    assert started.wait(timeout=120) == 0
    return seen.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how a terminal says that nobody writes to it any more
        return b""


@pytest.mark.contract("U2")
def test_the_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from leadline.cli.app import outcome; outcome(['--help']);"
        f"sys.exit(' '.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


DDGS = """
class DDGS:
    def __init__(self, timeout): pass
    def text(self, query, **more): {body}
"""


@pytest.mark.contract("S1", "S6", "R4")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('no page of results')", "(ValueError: no page of results)"),
        ("return None", "(TypeError: 'NoneType' object is not iterable)"),
    ],
)
def test_a_fault_in_the_library_behind_a_provider_loses_searches_and_ends_no_run(
    program: Call, tmp_path: Path, body: str, said: str
) -> None:
    (tmp_path / "ddgs").mkdir()
    (tmp_path / "ddgs/__init__.py").write_text(DDGS.format(body=body))
    (tmp_path / "ddgs/exceptions.py").write_text("class DDGSException(Exception): pass\n")
    told = program(QUESTION, "--provider", "ddgs", PYTHONPATH=str(tmp_path))
    assert told.code == 1
    assert "every search failed" in told.out
    assert f"ddgs: its own code failed {said}" in told.out
    assert "unexpected" not in told.err
