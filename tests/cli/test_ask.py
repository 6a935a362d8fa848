"""`leadline ask` as a user meets it (W9)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import Told

from leadline.cli.app import outcome

Call = Callable[..., Told]


@pytest.fixture
def real(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Call:
    """The real program over a data folder of its own, in this process."""

    def run(*args: str) -> Told:
        capfd.readouterr()
        code = outcome([*args, "--data-dir", str(tmp_path / "data")])
        return Told(code, *capfd.readouterr())

    return run


@pytest.fixture
def refunds(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "refunds.md").write_text(
        "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
        "A refund is paid within fourteen days of its approval.\n"
    )
    return folder


@pytest.mark.contract("W9", "U2")
def test_a_question_on_a_run_is_answered_updated_and_shown_to_follow_it(
    real: Call, refunds: Path
) -> None:
    asked = real("Who approves a refund above 500 euros?", "--docs", str(refunds), "-q")
    assert asked.code == 0, asked.err
    first = real("runs", "list").out.split()[0]
    told = real("ask", first[-6:], "Within how many days is a refund paid?", "-q")
    assert told.code == 0, told.err
    assert "fourteen days" in told.out
    shown = real("runs", "show", "last").out
    assert f"Follows  {first}" in shown
    assert "Search " not in shown
    whole = real("ask", first, "Within how many days is a refund paid?", "--update", "-q")
    assert whole.code == 0
    assert whole.out.startswith("# Who approves a refund above 500 euros?")
    assert "head of finance" in whole.out
    assert "fourteen days" in whole.out


@pytest.mark.contract("W9", "U2")
def test_a_run_that_is_not_there_or_no_question_is_refused(real: Call, refunds: Path) -> None:
    told = real("ask", "nothing", "Why?")
    assert told.code == 2
    assert "no run has an id that begins with 'nothing'" in told.err
    told = real("ask", "nothing", " ")
    assert told.code == 2
    assert "the question is empty" in told.err
