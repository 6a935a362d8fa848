"""`verify`, `replay`, `runs export` and `runs fork` as a user meets them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import FakeRuns, Told

from leadline.cli.app import outcome
from leadline.cli.runs import fork
from leadline.settings import Settings

Call = Callable[..., Told]
QUESTION = "Who approves a refund above 500 euros?"


@pytest.fixture
def real(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Call:
    """The real program over a data folder of its own, in this process."""

    def run(*args: str) -> Told:
        kept = [] if args[0] in ("verify", "replay") else ["--data-dir", str(tmp_path / "data")]
        capfd.readouterr()
        code = outcome([*args, *kept])
        return Told(code, *capfd.readouterr())

    return run


@pytest.mark.contract("W7", "R10", "U2")
def test_a_question_is_exported_verified_replayed_and_forked(
    real: Call, handbook: Path, tmp_path: Path
) -> None:
    asked = real(QUESTION, "--docs", str(handbook), "-q")
    assert asked.code == 0, asked.err
    run_id, file = real("runs", "list").out.split()[0], str(tmp_path / "answer.leadline")
    told = real("runs", "export", run_id[-6:], "-o", file)
    assert told.code == 0, told.err
    assert f"leadline verify {file}" in told.err
    told = real("verify", file, "-v")
    assert told.code == 0, told
    assert told.out.splitlines()[0].startswith("ok       1  quoted     [1] ")
    assert told.out.splitlines()[-1].startswith("Verified: ")
    told = real("replay", file)
    assert (told.code, told.out) == (0, asked.out)
    assert f"equal to the one in {file}" in told.err
    told = real("runs", "fork", run_id, "--from", "write", "--seed", "3")
    assert (told.code, told.out) == (0, asked.out)
    forked = told.err.split()[1].rstrip(",")
    ids = [line.split()[0] for line in real("runs", "list").out.splitlines()]
    assert ids == [forked, run_id]
    assert f"Forked   from {run_id}" in real("runs", "show", forked).out


@pytest.mark.contract("W7")
def test_a_changed_file_is_named_and_a_strange_report_told(
    real: Call, handbook: Path, tmp_path: Path
) -> None:
    real(QUESTION, "--docs", str(handbook), "-q", "-o", str(tmp_path / "report.md"))
    run_id, file = real("runs", "list").out.split()[0], tmp_path / "answer.leadline"
    real("runs", "export", run_id, "-o", str(file))
    assert real("verify", str(file), "--report", str(tmp_path / "report.md")).code == 0
    (tmp_path / "report.md").write_text("Something else.")
    told = real("verify", str(file), "--report", str(tmp_path / "report.md"))
    assert told.code == 1
    assert "the report you were given is not the one in this file" in told.out
    data = bytearray(file.read_bytes())
    data[data.index(b"head of finance")] ^= 1
    file.write_bytes(data)
    told = real("verify", str(file))
    assert told.code == 1
    assert "CHANGED  pages/" in told.out
    assert "NOT verified" in told.out
    told = real("replay", str(file))
    assert (told.code, told.out) == (1, "")
    assert "answer.leadline was changed" in told.err


@pytest.mark.contract("W7")
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_what_is_no_run_file_is_bad_input(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no zip")
    no_zip = "notes.txt is not a run file: it is no whole zip file"
    no_report = "the report makes no claim: there is no sentence in it to check"
    for name, said in (
        (path, no_report if command == "verify" else no_zip),
        (tmp_path / "nowhere.leadline", "No such file"),
        (tmp_path, "Is a directory"),
    ):
        assert outcome([command, str(name)]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert said in err


@pytest.mark.contract("W7")
def test_an_unfinished_run_cannot_be_exported(call: Call, fake: FakeRuns, handbook: Path) -> None:
    fake.failure = OSError("disk on fire")
    call(QUESTION, "--docs", str(handbook))
    told = call("runs", "export", fake.ids()[0], "-o", str(handbook.parent / "x.leadline"))
    assert told.code == 2
    assert "only a finished run can be exported" in told.err
    assert not (handbook.parent / "x.leadline").exists()


@pytest.mark.contract("R10")
def test_every_flag_of_a_fork_is_a_setting_or_says_where_the_report_goes() -> None:
    own = {"run_id", "step", "files", "as_json", "quiet", "trace"}
    common = {"config", "data_dir", "verbose", "debug"}
    names = {str(param.name) for param in fork.params} - own - common
    assert names <= set(Settings.declared)
    assert {"seed", "policy", "docs", "max_execution_time_s"} <= names


@pytest.mark.contract("R10")
def test_a_fork_from_nowhere_is_refused(call: Call, fake: FakeRuns, handbook: Path) -> None:
    call(QUESTION, "--docs", str(handbook))
    told = call("runs", "fork", fake.ids()[0], "--from", "sing")
    assert told.code == 2
    assert "no step 'sing'; it has plan, search, gate" in told.err
    assert len(fake.ids()) == 1
    told = call("runs", "fork", fake.ids()[0], "--from", "gate", "--seed", "x")
    assert told.code == 2
    assert "got 'x' with --seed" in told.err
    assert call("runs", "fork", fake.ids()[0], "--from", "gate", "--seed", "4").code == 0
    assert len(fake.ids()) == 2
