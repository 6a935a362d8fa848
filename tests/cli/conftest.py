"""A command line over a fake engine, and the real one in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import FakeRuns, Told, clean_environment

from leadline.cli.app import outcome
from leadline.cli.doors import Doors


@pytest.fixture
def fake() -> FakeRuns:
    return FakeRuns()


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "refunds.md").write_text(
        "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
        "A refund is paid within fourteen days of its approval.\n"
    )
    (folder / "holidays.md").write_text(
        "# Holidays\n\nEvery employee has thirty days of paid holiday a year.\n\n"
        "Holidays are requested four weeks ahead in the calendar.\n"
    )
    return folder


@pytest.fixture
def call(fake: FakeRuns, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Run a command in this process over the fake."""

    def run(*args: str) -> Told:
        given = list(args)
        if "--data-dir" not in given and given[:1] not in (["--help"], ["--version"]):
            given += ["--data-dir", str(tmp_path / "data")]
        capfd.readouterr()
        code = outcome(given, Doors(fake.open_session, fake.prepare))
        out, err = capfd.readouterr()
        return Told(code, out, err)

    return run


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Told]:
    """Run the real program in a process of its own."""

    def run(*args: str | bytes, stdin: bytes = b"", **env: str) -> Told:
        done = subprocess.run(
            [sys.executable, "-m", "leadline", *args],
            cwd=tmp_path,
            env={**clean_environment(tmp_path), **env},
            input=stdin,
            capture_output=True,
            check=False,
        )
        return Told(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
